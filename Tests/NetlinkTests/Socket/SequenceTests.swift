#if os(Linux)
import Testing
@testable import Netlink

@Suite struct SequenceTests {
  private static let answering: ScriptedKernel.Turn = { requests in requests.map { .kernel($0.route) } }

  @Test func `numbers go on from request to request and start with one`() throws {
    let kernel = ScriptedKernel(
      Self.answering, { requests in [.kernel(requests[0].done())] },
      { requests in [.kernel(requests[0].acknowledgement)] }, Self.answering)
    var conversation = kernel.conversation()
    _ = try conversation.ask(2)
    _ = try conversation.list()
    try conversation.command()
    _ = try conversation.ask(1)
    #expect(kernel.sent.map { $0.map(\.header.sequence) } == [[1, 2], [3], [4], [5]])
  }
}
#endif
