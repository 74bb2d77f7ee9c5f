// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Testing
@testable import Netlink

extension Expectation {
  static let routes = [
    Expectation(
      "route-ipv4-default",
      MessageHeader(length: 60, type: .newRoute, flags: added, sequence: 1_795_237_555, port: 5257)
    ) { _ in .route(ipv4Default) },
    Expectation(
      "route-ipv4-exact",
      MessageHeader(length: 60, type: .newRoute, flags: [], sequence: 6, port: 2_596_897_310)
    ) { _ in .route(ipv4Default) },
    Expectation(
      "route-ipv4-lookup",
      MessageHeader(length: 112, type: .newRoute, flags: [], sequence: 5, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "192.0.2.1", 32)) {
          $0.origin = 0
          $0.flags = .cloned
          $0.interface = 2
          $0.gateway = "10.1.0.254"
          $0.preferredSource = "10.1.0.1"
        })
    },
    Expectation(
      "route-ipv4-multipath",
      MessageHeader(length: 80, type: .newRoute, flags: added, sequence: 1_795_237_555, port: 5261)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "10.50.0.0", 16)) {
          $0.nextHops = [hop(2, via: "10.1.0.2", weight: 0), hop(3, via: "10.2.0.2", weight: 2)]
        })
    },
    Expectation(
      "route-ipv4-via-inet6",
      MessageHeader(length: 76, type: .newRoute, flags: [], sequence: 7, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "192.0.2.0", 24)) {
          $0.interface = 2
          $0.gateway = "fe80::1"
        })
    },
    Expectation(
      "route-ipv6-expiring",
      MessageHeader(length: 116, type: .newRoute, flags: [], sequence: 9, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv6, nil, 0)) {
          $0.interface = 2
          $0.gateway = "fd00:1::fe"
          $0.priority = 1024
          $0.expires = 60000
        })
    },
    Expectation(
      "route-ipv6-lookup",
      MessageHeader(length: 176, type: .newRoute, flags: [], sequence: 10, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv6, "fd00:99::1", 128)) {
          $0.sourceLength = 128
          $0.sourceNetwork = "::"
          $0.interface = 2
          $0.gateway = "fd00:1::fe"
          $0.preferredSource = "fd00:77::1"
          $0.priority = 1024
        })
    },
    Expectation(
      "route-ipv6-segment",
      MessageHeader(length: 216, type: .newRoute, flags: [], sequence: 21, port: 27961)
    ) { _ in
      .route(
        with(mainRoute(.ipv6, "fd09::1", 128)) {
          $0.sourceLength = 128
          $0.sourceNetwork = "::"
          $0.interface = 3
          $0.preferredSource = "fd00:1::1"
          $0.priority = 1024
          $0.encapsulation = .segment("fd02::2")
        })
    },
    Expectation(
      "route-ipv6-multipath",
      MessageHeader(length: 168, type: .newRoute, flags: [], sequence: 8, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv6, "fd00:50::", 48)) {
          $0.priority = 1024
          $0.nextHops = [hop(3, via: "fd00:2::2", weight: 2), hop(2, via: "fd00:1::2", weight: 0)]
        })
    },
    Expectation(
      "route-local",
      MessageHeader(length: 104, type: .newRoute, flags: [], sequence: 11, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "10.1.0.1", 32)) {
          $0.origin = 0
          $0.kind = .local
          $0.flags = RouteFlags(rawValue: 0x8000_0200)
          $0.interface = 1
          $0.preferredSource = "10.1.0.1"
        })
    },
    Expectation(
      "route-metrics",
      MessageHeader(length: 116, type: .newRoute, flags: added, sequence: 1_795_237_556, port: 5271)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "10.70.0.0", 16)) {
          $0.interface = 2
          $0.gateway = "10.1.0.2"
        })
    },
    Expectation(
      "route-nexthop-id",
      MessageHeader(length: 68, type: .newRoute, flags: [], sequence: 12, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "10.80.0.0", 16)) {
          $0.nextHopID = 5
          $0.interface = 2
          $0.gateway = "10.1.0.20"
        })
    },
    Expectation(
      "route-blackhole",
      MessageHeader(length: 44, type: .newRoute, flags: added, sequence: 1_795_237_556, port: 5267)
    ) { _ in .route(with(mainRoute(.ipv4, "10.60.0.0", 16)) { $0.kind = .blackhole }) },
    Expectation(
      "route-removed",
      MessageHeader(length: 44, type: .deleteRoute, flags: [], sequence: 1_795_237_556, port: 5269)
    ) { _ in .routeRemoved(with(mainRoute(.ipv4, "10.60.0.0", 16)) { $0.kind = .blackhole }) },
  ]

  /// Returns the route of a recording.
  static func route(_ fixture: String) throws -> RouteMessage {
    let expectation = try #require(routes.first { $0.fixture == fixture })
    guard case .event(.route(let route)) = try expectation.content(Fixture(fixture)) else {
      throw FixtureError(line: fixture)
    }
    return route
  }

  /// The flags of the request that an announcement repeats: `NLM_F_EXCL` and `NLM_F_CREATE`.
  private static let added = MessageFlags(rawValue: 0x600)

  private static let ipv4Default = with(mainRoute(.ipv4, nil, 0)) {
    $0.origin = 4
    $0.interface = 2
    $0.gateway = "10.1.0.254"
    $0.priority = 100
  }

  /// A manually created unicast route of the main table.
  private static func mainRoute(
    _ family: AddressFamily, _ destination: ReachabilityAddress?, _ length: UInt8
  ) -> RouteMessage {
    with(RouteMessage()) {
      $0.family = family
      $0.destination = destination
      $0.destinationLength = length
      $0.table = 254
      $0.origin = 3
      $0.kind = .unicast
    }
  }

  private static func hop(_ interface: Int32, via gateway: ReachabilityAddress, weight: UInt8) -> NextHop {
    with(NextHop()) {
      $0.interface = interface
      $0.gateway = gateway
      $0.weight = weight
    }
  }
}
#endif
