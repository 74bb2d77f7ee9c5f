#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink

/// A single question.
@Suite(.deadline) struct RequestTests {
  private static let answering: ScriptedKernel.Turn = { requests in [.kernel(requests[0].route)] }

  @Test func `a question is answered by a message`() throws {
    let kernel = ScriptedKernel(Self.answering)
    #expect(try kernel.askOne() == .route(7))
    let request = Request(.getRoute, flags: .request, sequence: 1, payload: [7, 0, 0, 0])
    #expect(kernel.sent == [[request]])
  }

  @Test func `a question is answered by a refusal with the kernel's text, or by a mere yes`() throws {
    let refusing = ScriptedKernel({ requests in
      [.kernel(requests[0].refusal(.invalidArgument, text: "Invalid source"))]
    })
    let refusal = Acknowledgement(error: .invalidArgument, text: "Invalid source")
    #expect(try refusing.askOne() == .acknowledgement(7, refusal))
    let agreeing = ScriptedKernel({ requests in [.kernel(requests[0].acknowledgement)] })
    #expect(try agreeing.askOne() == .acknowledgement(7, Acknowledgement(error: nil, text: nil)))
  }

  @Test func `what answers somebody else or comes from a stranger is ignored`() throws {
    let kernel = ScriptedKernel({ requests in
      let numbers: [UInt32] = [0, 2, .max]
      let others = numbers.map { number in
        var other = requests[0]
        other.header.sequence = number
        return other.refusal(.noDevice)
      }
      return [
        .kernel(others[0]), .foreign(requests[0].refusal(.noDevice)), .kernel([]),
        .kernel(others[1], others[2], requests[0].route),
      ]
    })
    var conversation = kernel.conversation()
    let answer = try conversation.askOne()
    #expect(answer == .route(7))
    #expect(conversation.foreignDatagrams == 1)
  }

  @Test func `a question whose answer was lost is asked again, and a late answer is not taken`() throws {
    let kernel = ScriptedKernel(
      { requests in
        [.failure(.noBufferSpace), .failure(.wouldBlock), .kernel(requests[0].refusal(.noDevice))]
      }, Self.answering)
    #expect(try kernel.askOne() == .route(7))
    #expect(kernel.sent.map { $0.map(\.header.sequence) } == [[1], [2]])
  }

  @Test func `an answer that was kept when others were lost is taken`() throws {
    let kernel = ScriptedKernel({ requests in [.failure(.noBufferSpace), .kernel(requests[0].route)] })
    #expect(try kernel.askOne() == .route(7))
    #expect(kernel.sent.count == 1)
  }

  @Test func `an answer that is lost three times ends in an error`() {
    let losing: ScriptedKernel.Turn = { _ in [.failure(.noBufferSpace)] }
    let kernel = ScriptedKernel(losing, losing, losing, Self.answering)
    #expect(throws: NetlinkError(.overrun, attempt: "ask once")) { try kernel.askOne() }
    #expect(kernel.sent.count == 3)
  }

  @Test func `an answer longer than the buffer is asked for again with room for it`() throws {
    let route = try Fixture("route-ipv6-lookup")
    let answering: ScriptedKernel.Turn = { requests in [.kernel(route.answering(requests[0]))] }
    let kernel = ScriptedKernel(answering, answering)
    #expect(try kernel.askOne(bufferSize: 64) == .route(7, to: "fd00:99::1"))
    #expect(kernel.sent.count == 2)
  }

  @Test func `a kernel that does not answer in time is an error`() {
    #expect(throws: NetlinkError(.timedOut, attempt: "ask once")) { try ScriptedKernel().askOne() }
  }

  @Test func `a failing send or receive is an error with its number`() {
    let deaf = ScriptedKernel(sendFailure: .noDevice)
    #expect(throws: NetlinkError(.system, attempt: "ask once", errno: .noDevice)) { try deaf.askOne() }
    let mute = ScriptedKernel({ _ in [.failure(.accessDenied)] })
    #expect(throws: NetlinkError(.system, attempt: "ask once", errno: .accessDenied)) {
      try mute.askOne()
    }
  }

  @Test func `a message that can't be read is an error that says where`() {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].message(.newRoute) { _ in })] })
    #expect(throws: NetlinkError(.malformed, attempt: "ask once", detail: "truncated at byte 16")) {
      try kernel.askOne()
    }
  }

  @Test func `a flood of datagrams that answer nothing ends it`() {
    for delivery in FloodTests.floods.map(\.1) {
      let kernel = ScriptedKernel(idle: delivery)
      #expect(throws: NetlinkError(.timedOut, attempt: "ask once")) { try kernel.askOne() }
      #expect(kernel.sent.count == 1)
    }
  }
}
#endif
