// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import POSIX
import Testing
@testable import Netlink

/// Lookups over the socket of a subscription.
@Suite(.deadline) struct SubscribedLookupTests {
  /// The results of lookups of one address, and the events on the way.
  private struct Heard: Equatable {
    var answers: [Result<RouteMessage, Errno>] = []
    var events: [RouteEvent?] = []
  }

  private func lookUp(_ kernel: ScriptedKernel, times: Int = 1) throws -> Heard {
    var subscription = RouteSubscription(over: kernel)
    var heard = Heard()
    for _ in 0..<times {
      try subscription.ask(RouteRequest("10.0.0.1")) { heard.events.append($0) }
      heard.answers.append(try subscription.readAnswer())
    }
    return heard
  }

  private func link(_ index: Int32) -> LinkMessage {
    with(LinkMessage()) { $0.index = index }
  }

  /// The announcement of a link that a process changed by its request with this sequence.
  private func announcement(_ index: Int32, port: UInt32 = 0, sequence: UInt32 = 0) -> [UInt8] {
    oneMessage(.newLink, sequence: sequence, port: port) { link(index).encode(into: &$0) }
  }

  private static let no: ScriptedKernel.Turn = { [.kernel($0[0].refusal(.networkUnreachable))] }

  @Test func `one lookup has one answer`() throws {
    let fixture = try Fixture("route-ipv6-lookup")
    let kernel = ScriptedKernel(
      { requests in [.kernel(fixture.answering(requests[0]))] },
      { requests in [.kernel(requests[0].refusal(.accessDenied))] },
      { requests in [.kernel(requests[0].acknowledgement)] })
    var subscription = RouteSubscription(over: kernel)
    let answers = try (0..<3).map { _ in
      try subscription.ask(RouteRequest("fd00::1")) { Issue.record("an event: \(String(describing: $0))") }
      return try subscription.readAnswer()
    }
    #expect(
      try answers == [
        .success(Expectation.route("route-ipv6-lookup")), .failure(.accessDenied),
        // A success without a route is not an answer.
        .failure(.invalidArgument),
      ])
    let payload =
      [10, 128, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 20, 0, 1, 0, 0xfd] + [UInt8](repeating: 0, count: 14) + [1]
    #expect(
      kernel.sent == (1...3).map { [Request(.getRoute, flags: .request, sequence: $0, payload: payload)] })
  }

  @Test func `announcements before the answer are delivered first, later ones stay queued`() throws {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].refusal(.hostUnreachable)), .kernel(announcement(3))]
    })
    kernel.announce(.kernel(announcement(1), announcement(2)))
    #expect(
      try lookUp(kernel)
        == Heard(answers: [.failure(.hostUnreachable)], events: [.link(link(1)), .link(link(2))]))
    #expect(kernel.waitingCount == 1)
  }

  @Test func `an announcement by another process is not an answer`() throws {
    let kernel = ScriptedKernel(Self.no)
    kernel.announce(
      .kernel(announcement(1, port: 4711, sequence: 1)), .kernel(announcement(2, sequence: 1)))
    #expect(
      try lookUp(kernel)
        == Heard(answers: [.failure(.networkUnreachable)], events: [.link(link(1)), .link(link(2))]))
  }

  @Test func `an announcement with the lookup's own port and sequence is not an answer`() throws {
    // Ports are unique per network namespace, and a process in another one may change links of this one.
    let kernel = ScriptedKernel(Self.no)
    let own = ScriptedKernel.ownPort
    kernel.announce(
      .announced(announcement(1, port: own, sequence: 1)), .announced(announcement(2, port: own)))
    #expect(
      try lookUp(kernel)
        == Heard(answers: [.failure(.networkUnreachable)], events: [.link(link(1)), .link(link(2))]))
  }

  @Test func `an answer to an abandoned lookup is skipped`() throws {
    let kernel = ScriptedKernel({ requests in
      var late = requests[0]
      late.header.sequence = 77
      return [.kernel(late.refusal(.accessDenied)), .kernel(requests[0].refusal(.networkUnreachable))]
    })
    #expect(try lookUp(kernel) == Heard(answers: [.failure(.networkUnreachable)]))
  }

  @Test func `a datagram from another sender is neither answer nor event`() throws {
    let kernel = ScriptedKernel({ requests in
      [.foreign(requests[0].refusal(.accessDenied)), .kernel(requests[0].refusal(.networkUnreachable))]
    })
    #expect(try lookUp(kernel) == Heard(answers: [.failure(.networkUnreachable)]))
  }

  @Test func `a lookup whose answer is lost is repeated`() throws {
    let kernel = ScriptedKernel({ _ in [] }, Self.no)
    kernel.announce(.failure(.noBufferSpace), .kernel(announcement(1)))
    #expect(
      try lookUp(kernel) == Heard(answers: [.failure(.networkUnreachable)], events: [nil, .link(link(1))]))
    #expect(kernel.sent.map { $0.map(\.header.sequence) } == [[1], [2]])
  }

  @Test func `an answer may be lost until the queue is empty after an overrun`() throws {
    // After an overrun the kernel drops all new messages, and reports it once.
    let kernel = ScriptedKernel(Self.no, { _ in [] }, Self.no)
    kernel.announce(.failure(.noBufferSpace))
    #expect(
      try lookUp(kernel, times: 2)
        == Heard(answers: [.failure(.networkUnreachable), .failure(.networkUnreachable)], events: [nil]))
    #expect(kernel.sent.count == 3)
  }

  @Test func `an answer after an undecodable announcement is accepted`() throws {
    let kernel = ScriptedKernel({ requests in
      [.kernel(oneMessage(.newLink) { $0.appendZeros(4) } + requests[0].refusal(.accessDenied))]
    })
    #expect(try lookUp(kernel) == Heard(answers: [.failure(.accessDenied)], events: [nil]))
    #expect(kernel.sent.count == 1)
  }

  @Test func `a lookup is repeated after a corrupt or truncated datagram`()
    throws
  {
    let kernel = ScriptedKernel(
      { requests in
        [.kernel([3, 0, 0, 0] + requests[0].refusal(.accessDenied))]
      }, Self.no)
    #expect(try lookUp(kernel) == Heard(answers: [.failure(.networkUnreachable)], events: [nil]))

    let long = (1...400).flatMap { announcement(Int32($0)) }
    let second = ScriptedKernel({ [.kernel(long + $0[0].refusal(.accessDenied))] }, Self.no)
    #expect(try lookUp(second) == Heard(answers: [.failure(.networkUnreachable)], events: [nil]))
  }

  @Test func `an undecodable answer is an error with its offset`() {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].message(.newRoute) { $0.appendZeros(3) })]
    })
    let error = NetlinkError(.malformed, attempt: "look up a route", detail: "truncated at byte 19")
    #expect(throws: error) { try lookUp(kernel) }
  }

  @Test func `an answer stays available until the next use of the socket`() throws {
    let (one, other) = try (Fixture("route-ipv4-lookup"), Fixture("route-ipv6-lookup"))
    let kernel = ScriptedKernel(
      { [.kernel(one.answering($0[0]))] }, { [.kernel(other.answering($0[0]))] }, Self.no)
    var subscription = RouteSubscription(over: kernel)
    try subscription.ask(RouteRequest("10.0.0.1")) { _ in }
    let answered = subscription.knownAnswer
    let route = try #require(answered)
    var known = [subscription.isAnswered(by: route)]
    try subscription.ask(RouteRequest("fd00::1")) { _ in }
    known.append(subscription.isAnswered(by: route))
    var areKnown = [subscription.knownAnswer != nil]
    try subscription.ask(RouteRequest("10.0.0.1")) { _ in }
    known.append(subscription.isAnswered(by: route))
    areKnown.append(subscription.knownAnswer != nil)
    _ = try subscription.drain(limit: 1) { _ in }
    known.append(subscription.isAnswered(by: route))
    #expect(known == [true, false, false, false])
    // A refusal can be recognized, too.
    #expect(areKnown == [true, true])
    #expect(throws: NetlinkError.self) { _ = try subscription.readAnswer() }
  }

  @Test func `an answer lost in every attempt is an error`() {
    let kernel = ScriptedKernel(
      { _ in [.failure(.noBufferSpace)] }, { _ in [.failure(.noBufferSpace)] },
      { _ in [.failure(.noBufferSpace)] }, Self.no)
    #expect(throws: NetlinkError(.overrun, attempt: "look up a route")) { try lookUp(kernel) }
    #expect(kernel.sent.count == 3)
  }

  @Test func `a kernel that announces but never answers is an error`() throws {
    #expect(throws: NetlinkError(.timedOut, attempt: "look up a route")) { try lookUp(ScriptedKernel()) }
    let chatty = ScriptedKernel(idle: .kernel(announcement(1)))
    #expect(throws: NetlinkError(.timedOut, attempt: "look up a route")) { try lookUp(chatty) }
    let besieged = ScriptedKernel(idle: .foreign([1]))
    #expect(throws: NetlinkError(.timedOut, attempt: "look up a route")) { try lookUp(besieged) }
  }

  @Test func `a failed socket is an error with its number`() {
    #expect(throws: NetlinkError(.system, attempt: "look up a route", errno: .accessDenied)) {
      try lookUp(ScriptedKernel(sendFailure: .accessDenied))
    }
    #expect(throws: NetlinkError(.system, attempt: "look up a route", errno: .noDevice)) {
      try lookUp(ScriptedKernel({ _ in [.failure(.noDevice)] }))
    }
  }
}
#endif
