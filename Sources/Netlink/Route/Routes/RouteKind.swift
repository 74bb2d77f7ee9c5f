#if os(Linux)
/// The effect of a route on a packet, `RTN_…`.
package struct RouteKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let unspecified = RouteKind(rawValue: 0)
  package static let unicast = RouteKind(rawValue: 1)
  /// Delivered on this machine.
  package static let local = RouteKind(rawValue: 2)
  package static let broadcast = RouteKind(rawValue: 3)
  package static let anycast = RouteKind(rawValue: 4)
  package static let multicast = RouteKind(rawValue: 5)
  package static let blackhole = RouteKind(rawValue: 6)
  package static let unreachable = RouteKind(rawValue: 7)
  package static let prohibit = RouteKind(rawValue: 8)
  package static let `throw` = RouteKind(rawValue: 9)
}
#endif
