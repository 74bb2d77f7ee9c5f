#if os(Linux)
/// The effect of a route on a packet, `RTN_…`.
package struct RouteKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static var unspecified: RouteKind { RouteKind(rawValue: 0) }
  package static var unicast: RouteKind { RouteKind(rawValue: 1) }
  /// Delivered on this machine.
  package static var local: RouteKind { RouteKind(rawValue: 2) }
  package static var broadcast: RouteKind { RouteKind(rawValue: 3) }
  package static var anycast: RouteKind { RouteKind(rawValue: 4) }
  package static var multicast: RouteKind { RouteKind(rawValue: 5) }
  package static var blackhole: RouteKind { RouteKind(rawValue: 6) }
  package static var unreachable: RouteKind { RouteKind(rawValue: 7) }
  package static var prohibit: RouteKind { RouteKind(rawValue: 8) }
  package static var `throw`: RouteKind { RouteKind(rawValue: 9) }
}
#endif
