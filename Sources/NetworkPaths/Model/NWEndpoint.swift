// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import ReachabilityKit

/// The end of a connection; a path has one for each router.
///
/// The Apple symbol is `NWEndpoint`.
public enum NWEndpoint: Hashable, Sendable {
  /// A host, by name or address, and a port.
  case hostPort(host: NWEndpoint.Host, port: NWEndpoint.Port)
  /// A Bonjour service.
  case service(name: String, type: String, domain: String, interface: NWInterface?)
  /// A Unix domain socket.
  case unix(path: String)
  /// The host and port of a URL.
  case url(URL)
  /// An endpoint of a kind that has no case; never made here.
  case opaque(nw_endpoint_t)

  /// Creates the endpoint of a router.
  init(_ address: ReachabilityAddress, on interface: ReachabilityInterface) {
    let host: Host =
      switch address {
      case .v4(let address): .ipv4(IPv4Address(address))
      case .v6(let number): .ipv6(IPv6Address(number, address.needsZone ? NWInterface(interface) : nil))
      }
    self = .hostPort(host: host, port: .any)
  }

  /// The interface that the endpoint belongs to, or `nil` for any.
  public var interface: NWInterface? {
    switch self {
    case .hostPort(let host, _): host.interface
    case .service(_, _, _, let interface): interface
    case .unix, .url, .opaque: nil
    }
  }
}

extension NWEndpoint: CustomDebugStringConvertible {
  /// The text as Apple's systems print it, for example `10.1.0.254:0` or `fe80::1%eth0.0`.
  public var debugDescription: String {
    switch self {
    case .hostPort(let host, let port):
      if case .ipv6 = host { "\(host).\(port)" } else { "\(host):\(port)" }
    case .service(let name, let type, let domain, let interface):
      "\(name).\(type).\(domain)\(interface.map { "%\($0)" } ?? "")"
    case .unix(let path): path
    case .url(let url): url.absoluteString
    case .opaque: "opaque"
    }
  }

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

extension NWEndpoint {
  /// A port of TCP or UDP.
  public struct Port: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// Creates a port from a number; optional because Apple's initializer is.
    public init?(rawValue: UInt16) {
      self.init(integerLiteral: rawValue)
    }

    /// Creates a port from a number in text form, or the name of one of the ports below; any other text returns `nil`.
    ///
    /// Apple's also takes the names of the system's list of services.
    public init?(_ text: String) {
      guard let port = UInt16(text).map(Port.init(integerLiteral:)) ?? Self.known[text] else { return nil }
      self = port
    }
  }
}

extension NWEndpoint.Port {
  /// Any port, 0.
  public static let any: Self = 0
  /// Secure Shell, 22.
  public static let ssh: Self = 22
  /// The Simple Mail Transfer Protocol, 25.
  public static let smtp: Self = 25
  /// The Hypertext Transfer Protocol, 80.
  public static let http: Self = 80
  /// The Post Office Protocol, 110.
  public static let pop: Self = 110
  /// The Internet Message Access Protocol, 143.
  public static let imap: Self = 143
  /// HTTP over TLS, 443.
  public static let https: Self = 443
  /// IMAP over TLS, 993.
  public static let imaps: Self = 993
  /// The SOCKS proxy protocol, 1080.
  public static let socks: Self = 1080

  private static let known: [String: Self] = [
    "ssh": .ssh, "smtp": .smtp, "http": .http, "pop3": .pop, "imap": .imap, "https": .https, "imaps": .imaps,
    "socks": .socks,
  ]
}

extension NWEndpoint.Port: ExpressibleByIntegerLiteral {
  /// Creates a port from a number.
  public init(integerLiteral number: UInt16) { rawValue = number }
}

extension NWEndpoint.Port: CustomDebugStringConvertible {
  /// The number.
  public var debugDescription: String { "\(rawValue)" }
}

/// An endpoint as an object of C; no function here makes one.
///
/// The Apple symbol is `nw_endpoint_t`.
public typealias nw_endpoint_t = OS_nw_endpoint

/// The type of ``nw_endpoint_t``, equal by identity.
///
/// The Apple symbol is `OS_nw_endpoint`, a protocol there.
public final class OS_nw_endpoint: Hashable, Sendable {
  init() {}

  /// Whether both are the same object.
  public static func == (one: OS_nw_endpoint, other: OS_nw_endpoint) -> Bool { one === other }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
