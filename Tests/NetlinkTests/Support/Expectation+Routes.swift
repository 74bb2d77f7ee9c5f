#if os(Linux)
import InternetProtocol
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
          $0.outputInterface = 2
          $0.gateway = "10.1.0.254"
          $0.preferredSource = "10.1.0.1"
          $0.userID = 0
          $0.cacheInfo = cacheInfo(references: 2)
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
          $0.outputInterface = 2
          $0.gateway = "fe80::1"
        })
    },
    Expectation(
      "route-ipv6-expiring",
      MessageHeader(length: 116, type: .newRoute, flags: [], sequence: 9, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv6, nil, 0)) {
          $0.outputInterface = 2
          $0.gateway = "fd00:1::fe"
          $0.priority = 1024
          $0.cacheInfo = cacheInfo(expires: 60000)
          $0.unknown = [mediumPreference]
        })
    },
    Expectation(
      "route-ipv6-lookup",
      MessageHeader(length: 176, type: .newRoute, flags: [], sequence: 10, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv6, "fd00:99::1", 128)) {
          $0.sourceLength = 128
          $0.source = "::"
          $0.outputInterface = 2
          $0.gateway = "fd00:1::fe"
          $0.preferredSource = "fd00:77::1"
          $0.priority = 1024
          $0.cacheInfo = cacheInfo(references: 2)
          $0.unknown = [mediumPreference]
        })
    },
    Expectation(
      "route-ipv6-segment",
      MessageHeader(length: 216, type: .newRoute, flags: [], sequence: 21, port: 27961)
    ) { _ in
      .route(
        with(mainRoute(.ipv6, "fd09::1", 128)) {
          $0.sourceLength = 128
          $0.source = "::"
          $0.outputInterface = 3
          $0.preferredSource = "fd00:1::1"
          $0.priority = 1024
          $0.cacheInfo = cacheInfo(references: 2)
          $0.unknown = [segments, RawAttribute(type: 21, value: [5, 0]), mediumPreference]
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
          $0.cacheInfo = cacheInfo()
          $0.unknown = [mediumPreference]
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
          $0.outputInterface = 1
          $0.preferredSource = "10.1.0.1"
          $0.userID = 0
          $0.cacheInfo = cacheInfo(references: 1)
        })
    },
    Expectation(
      "route-metrics",
      MessageHeader(length: 116, type: .newRoute, flags: added, sequence: 1_795_237_556, port: 5271)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "10.70.0.0", 16)) {
          $0.outputInterface = 2
          $0.gateway = "10.1.0.2"
          $0.unknown = [metrics]
        })
    },
    Expectation(
      "route-nexthop-id",
      MessageHeader(length: 68, type: .newRoute, flags: [], sequence: 12, port: 2_596_897_310)
    ) { _ in
      .route(
        with(mainRoute(.ipv4, "10.80.0.0", 16)) {
          $0.nextHopID = 5
          $0.outputInterface = 2
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

  /// The flags of the request that an announcement repeats: `NLM_F_EXCL` and `NLM_F_CREATE`.
  private static let added = MessageFlags(rawValue: 0x600)

  private static let ipv4Default = with(mainRoute(.ipv4, nil, 0)) {
    $0.origin = 4
    $0.outputInterface = 2
    $0.gateway = "10.1.0.254"
    $0.priority = 100
  }

  /// A manually created unicast route of the main table.
  private static func mainRoute(
    _ family: AddressFamily, _ destination: IPAddress?, _ length: UInt8
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

  private static func hop(_ interface: Int32, via gateway: IPAddress, weight: UInt8) -> NextHop {
    with(NextHop()) {
      $0.outputInterface = interface
      $0.gateway = gateway
      $0.weight = weight
    }
  }

  private static func cacheInfo(references: UInt32 = 0, expires: Int32 = 0) -> CacheInfo {
    CacheInfo(references: references, expires: expires)
  }

  /// `RTA_PREF`, "medium".
  private static let mediumPreference = RawAttribute(type: 20, value: [0])

  /// `RTA_ENCAP`: the segments `fd02::2` and `fd03::3`.
  private static let segments = RawAttribute(
    type: 22,
    value: [
      0x30, 0, 1, 0, 1, 0, 0, 0, 0, 4, 4, 1, 1, 0, 0, 0,
      0xfd, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3,
      0xfd, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    ])

  /// `RTA_METRICS`: the MTU 1400 (locked), the window 65535, the advertised segment size 1360, the first
  /// congestion window 20 and the congestion control "cubic".
  private static let metrics = RawAttribute(
    type: 8,
    value: [
      8, 0, 1, 0, 4, 0, 0, 0,
      8, 0, 2, 0, 0x78, 5, 0, 0,
      8, 0, 3, 0, 0xff, 0xff, 0, 0,
      8, 0, 8, 0, 0x50, 5, 0, 0,
      8, 0, 11, 0, 20, 0, 0, 0,
      10, 0, 16, 0, 0x63, 0x75, 0x62, 0x69, 0x63, 0, 0, 0,
    ])
}
#endif
