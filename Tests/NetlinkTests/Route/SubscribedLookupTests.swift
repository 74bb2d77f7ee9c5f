#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
import Testing
@testable import Netlink

/// Look-ups over the socket that hears.
@Suite(.deadline) struct SubscribedLookupTests {
  /// What look-ups of one address came to, and what was heard on the way.
  private struct Heard: Equatable {
    var answers: [Result<LookupReply, Errno>] = []
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

  /// A link's announcement, caused by the process with the port by its request with the sequence.
  private func announcement(_ index: Int32, port: UInt32 = 0, sequence: UInt32 = 0) -> [UInt8] {
    oneMessage(.newLink, sequence: sequence, port: port) { link(index).encode(into: &$0) }
  }

  private static let no: ScriptedKernel.Turn = { [.kernel($0[0].refusal(.networkUnreachable))] }

  @Test func `one look-up has one answer`() throws {
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
        .success(Expectation.lookup("route-ipv6-lookup")), .failure(.accessDenied),
        // A yes without a route is no answer.
        .failure(.invalidArgument),
      ])
    let payload =
      [10, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 1, 0, 0xfd] + [UInt8](repeating: 0, count: 14) + [1]
    #expect(
      kernel.sent == (1...3).map { [Request(.getRoute, flags: .request, sequence: $0, payload: payload)] })
  }

  @Test func `what was announced before the answer is heard first, what comes after it waits`() throws {
    let kernel = ScriptedKernel({ requests in
      [.kernel(requests[0].refusal(.hostUnreachable)), .kernel(announcement(3))]
    })
    kernel.announce(.kernel(announcement(1), announcement(2)))
    #expect(
      try lookUp(kernel)
        == Heard(answers: [.failure(.hostUnreachable)], events: [.link(link(1)), .link(link(2))]))
    #expect(kernel.waitingCount == 1)
  }

  @Test func `another's announcement is none's answer, whatever its sequence`() throws {
    let kernel = ScriptedKernel(Self.no)
    kernel.announce(
      .kernel(announcement(1, port: 4711, sequence: 1)), .kernel(announcement(2, sequence: 1)))
    #expect(
      try lookUp(kernel)
        == Heard(answers: [.failure(.networkUnreachable)], events: [.link(link(1)), .link(link(2))]))
  }

  @Test func `an announcement is none's answer also under the port and the sequence of who asks`() throws {
    // Ports are given out for each network namespace, and who is in another one may change links of this one.
    let kernel = ScriptedKernel(Self.no)
    let own = ScriptedKernel.ownPort
    kernel.announce(
      .announced(announcement(1, port: own, sequence: 1)), .announced(announcement(2, port: own)))
    #expect(
      try lookUp(kernel)
        == Heard(answers: [.failure(.networkUnreachable)], events: [.link(link(1)), .link(link(2))]))
  }

  @Test func `an answer that nobody waits for any more is passed over`() throws {
    let kernel = ScriptedKernel({ requests in
      var late = requests[0]
      late.header.sequence = 77
      return [.kernel(late.refusal(.accessDenied)), .kernel(requests[0].refusal(.networkUnreachable))]
    })
    #expect(try lookUp(kernel) == Heard(answers: [.failure(.networkUnreachable)]))
  }

  @Test func `what others send is no answer and no event`() throws {
    let kernel = ScriptedKernel({ requests in
      [.foreign(requests[0].refusal(.accessDenied)), .kernel(requests[0].refusal(.networkUnreachable))]
    })
    #expect(try lookUp(kernel) == Heard(answers: [.failure(.networkUnreachable)]))
  }

  @Test func `an answer that was lost with announcements is asked for again`() throws {
    let kernel = ScriptedKernel({ _ in [] }, Self.no)
    kernel.announce(.failure(.noBufferSpace), .kernel(announcement(1)))
    #expect(
      try lookUp(kernel) == Heard(answers: [.failure(.networkUnreachable)], events: [nil, .link(link(1))]))
    #expect(kernel.sent.map { $0.map(\.header.sequence) } == [[1], [2]])
  }

  @Test func `an answer may be lost long after the loss was told, until the socket is empty`() throws {
    // The kernel drops all that comes from the overrun on, and says so once.
    let kernel = ScriptedKernel(Self.no, { _ in [] }, Self.no)
    kernel.announce(.failure(.noBufferSpace))
    #expect(
      try lookUp(kernel, times: 2)
        == Heard(answers: [.failure(.networkUnreachable), .failure(.networkUnreachable)], events: [nil]))
    #expect(kernel.sent.count == 3)
  }

  @Test func `an answer behind an announcement that can't be read is taken`() throws {
    let kernel = ScriptedKernel({ requests in
      [.kernel(oneMessage(.newLink) { $0.appendZeros(4) } + requests[0].refusal(.accessDenied))]
    })
    #expect(try lookUp(kernel) == Heard(answers: [.failure(.accessDenied)], events: [nil]))
    #expect(kernel.sent.count == 1)
  }

  @Test func `an answer behind what is no message, or in a datagram that is too long, is asked for again`()
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

  @Test func `an answer that can't be read is an error that says where`() {
    let kernel = ScriptedKernel({ requests in [.kernel(requests[0].message(.newRoute) { $0.appendZeros(3) })]
    })
    let error = NetlinkError(.malformed, attempt: "look up a route", detail: "truncated at byte 20")
    #expect(throws: error) { try lookUp(kernel) }
  }

  @Test func `an answer is there for as long as nothing else is done`() throws {
    let (one, other) = try (Fixture("route-ipv4-lookup"), Fixture("route-ipv6-lookup"))
    let kernel = ScriptedKernel(
      { [.kernel(one.answering($0[0]))] }, { [.kernel(other.answering($0[0]))] }, Self.no)
    var subscription = RouteSubscription(over: kernel)
    try subscription.ask(RouteRequest("10.0.0.1")) { _ in }
    let answered = subscription.answeredRoute
    let route = try #require(answered)
    var known = [subscription.isAnswered(by: route)]
    try subscription.ask(RouteRequest("fd00::1")) { _ in }
    known.append(subscription.isAnswered(by: route))
    var areRoutes = [subscription.answeredRoute != nil]
    // A refusal is no route.
    try subscription.ask(RouteRequest("10.0.0.1")) { _ in }
    known.append(subscription.isAnswered(by: route))
    areRoutes.append(subscription.answeredRoute != nil)
    _ = try subscription.drain(limit: 1) { _ in }
    known.append(subscription.isAnswered(by: route))
    #expect(known == [true, false, false, false])
    #expect(areRoutes == [true, false])
    #expect(throws: NetlinkError.self) { _ = try subscription.readAnswer() }
  }

  @Test func `answers that are lost each time are an error`() {
    let kernel = ScriptedKernel(
      { _ in [.failure(.noBufferSpace)] }, { _ in [.failure(.noBufferSpace)] },
      { _ in [.failure(.noBufferSpace)] }, Self.no)
    #expect(throws: NetlinkError(.overrun, attempt: "look up a route")) { try lookUp(kernel) }
    #expect(kernel.sent.count == 3)
  }

  @Test func `a kernel that never answers, whatever it announces, is an error`() throws {
    #expect(throws: NetlinkError(.timedOut, attempt: "look up a route")) { try lookUp(ScriptedKernel()) }
    let chatty = ScriptedKernel(idle: .kernel(announcement(1)))
    #expect(throws: NetlinkError(.timedOut, attempt: "look up a route")) { try lookUp(chatty) }
    let besieged = ScriptedKernel(idle: .foreign([1]))
    #expect(throws: NetlinkError(.timedOut, attempt: "look up a route")) { try lookUp(besieged) }
  }

  @Test func `a socket that fails is an error with its number`() {
    #expect(throws: NetlinkError(.system, attempt: "look up a route", errno: .accessDenied)) {
      try lookUp(ScriptedKernel(sendFailure: .accessDenied))
    }
    #expect(throws: NetlinkError(.system, attempt: "receive changes", errno: .noDevice)) {
      try lookUp(ScriptedKernel({ _ in [.failure(.noDevice)] }))
    }
  }
}
#endif
