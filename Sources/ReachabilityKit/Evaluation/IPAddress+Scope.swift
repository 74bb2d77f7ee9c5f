extension IPAddress {
  /// Whether this is in `169.254.0.0/16` or `fe80::/10`, and so valid on its link only.
  var isLinkLocal: Bool {
    switch self {
    case .v4(let address): address.rawValue >> 16 == 0xa9fe
    case .v6(let address): address.rawValue >> 118 == 0xfe80 >> 6
    }
  }

  /// Whether a socket that is bound to an interface cannot be bound to this address of another interface.
  var isOfLink: Bool { needsZone || (bitWidth == 128 && isLoopback) }

  /// Whether this is an IPv4 multicast address, or `255.255.255.255`.
  var isGroupOrBroadcast: Bool {
    guard case .v4(let address) = self else { return false }
    return isMulticast || address.rawValue == .max
  }

  /// Whether TCP connects to no such address, whatever the routes.
  var isForDatagramsOnly: Bool { isMulticast || isGroupOrBroadcast }

  /// The address that a connection goes to: for the unspecified address, this machine.
  var connected: IPAddress {
    guard unmapped.isUnspecified else { return self }
    return unmapped.bitWidth == 32 ? "127.0.0.1" : "::1"
  }
}
