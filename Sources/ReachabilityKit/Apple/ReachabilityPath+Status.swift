#if canImport(Darwin) || APPLE_DOOR
import InternetProtocol

#if !canImport(Darwin)
import ReachabilityKit
#endif

extension ReachabilityPath {
  /// Returns the status of a target by the path alone, for watchOS, which has no other information.
  ///
  /// An address is as reachable as the default route of its family: the path does not contain routes to neighbours.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    var family = target.family
    switch target.destination {
    case .host: return .unknown(.resolving)
    case .defaultRoute: break
    case .address(let address) where address.needsZone && target.interface == nil:
      return .notReachable(.zoneMissing)
    case .address(let address): family = address.family
    }
    guard target.source == nil, target.interface == nil, target.mark == nil, status != .unknown else {
      return .unknown(.systemError)
    }
    if case .address(let address) = target.destination, address.isLoopback {
      return .init([.reachable, .isLocalAddress, .isDirect], over: .loopback)
    }
    let reason =
      switch family {
      case .v4: reasonAgainstIPv4
      case .v6: reasonAgainstIPv6
      case nil: reason
      }
    if reason == .linkDormant { return .init([.reachable, .connectionRequired], over: nil) }
    if let reason { return .notReachable(reason) }
    let interface = interfaces.first?.interface
    let isCellular = interface?.kind == .cellular
    return .init(isCellular ? [.reachable, .transientConnection, .isWWAN] : .reachable, over: interface)
  }
}
#endif
