extension NWEndpoint {
  /// A host, by name or address.
  public enum Host: Hashable, Sendable {
    /// A name to look up, and the interface to use.
    case name(String, NWInterface?)
    /// An IPv4 address.
    case ipv4(IPv4Address)
    /// An IPv6 address.
    case ipv6(IPv6Address)

    /// Creates a host from an address in text form, or else from a name.
    public init(_ text: String) {
      if let address = IPv4Address(text) {
        self = .ipv4(address)
      } else if let address = IPv6Address(text) {
        self = .ipv6(address)
      } else {
        self = .name(text, nil)
      }
    }

    /// The interface that the host is reached by, or `nil` for any.
    public var interface: NWInterface? {
      switch self {
      case .name(_, let interface): interface
      case .ipv4(let address): address.interface
      case .ipv6(let address): address.interface
      }
    }
  }
}

extension NWEndpoint.Host: ExpressibleByStringLiteral {
  /// Creates a host from an address in text form, or else from a name.
  public init(stringLiteral text: String) { self.init(text) }
}

extension NWEndpoint.Host: CustomDebugStringConvertible {
  /// The name or the address, with its interface if it has one, for example `fe80::1%eth0`.
  public var debugDescription: String {
    switch self {
    case .name(let name, let interface): "\(name)\(interface.map { "%\($0)" } ?? "")"
    case .ipv4(let address): "\(address)"
    case .ipv6(let address): "\(address)"
    }
  }
}
