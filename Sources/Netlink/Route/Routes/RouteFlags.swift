#if os(Linux)
/// The flags of a route, `RTM_F_…`, and of its next hop, `RTNH_F_…`.
package struct RouteFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The next hop is dead, `RTNH_F_DEAD`.
  package static let dead = RouteFlags(rawValue: 0x1)
  /// The next hop's link has no carrier, `RTNH_F_LINKDOWN`.
  package static let linkDown = RouteFlags(rawValue: 0x10)
  /// Created for one destination, for example by a redirect, `RTM_F_CLONED`.
  package static let cloned = RouteFlags(rawValue: 0x200)
  /// Requests the true table, `RTM_F_LOOKUP_TABLE`.
  package static let lookupTable = RouteFlags(rawValue: 0x1000)
  /// Requests the matching route instead of the resolved one, `RTM_F_FIB_MATCH`.
  package static let exactMatch = RouteFlags(rawValue: 0x2000)
  /// Requests the matching route and its true table.
  package static let exactLookup = RouteFlags(rawValue: 0x3000)
}
#endif
