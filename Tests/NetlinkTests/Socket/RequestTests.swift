// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink

/// Single requests.
@Suite(.deadline) struct RequestTests {
  private static let answering: ScriptedKernel.Turn = { requests in [.kernel(requests[0].route)] }

  @Test func `a message answers a request`() throws {
    let kernel = ScriptedKernel(Self.answering)
    #expect(try kernel.askOne() == .route(7))
    let request = Request(.getRoute, flags: .request, sequence: 1, payload: [7, 0, 0, 0])
    #expect(kernel.sent == [[request]])
  }

  @Test func `a refusal or a plain acknowledgement answers a request`() throws {
    let refusing = ScriptedKernel({ requests in
      [.kernel(requests[0].refusal(.invalidArgument, text: "Invalid source"))]
    })
    let refusal = Acknowledgement(error: .invalidArgument, text: "Invalid source")
    #expect(try refusing.askOne() == .acknowledgement(7, refusal))
    let agreeing = ScriptedKernel({ requests in [.kernel(requests[0].acknowledgement)] })
    #expect(try agreeing.askOne() == .acknowledgement(7, Acknowledgement(error: nil, text: nil)))
  }

  @Test func `answers to others and datagrams of others are ignored`() throws {
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

  @Test func `a request whose answer is lost is repeated, and a late answer is ignored`() throws {
    let kernel = ScriptedKernel(
      { requests in
        [.failure(.noBufferSpace), .failure(.wouldBlock), .kernel(requests[0].refusal(.noDevice))]
      }, Self.answering)
    #expect(try kernel.askOne() == .route(7))
    #expect(kernel.sent.map { $0.map(\.header.sequence) } == [[1], [2]])
  }

  @Test func `an answer that survives an overrun is accepted`() throws {
    let kernel = ScriptedKernel({ requests in [.failure(.noBufferSpace), .kernel(requests[0].route)] })
    #expect(try kernel.askOne() == .route(7))
    #expect(kernel.sent.count == 1)
  }

  @Test func `a request is repeated if its answer is dropped after an earlier overrun`() throws {
    // After an overrun the kernel drops all new messages until the queue is empty, and reports it once.
    let kernel = ScriptedKernel(
      { requests in [.failure(.noBufferSpace), .kernel(requests[0].route)] }, { _ in [] }, Self.answering)
    var conversation = kernel.conversation()
    let answers = try [conversation.askOne(), conversation.askOne()]
    #expect(answers == [.route(7), .route(7)])
    #expect(kernel.sent.count == 3)
  }

  @Test func `a request is repeated after a corrupt datagram`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel([3, 0, 0, 0] + requests[0].route)] }, Self.answering)
    var conversation = kernel.conversation()
    let answer = try conversation.askOne()
    #expect(answer == .route(7))
    #expect(conversation.unreadableMessages == 1)
  }

  @Test func `an answer lost in three attempts is an error`() {
    let losing: ScriptedKernel.Turn = { _ in [.failure(.noBufferSpace)] }
    let kernel = ScriptedKernel(losing, losing, losing, Self.answering)
    #expect(throws: NetlinkError(.overrun, attempt: "ask once")) { try kernel.askOne() }
    #expect(kernel.sent.count == 3)
  }

  @Test func `an answer longer than the buffer is requested again with a larger buffer`() throws {
    let route = try Fixture("route-ipv6-lookup")
    let answering: ScriptedKernel.Turn = { requests in [.kernel(route.answering(requests[0]))] }
    let kernel = ScriptedKernel(answering, answering)
    #expect(try kernel.askOne(bufferSize: 64) == .route(7, to: "fd00:99::1"))
    #expect(kernel.sent.count == 2)
  }

  @Test func `a request without an answer times out`() {
    #expect(throws: NetlinkError(.timedOut, attempt: "ask once")) { try ScriptedKernel().askOne() }
  }

  @Test func `a failed send or receive is an error with its number`() {
    let deaf = ScriptedKernel(sendFailure: .noDevice)
    #expect(throws: NetlinkError(.system, attempt: "ask once", errno: .noDevice)) { try deaf.askOne() }
    let mute = ScriptedKernel({ _ in [.failure(.accessDenied)] })
    #expect(throws: NetlinkError(.system, attempt: "ask once", errno: .accessDenied)) {
      try mute.askOne()
    }
  }

  @Test func `an undecodable answer is an error with its offset`() {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].message(.newRoute) { _ in })] })
    #expect(throws: NetlinkError(.malformed, attempt: "ask once", detail: "truncated at byte 16")) {
      try kernel.askOne()
    }
  }

  @Test func `a flood of unrelated datagrams ends a request`() {
    for delivery in FloodTests.floods.map(\.1) {
      let kernel = ScriptedKernel(idle: delivery)
      #expect(throws: NetlinkError(.timedOut, attempt: "ask once")) { try kernel.askOne() }
      #expect(kernel.sent.count == 1)
    }
  }
}
#endif
