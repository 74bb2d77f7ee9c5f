#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct `The program that makes requests` {
  @Test func `it does not take a word that it does not know`() throws {
    let outcome = try RunningCommand(["nonsense"], of: "RequestProgram").finish()
    #expect(outcome == Outcome(status: 2, errors: "error: there is no 'nonsense'\n"))
  }
}
#endif
