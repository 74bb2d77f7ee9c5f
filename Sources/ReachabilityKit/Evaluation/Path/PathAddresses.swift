extension IPAddress {
  /// Whether this is in `169.254.0.0/16` or `fe80::/10`, and so valid on its link only.
  var isLinkLocal: Bool {
    switch self {
    case .v4(let address): address.rawValue >> 16 == 0xa9fe
    case .v6(let address): address.rawValue >> 118 == 0xfe80 >> 6
    }
  }
}

extension AssignedAddress: Comparable {
  /// Whether the address can be a source: it is neither tentative nor a duplicate.
  var isUsable: Bool {
    // IFA_F_OPTIMISTIC, IFA_F_DADFAILED and IFA_F_TENTATIVE.
    flags & 0x08 == 0 && (flags & 0x40 == 0 || flags & 0x04 != 0)
  }

  /// Orders addresses for display: IPv4 before IPv6, link-local addresses last, then by number.
  ///
  /// Age does not count, since the kernel's messages do not contain it.
  package static func < (one: AssignedAddress, other: AssignedAddress) -> Bool {
    one.sortingKey < other.sortingKey
  }

  private var sortingKey: (Int, Int, UInt128, Int, UInt32) {
    let number: UInt128 =
      switch address {
      case .v4(let address): UInt128(address.rawValue)
      case .v6(let address): address.rawValue
      }
    return (address.bitWidth, address.isLinkLocal ? 1 : 0, number, prefix.length, flags)
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
