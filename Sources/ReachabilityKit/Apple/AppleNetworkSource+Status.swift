// watchOS has no reachability functions.
#if (canImport(Darwin) && !os(watchOS)) || APPLE_DOOR
import InternetProtocol

#if !canImport(Darwin)
import ReachabilityKit
#endif

extension AppleNetworkSource {
  /// Queries the system for the status of a target now.
  ///
  /// The system has no query for packets with a mark, nor for packets bound to an interface that is not the zone of their
  /// address. The status of such targets is unknown.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    var remote: InternetProtocol.IPAddress?
    switch target.destination {
    // A host is evaluated by its addresses, once these are known.
    case .host: return .unknown(.resolving)
    case .address(let address): remote = address
    case .defaultRoute: break
    }
    let needsZone = remote?.needsZone ?? false
    guard target.mark == nil, needsZone || target.interface == nil else { return .unknown(.systemError) }
    if needsZone, target.interface == nil { return .notReachable(.zoneMissing) }
    let zone = target.interface.map { AppleReachability.index(of: $0) ?? 0 }
    if zone == 0 { return .notReachable(.interfaceNotFound) }

    if let source = target.source {
      guard let own = AppleReachability.flags(to: source, zone: zone) else { return .unknown(.systemError) }
      guard own.contains(.isLocalAddress), source.family == remote?.family ?? source.family else {
        return .notReachable(.sourceAddressMissing)
      }
    }
    // The system ignores a loopback address as the source, or reports all destinations as local.
    let isFromLoopback = target.source?.isLoopback ?? false
    if remote == nil { remote = target.family.map { $0 == .v4 ? "0.0.0.0" : "::" } }
    let flags = AppleReachability.flags(to: remote, from: isFromLoopback ? nil : target.source, zone: zone)
    guard let flags else { return .unknown(.systemError) }
    if isFromLoopback, remote?.isLoopback != true, !flags.contains(.isLocalAddress) {
      return .notReachable(.sourceAddressMissing)
    }
    return ReachabilityStatus(flags, over: interface(for: target, zone, flags))
  }

  /// The outgoing interface, or the one that has the local address, where that is certain.
  private func interface(
    for target: ReachabilityTarget, _ zone: UInt32?, _ flags: ReachabilityStatus.Flags
  ) -> ReachabilityInterface? {
    if case .address(let address) = target.destination, address.isLoopback { return .loopback }
    let interfaces = evaluatePath().path.interfaces.map(\.interface)
    if flags.contains(.isWWAN) { return interfaces.first { $0.kind == .cellular } }
    if let zone { return interfaces.first { $0.index == Int(zone) } }
    return target == .defaultRoute ? interfaces.first : nil
  }
}
#endif
