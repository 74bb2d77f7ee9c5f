import ReachabilityKit

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
