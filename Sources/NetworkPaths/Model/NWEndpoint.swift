import ReachabilityKit

/// The end of a connection; a path has one for each router.
///
/// The Apple symbol is `NWEndpoint`, whose cases `url` and `opaque` are not declared here.
public enum NWEndpoint: Hashable, Sendable {
  /// A host, by name or address, and a port.
  case hostPort(host: NWEndpoint.Host, port: NWEndpoint.Port)
  /// A Bonjour service.
  case service(name: String, type: String, domain: String, interface: NWInterface?)
  /// A Unix domain socket.
  case unix(path: String)

  /// Creates the endpoint of a router.
  init(_ address: IPAddress, on interface: ReachabilityInterface) {
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
    case .unix: nil
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
    }
  }
}
