/// What is known of the ways out of this machine at one moment.
package struct PathEvaluation: Hashable, Sendable {
  /// The path without requirements.
  package var path: ReachabilityPath
  /// All interfaces that are of no use now, whether or not the path says so.
  package var unusable: [ReachabilityPath.UnusableInterface]
  /// The loopback interface, if it is up.
  package var loopback: ReachabilityPath.Interface?
  /// How long this can hold at most without any announcement of a change.
  package var lifetime: Duration?

  package init(
    _ path: ReachabilityPath, unusable: [ReachabilityPath.UnusableInterface] = [],
    loopback: ReachabilityPath.Interface? = nil, lifetime: Duration? = nil
  ) {
    self.path = path
    self.unusable = unusable
    self.loopback = loopback
    self.lifetime = lifetime
  }

  /// What is known when the system can't be asked.
  package static func unknown(for lifetime: Duration?) -> PathEvaluation {
    PathEvaluation(
      ReachabilityPath(
        .unknown, reason: .systemError, reasonAgainstIPv4: .systemError, reasonAgainstIPv6: .systemError),
      lifetime: lifetime)
  }

  /// Whether a route for the prefix decides about the path.
  package func isTouched(by prefix: IPPrefix) -> Bool {
    routedAddresses.contains(where: prefix.contains)
  }

  /// The addresses whose routes decide about the path.
  var routedAddresses: [IPAddress] { Evaluator.defaultRouteAddresses + path.nameServers.map(\.address) }
}

// MARK: - Requirements

extension PathEvaluation {
  /// The path that is left under requirements.
  package func path(for requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    if requirements.allowKernelChoice || path.status == .unknown { return path }
    let interfaces = (path.interfaces + (loopback.map { [$0] } ?? [])).filter {
      requirements.allows($0.interface.kind)
    }
    var result = path
    result.interfaces = interfaces
    result.isExpensive = interfaces.first?.isExpensive
    // Who wants little traffic says so of the interface that is preferred.
    if interfaces.first != path.interfaces.first { result.isConstrained = nil }
    guard interfaces.isEmpty else {
      result.status = .satisfied
      result.reason = nil
      result.unusableInterfaces = []
      result.reasonAgainstIPv4 =
        interfaces.contains(where: \.supportsIPv4) ? nil : path.reasonAgainstIPv4 ?? .noRoute
      result.reasonAgainstIPv6 =
        interfaces.contains(where: \.supportsIPv6) ? nil : path.reasonAgainstIPv6 ?? .noRoute
      return result
    }
    result.unusableInterfaces = unusable.filter { requirements.allows($0.interface.kind) }
    let reason = result.unusableInterfaces.mostHopefulReason ?? .interfaceNotFound
    result.status = ReachabilityPath.Status(reason)
    result.reason = reason
    result.reasonAgainstIPv4 = reason
    result.reasonAgainstIPv6 = reason
    for position in result.nameServers.indices { result.nameServers[position].reason = reason }
    if result.hasNameServer != nil { result.hasNameServer = false }
    return result
  }
}

extension ReachabilityPath.Status {
  /// The status of a path that is not satisfied for a reason.
  init(_ reason: ReachabilityStatus.Reason) {
    switch reason {
    case .linkDormant: self = .requiresConnection
    case .systemError: self = .unknown
    default: self = .unsatisfied
    }
  }
}

extension [ReachabilityPath.UnusableInterface] {
  /// The reason of the interface that has come furthest.
  ///
  /// One that lacks only a route says more of what is wrong than one that somebody switched off.
  var mostHopefulReason: ReachabilityStatus.Reason? {
    let steps: [ReachabilityStatus.Reason] = [
      .interfaceDown, .noCarrier, .sourceAddressMissing, .noRoute, .linkDormant,
    ]
    return map(\.reason).max {
      (steps.firstIndex(of: $0) ?? steps.count) < (steps.firstIndex(of: $1) ?? steps.count)
    }
  }
}
