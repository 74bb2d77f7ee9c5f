// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// Which announcements may arrive before the kernel has made the change.
@Suite(.deadline) struct UnfinishedChangeTests {
  /// An IPv4 route of a program, unless another origin is given (2 is the kernel).
  private func route(
    _ kind: RouteKind = .unicast, gateway: ReachabilityAddress? = "10.1.0.254", over index: Int32? = 2,
    origin: UInt8 = 4, family: AddressFamily = .ipv4
  ) -> RouteMessage {
    var route = RouteMessage.to(family == .ipv4 ? "10.9.0.0" : "fd00:9::", 32, family)
    route.kind = kind
    route.table = 254
    route.origin = origin
    route.gateway = gateway
    route.interface = index
    return route
  }

  private func unfinished(_ events: RouteEvent?...) -> UnfinishedChange {
    var change = UnfinishedChange()
    for event in events {
      switch event {
      case nil: change.recordLoss()
      case .route(let route): change.record(route, isRemoved: false)
      case .routeRemoved(let route): change.record(route, isRemoved: true)
      case let event?: change.record(event)
      }
    }
    return change
  }

  private let answer = RouteAnswer.success(
    RouteMessage(.unicast, interface: 2, gateway: "10.1.0.254", source: "10.1.0.1"))

  @Test func `a program's IPv4 routes need no wait for the kernel`() {
    let change = unfinished(.route(route()), .routeRemoved(route()), .other(MessageType(rawValue: 88)))
    #expect(!change.isInProgress)
    #expect(!unfinished(.route(route())).mayContain(answer))
  }

  @Test func `all other announcements, and losses, need it`() {
    var rule = Rule()
    rule.family = .ipv4
    let events: [RouteEvent?] = [
      nil, .link(.ethernet(2, "eth0")), .linkRemoved(.ethernet(2, "eth0")),
      .address(.ipv4("10.1.0.1", 24, on: 2)), .addressRemoved(.ipv4("10.1.0.1", 24, on: 2)),
      .rule(rule), .ruleRemoved(rule), .nextHop, .configuration,
      .route(route(origin: 2)), .routeRemoved(route(origin: 2)),
      .route(route(gateway: nil, family: .ipv6)), .routeRemoved(route(gateway: nil, family: .ipv6)),
    ]
    for event in events { #expect(unfinished(event).isInProgress, "\(String(describing: event))") }
  }

  @Test func `an answer that may be a deleted route is suspect, and no other one`() {
    let change = unfinished(.routeRemoved(route()))
    #expect(change.mayContain(answer))
    let others = [
      RouteMessage(.unicast, interface: 3, gateway: "10.1.0.254"), RouteMessage(.unicast, interface: 2),
      RouteMessage(.local, interface: 2, gateway: "10.1.0.254"),
      RouteMessage(.unicast, interface: 2, gateway: "10.1.0.254", table: 66),
    ]
    for other in others { #expect(!change.mayContain(.route(other)), "\(other)") }
    #expect(!change.mayContain(.failure(.networkUnreachable)))
  }

  @Test func `of several next hops any may be in the answer`() {
    var (several, object) = (route(gateway: nil, over: nil), route())
    several.nextHops = [NextHop(), NextHop()]
    object.nextHopID = 9
    let other = RouteAnswer.success(RouteMessage(.unicast, interface: 7))
    #expect(unfinished(.routeRemoved(several)).mayContain(other))
    #expect(unfinished(.routeRemoved(object)).mayContain(other))
  }

  @Test func `the refusal of a deleted route is suspect, and no other refusal`() {
    let refusals: [(RouteKind, RouteRefusal)] = [
      (.blackhole, .invalid), (.unreachable, .hostUnreachable), (.prohibit, .accessDenied),
    ]
    for (kind, _) in refusals {
      let change = unfinished(.routeRemoved(route(kind, gateway: nil, over: nil)))
      for (other, refusal) in refusals {
        #expect(change.mayContain(.failure(refusal)) == (kind == other))
      }
      #expect(!change.mayContain(answer))
    }
  }

  @Test func `behind a deleted route that goes on in another table, any answer is suspect`() {
    let change = unfinished(.routeRemoved(route(.throw, gateway: nil, over: nil)))
    #expect(change.mayContain(answer))
    #expect(change.mayContain(.failure(.networkUnreachable)))
  }

  @Test func `many deleted routes need a wait for the kernel, instead of comparisons`() {
    var change = UnfinishedChange()
    for _ in 0..<16 { change.record(route(), isRemoved: true) }
    change.record(route(), isRemoved: false)
    #expect(!change.isInProgress)
    change.record(route(), isRemoved: true)
    #expect(change.isInProgress)
  }
}
#endif
