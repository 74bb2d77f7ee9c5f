import ReachabilityKit

/// The local network, for which the link-local network's address stands: 169.254.0.0.
///
/// Linux has no route to that address without a default route, where Apple's systems have one on each wired or Wi-Fi
/// link. So the links are read instead.
extension Subject {
  /// Requirements that allow wired and Wi-Fi interfaces only.
  static let localInterfaces = ReachabilityPath.Requirements.prohibiting(
    .bluetooth, .cellular, .loopback, .other)

  /// Whether this is the link-local network's address itself.
  var isLocalNetwork: Bool {
    guard case .address(let target) = kind, target.source == nil, target.interface == nil,
      case .address(.v4(let address)) = target.destination
    else { return false }
    return address.rawValue == 0xa9fe_0000
  }

  /// Returns the status that is known without a lookup of a name.
  func unscheduledStatus(in monitor: ReachabilityMonitor) -> ReachabilityStatus {
    let status = monitor.status(of: unscheduledTarget)
    guard isLocalNetwork, status.leavesNoLocalInterface else { return status }
    guard let interface = monitor.path(Self.localInterfaces).localInterface else { return status }
    return ReachabilityStatus(.reachable, flags: [.reachable, .isDirect], interface: interface)
  }
}

extension ReachabilityStatus {
  /// Whether no packet leaves by a wired or Wi-Fi interface.
  fileprivate var leavesNoLocalInterface: Bool {
    switch state {
    case .unknown: false
    case .notReachable: true
    case .reachable: interface.map { $0.isTunnel || !Subject.localInterfaces.allows($0.kind) } ?? false
    }
  }
}

extension ReachabilityPath {
  /// The first interface with a carrier and a network's address, whether or not a route leads on from there.
  fileprivate var localInterface: ReachabilityInterface? {
    let dead: [ReachabilityStatus.Reason] = [
      .interfaceDown, .noCarrier, .linkDormant, .sourceAddressMissing,
    ]
    let others = unusableInterfaces.filter { !dead.contains($0.reason) && !$0.addresses.isEmpty }
    return (interfaces.map(\.interface) + others.map(\.interface)).first { !$0.isTunnel }
  }
}
