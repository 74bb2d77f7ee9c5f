// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct `The request program` {
  @Test func `an unknown word is an error`() throws {
    let outcome = try RunningCommand(["nonsense"], of: "RequestProgram").finish()
    #expect(outcome == Outcome(status: 2, errors: "error: unknown word 'nonsense'\n"))
  }
}
#endif
