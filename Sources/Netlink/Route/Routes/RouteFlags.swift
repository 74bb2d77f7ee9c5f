#if os(Linux)
/// The flags of a route, `RTM_F_…`, and of its next hop, `RTNH_F_…`.
package struct RouteFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The next hop is dead, `RTNH_F_DEAD`.
  package static var dead: RouteFlags { RouteFlags(rawValue: 0x1) }
  /// The next hop's link has no carrier, `RTNH_F_LINKDOWN`.
  package static var linkDown: RouteFlags { RouteFlags(rawValue: 0x10) }
  /// Created for one destination, for example by a redirect, `RTM_F_CLONED`.
  package static var cloned: RouteFlags { RouteFlags(rawValue: 0x200) }
  /// Requests the true table, `RTM_F_LOOKUP_TABLE`.
  package static var lookupTable: RouteFlags { RouteFlags(rawValue: 0x1000) }
  /// Requests the matching route instead of the resolved one, `RTM_F_FIB_MATCH`.
  package static var exactMatch: RouteFlags { RouteFlags(rawValue: 0x2000) }
  /// Requests the matching route and its true table.
  package static var exactLookup: RouteFlags { RouteFlags(rawValue: 0x3000) }
}
#endif
