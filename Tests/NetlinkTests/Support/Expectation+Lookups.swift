#if os(Linux)
import InternetProtocol
import Testing
@testable import Netlink

extension Expectation {
  /// The expected lookup replies of the recorded routes: exactly the packet-related parts.
  static func lookups() throws -> [String: LookupReply] {
    [
      "route-ipv4-default": try lookup { $0.toGateway("10.1.0.254", priority: 100) },
      "route-ipv4-exact": try lookup { $0.toGateway("10.1.0.254", priority: 100) },
      "route-ipv4-lookup": try lookup {
        $0.toGateway("10.1.0.254", length: 32)
        $0.flags = .cloned
        $0.preferredSource = "10.1.0.1"
      },
      "route-ipv4-multipath": try lookup {
        $0.destinationLength = 16
        $0.nextHops = [.via("10.1.0.2", over: 2, weight: 0), .via("10.2.0.2", over: 3, weight: 2)]
      },
      "route-ipv4-via-inet6": try lookup { $0.toGateway("fe80::1", length: 24) },
      "route-ipv6-expiring": try lookup {
        $0.toGateway("fd00:1::fe", priority: 1024)
        $0.expires = 60000
      },
      "route-ipv6-lookup": try lookup {
        $0.toGateway("fd00:1::fe", length: 128, priority: 1024)
        $0.preferredSource = "fd00:77::1"
      },
      "route-ipv6-segment": try lookup {
        $0.destinationLength = 128
        $0.priority = 1024
        $0.outputInterface = 3
        $0.preferredSource = "fd00:1::1"
        $0.encapsulation = .segment("fd02::2")
      },
      "route-ipv6-multipath": try lookup {
        $0.destinationLength = 48
        $0.priority = 1024
        $0.nextHops = [.via("fd00:2::2", over: 3, weight: 2), .via("fd00:1::2", over: 2, weight: 0)]
      },
      "route-local": try lookup {
        $0.kind = .local
        $0.flags = RouteFlags(rawValue: 0x8000_0200)
        $0.destinationLength = 32
        $0.outputInterface = 1
        $0.preferredSource = "10.1.0.1"
      },
      "route-metrics": try lookup { $0.toGateway("10.1.0.2", length: 16) },
      "route-nexthop-id": try lookup { $0.toGateway("10.1.0.20", length: 16) },
      "route-blackhole": try lookup {
        $0.kind = .blackhole
        $0.destinationLength = 16
      },
      "route-removed": try lookup {
        $0.kind = .blackhole
        $0.destinationLength = 16
      },
    ]
  }

  /// Returns the expected lookup reply of a recorded route.
  static func lookup(_ fixture: String) throws -> LookupReply {
    try #require(try lookups()[fixture])
  }

  /// A unicast route of the main table.
  private static func lookup(_ change: (inout LookupReply) -> Void) throws -> LookupReply {
    let template = [UInt8](repeating: 0, count: 12)
    var reply = try LookupReply(decoding: RawSpan(_elements: template.span), in: 0..<12)
    reply.kind = .unicast
    reply.table = 254
    change(&reply)
    return reply
  }
}

extension LookupReply {
  fileprivate mutating func toGateway(_ gateway: IPAddress, length: UInt8 = 0, priority: UInt32 = 0) {
    self.gateway = gateway
    outputInterface = 2
    destinationLength = length
    self.priority = priority
  }
}

extension NextHop {
  fileprivate static func via(_ gateway: IPAddress, over interface: Int32, weight: UInt8) -> NextHop {
    with(NextHop()) {
      $0.gateway = gateway
      $0.outputInterface = interface
      $0.weight = weight
    }
  }
}
#endif
