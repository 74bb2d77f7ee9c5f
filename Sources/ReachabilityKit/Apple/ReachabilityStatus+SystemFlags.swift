#if canImport(Darwin) || APPLE_DOOR
#if !canImport(Darwin)
import ReachabilityKit
#endif

extension ReachabilityStatus {
  /// Makes a status from the system's flags, which contain no reason.
  ///
  /// A connection that traffic establishes on demand counts as established.
  init(_ flags: Flags, over interface: ReachabilityInterface?) {
    let isMadeByTraffic =
      !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
      && !flags.contains(.interventionRequired)
    if !flags.contains(.reachable) {
      self.init(.notReachable, reason: .noRoute, flags: flags)
    } else if flags.contains(.connectionRequired), !isMadeByTraffic {
      self.init(.notReachable, reason: .linkDormant, flags: flags)
    } else {
      self.init(.reachable, flags: flags, interface: interface)
    }
  }
}
#endif
