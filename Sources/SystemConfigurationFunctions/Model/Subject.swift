// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// The subject of a target, in the engine's terms.
struct Subject: Sendable {
  enum Kind: Sendable {
    /// The default path or an address, perhaps with a local address. Its status is complete without a lookup.
    case address(ReachabilityTarget)
    /// A host, whose name is resolved while the target is scheduled.
    case host(ReachabilityTarget)
    /// A name that no resolver can know, such as a URL.
    case impossibleName
  }

  let kind: Kind
  /// The subject in the words of Apple's description.
  let label: String

  init(_ kind: Kind, label: String) {
    self.kind = kind
    self.label = label
  }

  /// The target whose status is known without a lookup: the subject's own, or else the default path.
  var unscheduledTarget: ReachabilityTarget {
    switch kind {
    case .address(let target): target
    case .host(let target) where target.isLocalHost: target
    case .host, .impossibleName: .defaultRoute
    }
  }

  /// Whether ``unscheduledTarget`` is the subject's own target.
  var isKnownUnscheduled: Bool {
    switch kind {
    case .address: true
    case .host(let target): target.isLocalHost
    case .impossibleName: false
    }
  }

  /// Returns the subject's reading for a status of ``unscheduledTarget``.
  func unscheduledReading(_ status: ReachabilityStatus) -> Reading {
    isKnownUnscheduled ? Reading(of: status, about: self) : Reading(optimistic: status)
  }

  /// Whether this is an IPv4 link-local address, which is on every link (RFC 3927).
  var isIPv4LinkLocal: Bool {
    guard case .address(let target) = kind, case .address(.v4(let address)) = target.destination else {
      return false
    }
    return address.rawValue >> 16 == 0xa9fe
  }
}

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
    let status = monitor.currentStatus(of: unscheduledTarget)
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

/// The values whose changes make a callback due.
struct Reading: Equatable, Sendable {
  /// The flags, or `nil` while they are unknown.
  var flags: SCNetworkReachabilityFlags?
  /// The index of the interface, 0 for none.
  var interface = 0
  /// The addresses of the name, in text form.
  var addresses: [String] = []

  static func == (one: Reading, other: Reading) -> Bool {
    one.flags == other.flags && one.interface == other.interface
      && one.addresses.count == other.addresses.count
  }

  /// Reads a status.
  init(of status: ReachabilityStatus, about subject: Subject) {
    interface = status.interface?.index ?? 0
    addresses = status.addresses.map(\.address.description)
    guard status.state != .unknown else { return }
    var flags = SCNetworkReachabilityFlags(rawValue: status.flags.rawValue)
    // A default route takes such an address to a gateway, but its owner can only be on the link.
    if subject.isIPv4LinkLocal, status.isReachable,
      status.interface?.kind == .wired || status.interface?.kind == .wifi
    {
      flags.insert(.isDirect)
    }
    self.flags = flags
  }

  /// Reads the default path's status for a name that is not resolved, and may be reachable there.
  init(optimistic general: ReachabilityStatus) {
    interface = general.interface?.index ?? 0
    guard general.state != .unknown else { return }
    flags = SCNetworkReachabilityFlags(rawValue: general.flags.rawValue)
      .subtracting([.isDirect, .isLocalAddress])
  }
}
