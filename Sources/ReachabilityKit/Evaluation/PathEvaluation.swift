// SPDX-License-Identifier: Apache-2.0
/// The result of a path evaluation.
package struct PathEvaluation: Equatable, Sendable {
  /// The path without requirements.
  package var path: ReachabilityPath
  /// All interfaces that cannot be used now, whether or not the path lists them.
  package var unusable: [ReachabilityPath.UnusableInterface]
  /// The loopback interface, if it is up.
  var loopback: ReachabilityPath.Interface?
  /// How long the result is valid at most without an announcement of a change.
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

  /// The result if the system cannot be queried.
  package static func unknown(for lifetime: Duration?) -> PathEvaluation {
    PathEvaluation(
      ReachabilityPath(
        .unknown, reason: .systemError, reasonAgainstIPv4: .systemError, reasonAgainstIPv6: .systemError),
      lifetime: lifetime)
  }

  /// Whether a route for the prefix can change the path.
  func isTouched(by prefix: IPPrefix) -> Bool {
    routedAddresses.contains(where: prefix.contains)
  }

  /// The addresses whose routes decide the path.
  var routedAddresses: [ReachabilityAddress] { DefaultRoute.addresses + path.nameServers.map(\.address) }
}

// MARK: - Requirements

extension PathEvaluation {
  /// Returns the path over the interfaces that the requirements allow.
  package func path(for requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    if requirements.allowKernelChoice || path.status == .unknown { return path }
    let interfaces = (path.interfaces + (loopback.map { [$0] } ?? [])).filter {
      requirements.allows($0.interface.kind)
    }
    var result = path
    result.interfaces = interfaces
    result.isExpensive = interfaces.first?.isExpensive
    // The request for low data usage concerns the preferred interface only.
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
  /// The status of a path that is not satisfied, by its reason.
  init(_ reason: ReachabilityStatus.Reason) {
    switch reason {
    case .linkDormant: self = .requiresConnection
    case .systemError: self = .unknown
    default: self = .unsatisfied
    }
  }
}

extension [ReachabilityPath.UnusableInterface] {
  /// The reason of the interface that is closest to working.
  ///
  /// An interface that lacks only a route says more about the cause than one that is switched off.
  var mostHopefulReason: ReachabilityStatus.Reason? {
    let steps: [ReachabilityStatus.Reason] = [
      .interfaceDown, .noCarrier, .sourceAddressMissing, .noRoute, .linkDormant,
    ]
    return map(\.reason).max {
      (steps.firstIndex(of: $0) ?? steps.count) < (steps.firstIndex(of: $1) ?? steps.count)
    }
  }
}

extension ReachabilityPath.NameServer {
  /// The target of the C library's DNS queries.
  var target: ReachabilityTarget {
    ReachabilityTarget(.address(address.connected), interface: zone, transport: .udp, port: Self.port)
  }

  /// The port of name servers (RFC 1035, section 4.2).
  static var port: UInt16 { 53 }
}
