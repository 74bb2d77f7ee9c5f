// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import NetlinkSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct RouteSubscriptionTests {
  /// The events and counters of one drain.
  private struct Drained: Equatable {
    var events: [RouteEvent?] = []
    var outcome: RouteSubscription.Outcome = .empty
    var overruns = 0
    var foreignDatagrams = 0
    var malformedMessages = 0
  }

  private func drain(_ kernel: ScriptedKernel, limit: Int = 100) throws -> Drained {
    var subscription = RouteSubscription(over: kernel)
    return try drain(&subscription, limit: limit)
  }

  private func drain(
    _ subscription: inout RouteSubscription, limit: Int = 100
  ) throws -> Drained {
    var drained = Drained()
    drained.outcome = try subscription.drain(limit: limit) { drained.events.append($0) }
    drained.overruns = subscription.overruns
    drained.foreignDatagrams = subscription.conversation.foreignDatagrams
    drained.malformedMessages = subscription.conversation.unreadableMessages
    return drained
  }

  /// The announcement of a link, and its event.
  private func link(_ index: Int32) -> (bytes: [UInt8], event: RouteEvent?) {
    let link = with(LinkMessage()) { $0.index = index }
    return (oneMessage(.newLink) { link.encode(into: &$0) }, .link(link))
  }

  @Test func `groups are joined and left in order`() throws {
    let kernel = ScriptedKernel()
    var subscription = RouteSubscription(over: kernel)
    try subscription.setMembership([.links, .ipv6Routes], joined: true)
    try subscription.setMembership([.links], joined: false)
    #expect(
      kernel.memberships == [
        .init(group: .links, isJoined: true), .init(group: .ipv6Routes, isJoined: true),
        .init(group: .links, isJoined: false),
      ])
    #expect(kernel.sent == [])
  }

  @Test func `a failure to join a group is an error with its number`() {
    let kernel = ScriptedKernel()
    kernel.refuse(.nextHops, with: .invalidArgument)
    #expect(throws: NetlinkError(.system, attempt: "subscribe to changes", errno: .invalidArgument)) {
      var subscription = RouteSubscription(over: kernel)
      try subscription.setMembership([.links, .nextHops, .ipv4Rules], joined: true)
    }
    #expect(kernel.memberships.map(\.group) == [.links, .nextHops])
  }

  @Test func `an empty queue delivers no event`() throws {
    #expect(try drain(ScriptedKernel()) == Drained())
  }

  @Test func `all recorded announcements are delivered in order`() throws {
    let kernel = ScriptedKernel()
    var events: [RouteEvent?] = []
    for expected in Expectation.all {
      let fixture = try Fixture(expected.fixture)
      guard case .event(let event) = expected.content(fixture) else { continue }
      kernel.announce(.kernel(fixture.bytes))
      events.append(event)
    }
    #expect(try drain(kernel) == Drained(events: events))
  }

  @Test func `the announcements of one datagram are delivered in order`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(.kernel(link(1).bytes, link(2).bytes), .kernel(link(3).bytes))
    #expect(try drain(kernel) == Drained(events: [link(1).event, link(2).event, link(3).event]))
  }

  @Test func `an overrun is delivered as a loss in its place, and counted`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(
      .kernel(link(1).bytes), .failure(.noBufferSpace), .kernel(link(2).bytes), .failure(.noBufferSpace))
    #expect(try drain(kernel) == Drained(events: [link(1).event, nil, link(2).event, nil], overruns: 2))
  }

  @Test func `a datagram from another sender is counted, not delivered`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(.foreign(link(9).bytes), .kernel(link(1).bytes), .foreign([1, 2, 3]))
    #expect(try drain(kernel) == Drained(events: [link(1).event], foreignDatagrams: 2))
  }

  @Test func `an undecodable message is delivered as a loss, and counted`() throws {
    let kernel = ScriptedKernel()
    let bad = oneMessage(.newLink) { $0.appendZeros(12) }
    kernel.announce(.kernel(bad), .kernel(link(1).bytes, bad, link(2).bytes), .kernel(link(3).bytes))
    #expect(
      try drain(kernel)
        == Drained(
          events: [nil, link(1).event, nil, link(2).event, link(3).event], malformedMessages: 2))
  }

  @Test func `a corrupt message length is one loss for the rest of the datagram`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(.kernel(link(1).bytes, [3, 0, 0, 0], link(2).bytes), .kernel(link(3).bytes))
    #expect(
      try drain(kernel) == Drained(events: [link(1).event, nil, link(3).event], malformedMessages: 1))
  }

  @Test func `messages of other families are delivered by type alone`() throws {
    let kernel = ScriptedKernel()
    for (type, family) in Self.strange {
      kernel.announce(.kernel(oneMessage(type) { $0.append([family, 1, 2]) }))
    }
    #expect(try drain(kernel) == Drained(events: Self.strange.map { .other($0.0) }))
  }

  /// AF_BRIDGE, AF_PHONET, AF_MCTP and RTNL_FAMILY_IPMR.
  private static let strange: [(MessageType, UInt8)] = [
    (.newLink, 7), (.deleteLink, 45), (.newAddress, 35), (.deleteAddress, 45), (.newRoute, 45),
    (.deleteRoute, 128), (.newRule, 128), (.deleteRule, 128),
  ]

  @Test(arguments: [1, 8, 15])
  func `a datagram shorter than a header is a loss`(count: Int) throws {
    let kernel = ScriptedKernel()
    kernel.announce(.kernel(Array(link(1).bytes.prefix(count))))
    #expect(try drain(kernel) == Drained(events: [nil], malformedMessages: 1))
  }

  @Test func `an empty datagram delivers no event`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(.kernel([]), .kernel(link(1).bytes))
    #expect(try drain(kernel) == Drained(events: [link(1).event]))
  }

  @Test func `a datagram longer than the buffer is a loss and enlarges the buffer`() throws {
    let kernel = ScriptedKernel()
    let long = (1...1300).map { link(Int32($0)) }
    let datagram = long.flatMap(\.bytes)
    try #require(datagram.count > 32768)
    kernel.announce(.kernel(datagram), .kernel(link(1).bytes), .kernel(datagram))
    #expect(try drain(kernel) == Drained(events: [nil, link(1).event] + long.map(\.event), overruns: 1))
  }

  @Test func `a drain stops at its limit and leaves the rest queued`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(.kernel(link(1).bytes), .kernel(link(2).bytes), .kernel(link(3).bytes))
    var subscription = RouteSubscription(over: kernel)
    let none = try drain(&subscription, limit: 0)
    #expect(none == Drained(outcome: .limitReached))
    let two = try drain(&subscription, limit: 2)
    #expect(two == Drained(events: [link(1).event, link(2).event], outcome: .limitReached))
    #expect(kernel.waitingCount == 1)
    let rest = try drain(&subscription, limit: 2)
    #expect(rest == Drained(events: [link(3).event], outcome: .empty))
  }

  @Test func `a drain stops at its limit even if datagrams keep arriving`() throws {
    #expect(
      try drain(ScriptedKernel(idle: .failure(.noBufferSpace)), limit: 10)
        == Drained(events: Array(repeating: nil, count: 10), outcome: .limitReached, overruns: 10))
    #expect(
      try drain(ScriptedKernel(idle: .foreign([1])), limit: 10)
        == Drained(outcome: .limitReached, foreignDatagrams: 10))
    #expect(
      try drain(ScriptedKernel(idle: .kernel([1])), limit: 10)
        == Drained(events: Array(repeating: nil, count: 10), outcome: .limitReached, malformedMessages: 10))
    #expect(
      try drain(ScriptedKernel(idle: .kernel(link(1).bytes)), limit: 10)
        == Drained(events: Array(repeating: link(1).event, count: 10), outcome: .limitReached))
  }

  @Test func `a failed receive is an error after the events before it`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(.kernel(link(1).bytes), .failure(.accessDenied), .kernel(link(2).bytes))
    var subscription = RouteSubscription(over: kernel)
    var events: [RouteEvent?] = []
    #expect(throws: NetlinkError(.system, attempt: "receive changes", errno: .accessDenied)) {
      _ = try subscription.drain(limit: 100) { events.append($0) }
    }
    #expect(events == [link(1).event])
    let rest = try drain(&subscription)
    #expect(rest == Drained(events: [link(2).event]))
  }

  @Test func `an announcement of an unknown type is delivered by its number`() throws {
    let kernel = ScriptedKernel()
    kernel.announce(.kernel(oneMessage(MessageType(rawValue: 88)) { $0.append(UInt32(0)) }))
    #expect(try drain(kernel) == Drained(events: [.other(MessageType(rawValue: 88))]))
  }
}
#endif
