import ReachabilityKit

/// What a target is about, in the engine's terms.
struct Subject: Sendable {
  enum Kind: Sendable {
    /// The default path or an address, perhaps with a local address: its status says it all.
    case address(ReachabilityTarget)
    /// A host: what its name stands for is found out while the target is scheduled.
    case host(ReachabilityTarget)
    /// A name that no resolver can know, such as a URL.
    case impossibleName
  }

  let kind: Kind
  /// What it is about, as Apple's description puts it.
  let label: String

  init(_ kind: Kind, label: String) {
    self.kind = kind
    self.label = label
  }

  /// The target whose status is known without resolving any name: its own, or else the default path's.
  var unscheduledTarget: ReachabilityTarget {
    switch kind {
    case .address(let target): target
    case .host(let target) where target.isLocalHost: target
    case .host, .impossibleName: .defaultRoute
    }
  }

  /// Whether the status of ``unscheduledTarget`` is its own.
  var isKnownUnscheduled: Bool {
    switch kind {
    case .address: true
    case .host(let target): target.isLocalHost
    case .impossibleName: false
    }
  }

  /// What the status of ``unscheduledTarget`` says of it.
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

/// What a callback depends on: it is due when one of these is another.
struct Reading: Equatable, Sendable {
  /// The flags, or `nil` while they can't be told.
  var flags: SCNetworkReachabilityFlags?
  /// The index of the interface, 0 for none.
  var interface = 0
  /// The addresses that the name stands for, in text form.
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

  /// Reads the default path's status for a name that is not resolved: it may well be there.
  init(optimistic general: ReachabilityStatus) {
    interface = general.interface?.index ?? 0
    guard general.state != .unknown else { return }
    flags = SCNetworkReachabilityFlags(rawValue: general.flags.rawValue)
      .subtracting([.isDirect, .isLocalAddress])
  }
}
