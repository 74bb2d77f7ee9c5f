// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct BatchTests {
  @Test func `the requests of a batch have distinct numbers and share a datagram`() throws {
    let kernel = ScriptedKernel({ requests in requests.map { .kernel($0.route) } })
    #expect(try kernel.ask(3) == [.route(0), .route(1), .route(2)])
    let requests = (0..<3).map { index in
      Request(.getRoute, flags: .request, sequence: index + 1, payload: [UInt8(index), 0, 0, 0])
    }
    #expect(kernel.sent == [requests])
  }

  @Test func `an empty batch sends nothing and does not wait`() throws {
    #expect(try ScriptedKernel().ask(0) == [])
  }

  @Test func `answers in another order reach their requests`() throws {
    let kernel = ScriptedKernel({ requests in [2, 0, 1].map { .kernel(requests[$0].route) } })
    #expect(try kernel.ask(3) == [.route(2), .route(0), .route(1)])
  }

  @Test func `one datagram may have several answers`() throws {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[1].route, requests[0].route), .kernel(requests[2].route)]
    })
    #expect(try kernel.ask(3) == [.route(1), .route(0), .route(2)])
  }

  @Test func `an answer with an unknown number is ignored`() throws {
    let kernel = ScriptedKernel({ requests in
      var stranger = requests[0]
      let numbers: [UInt32] = [0, 3, 4, .max, 1 << 31]
      return numbers.map { number in
        stranger.header.sequence = number
        return .kernel(stranger.refusal(.noDevice))
      } + requests.map { .kernel($0.route) }
    })
    #expect(try kernel.ask(2) == [.route(0), .route(1)])
  }

  @Test func `only the first answer to a request counts`() throws {
    let kernel = ScriptedKernel({ requests in
      [
        .kernel(requests[0].route, requests[0].refusal(.noDevice)), .kernel(requests[0].route),
        .kernel(requests[1].route),
      ]
    })
    #expect(try kernel.ask(2) == [.route(0), .route(1)])
  }

  @Test func `a datagram from another sender is ignored and counted`() throws {
    let kernel = ScriptedKernel({ requests in
      [
        .foreign(requests[0].refusal(.noDevice)), .foreign([1, 2, 3]), .kernel(requests[0].route),
      ]
    })
    var conversation = kernel.conversation()
    let answers = try conversation.ask(1)
    #expect(answers == [.route(0)])
    #expect(conversation.foreignDatagrams == 2)
  }

  @Test func `a refusal is an answer with the error and the kernel's text`() throws {
    let kernel = ScriptedKernel({ requests in
      [
        .kernel(requests[0].refusal(.networkUnreachable)), .kernel(requests[1].route),
        .kernel(requests[2].refusal(.invalidArgument, text: "Invalid source")),
        .kernel(requests[3].acknowledgement),
      ]
    })
    #expect(
      try kernel.ask(4) == [
        .acknowledgement(0, Acknowledgement(error: .networkUnreachable, text: nil)), .route(1),
        .acknowledgement(2, Acknowledgement(error: .invalidArgument, text: "Invalid source")),
        .acknowledgement(3, Acknowledgement(error: nil, text: nil)),
      ])
  }

  @Test func `after a loss only the unanswered requests are repeated`() throws {
    let kernel = ScriptedKernel(
      { requests in
        [.kernel(requests[3].route), .kernel(requests[1].route), .failure(.noBufferSpace)]
      },
      { requests in requests.map { .kernel($0.route) } })
    #expect(try kernel.ask(5) == [.route(3), .route(1), .route(0), .route(2), .route(4)])
    #expect(kernel.sent.map { $0.map(\.question) } == [[0, 1, 2, 3, 4], [0, 2, 4]])
    let numbers = kernel.sent.joined().map { $0.header.sequence }
    #expect(Set(numbers).count == numbers.count)
  }

  @Test func `a late answer to a repeated request is ignored`()
    throws
  {
    let kernel = ScriptedKernel(
      { requests in
        [
          .failure(.noBufferSpace), .failure(.wouldBlock), .kernel(requests[1].refusal(.noDevice)),
          .kernel(requests[0].refusal(.noDevice)),
        ]
      },
      { requests in requests.map { .kernel($0.route) } })
    #expect(try kernel.ask(2) == [.route(0), .route(1)])
  }

  @Test func `answers lost in three attempts are an error`() throws {
    let losing: ScriptedKernel.Turn = { _ in [.failure(.noBufferSpace)] }
    let kernel = ScriptedKernel(losing, losing, losing, { requests in requests.map { .kernel($0.route) } })
    #expect(throws: NetlinkError(.overrun, attempt: "ask")) { try kernel.ask(2) }
    #expect(kernel.sent.count == 3)
  }

  @Test func `a socket with room for one answer receives all of them in turn`() throws {
    // The kernel reports the loss before it delivers the queued messages.
    let cramped: ScriptedKernel.Turn = { requests in [.failure(.noBufferSpace), .kernel(requests[0].route)] }
    let kernel = ScriptedKernel(cramped, cramped, cramped, cramped, cramped)
    #expect(try kernel.ask(5) == (0..<5).map { .route($0) })
    #expect(kernel.sent.map(\.count) == [5, 4, 3, 2, 1])
  }

  @Test func `answers may arrive in the third attempt`() throws {
    let kernel = ScriptedKernel(
      { _ in [.failure(.noBufferSpace)] }, { _ in [.failure(.noBufferSpace)] },
      { requests in requests.map { .kernel($0.route) } })
    #expect(try kernel.ask(2) == [.route(0), .route(1)])
  }

  @Test func `a batch without answers times out`() {
    let silent = ScriptedKernel()
    #expect(throws: NetlinkError(.timedOut, attempt: "ask")) { try silent.ask(1) }
    let halting = ScriptedKernel({ requests in [.kernel(requests[0].route)] })
    #expect(throws: NetlinkError(.timedOut, attempt: "ask")) { try halting.ask(2) }
  }

  @Test func `a failed send or receive is an error with its number`() {
    let deaf = ScriptedKernel(sendFailure: .noDevice)
    #expect(throws: NetlinkError(.system, attempt: "ask", errno: .noDevice)) { try deaf.ask(1) }
    let mute = ScriptedKernel({ _ in [.failure(.accessDenied)] })
    #expect(throws: NetlinkError(.system, attempt: "ask", errno: .accessDenied)) { try mute.ask(1) }
  }

  @Test func `a datagram longer than the buffer is requested again with a larger buffer`() throws {
    let route = try Fixture("route-ipv6-lookup")
    let kernel = ScriptedKernel(
      { requests in requests.map { .kernel(route.answering($0)) } },
      { requests in requests.map { .kernel(route.answering($0)) } })
    #expect(try kernel.ask(1, bufferSize: 64) == [.route(0, to: "fd00:99::1")])
    #expect(kernel.sent.map(\.count) == [1, 1])
  }

  @Test func `a long answer among several is requested again with a larger buffer`() throws {
    let long: ScriptedKernel.Turn = { requests in
      requests.map { request in
        request.question == 2
          ? .kernel(request.route + oneMessage(.newRoute) { $0.appendZeros(600) }) : .kernel(request.route)
      }
    }
    let kernel = ScriptedKernel(long, long)
    var conversation = kernel.conversation()
    let answers = try conversation.ask(4)
    #expect(answers == [.route(0), .route(1), .route(3), .route(2)])
    #expect(kernel.sent.map { $0.map(\.question) } == [[0, 1, 2, 3], [2]])
    #expect(conversation.overruns == 0)
  }

  @Test func `an undecodable answer is an error with its offset`() {
    let short = ScriptedKernel({ requests in
      [
        .kernel(
          requests[0].message(.newRoute) {
            $0.appendZeros(12)
            $0.attribute(4, bytes: [1, 2, 3])
          })
      ]
    })
    #expect(throws: NetlinkError(.malformed, attempt: "ask", detail: "bad value at byte 32")) {
      try short.ask(1)
    }
    let second = ScriptedKernel({ requests in
      [.kernel(requests[0].route, requests[1].message(.newRoute) { $0.appendZeros(8) })]
    })
    // The first message has 36 bytes, and the flags are eight bytes after the second header.
    #expect(throws: NetlinkError(.malformed, attempt: "ask", detail: "truncated at byte 60")) {
      try second.ask(2)
    }
  }

  @Test(
    arguments: [
      (1, "truncated at byte 0"), (4, "truncated at byte 4"), (8, "truncated at byte 8"),
      (15, "truncated at byte 12"), (16, "bad length at byte 0"), (35, "bad length at byte 0"),
    ])
  func `a datagram that ends early is an error with its offset`(count: Int, detail: String) {
    let kernel = ScriptedKernel({ requests in [.kernel(Array(requests[0].route.prefix(count)))] })
    #expect(throws: NetlinkError(.malformed, attempt: "ask", detail: detail)) { try kernel.ask(1) }
  }

  @Test func `an empty datagram is skipped`() throws {
    let kernel = ScriptedKernel({ requests in [.kernel([]), .kernel(requests[0].route)] })
    #expect(try kernel.ask(1) == [.route(0)])
  }

  @Test func `the remaining answers of a failed batch do not answer a later one`() throws {
    let kernel = ScriptedKernel(
      { requests in [.failure(.wouldBlock)] + requests.map { .kernel($0.refusal(.noDevice)) } },
      { requests in requests.map { .kernel($0.route) } })
    var conversation = kernel.conversation()
    do {
      _ = try conversation.ask(2)
      Issue.record("the first batch was answered")
    } catch let error as NetlinkError {
      #expect(error == NetlinkError(.timedOut, attempt: "ask"))
    }
    let answers = try conversation.ask(2)
    #expect(answers == [.route(0), .route(1)])
  }
}
#endif
