#if canImport(Darwin) || APPLE_DOOR
import InternetProtocol

#if canImport(Darwin)
import Network
#else
import ReachabilityKit
#endif

// Both InternetProtocol and Network have an `IPAddress`, so it is written with its module's name here.

extension PathEvaluation {
  /// What the system's path says.
  ///
  /// Of interfaces that it does not use it says nothing.
  init(_ path: NWPath) {
    let read = ReachabilityPath(path)
    let loopback = ReachabilityPath.Interface(
      .loopback, addresses: [.init("127.0.0.1", prefixLength: 8), .init("::1", prefixLength: 128)],
      supportsIPv6: true, isExpensive: false)
    self.init(read, unusable: read.unusableInterfaces, loopback: loopback)
  }
}

extension ReachabilityPath {
  /// Reads the system's path.
  ///
  /// It tells the families and what is expensive of the path as a whole: of an interface other than the first they are
  /// a guess. Addresses, the largest packet and the name servers' addresses it does not tell. The Apple symbol is
  /// `NWPath`.
  init(_ path: NWPath) {
    let interfaces = path.availableInterfaces.map { ReachabilityInterface($0) }
    if let reason = path.reason {
      self.init(
        path.status == .requiresConnection ? .requiresConnection : .unsatisfied, reason: reason,
        unusableInterfaces: interfaces.map { UnusableInterface($0, reason: reason) },
        reasonAgainstIPv4: reason, reasonAgainstIPv6: reason)
      hasNameServer = false
      return
    }
    self.init(
      .satisfied,
      interfaces: interfaces.enumerated().map { position, interface in
        Interface(
          interface, gateways: path.gateways(on: interface, isFirst: position == 0),
          supportsIPv4: path.supportsIPv4, supportsIPv6: path.supportsIPv6,
          isExpensive: position == 0 ? path.isExpensive : interface.kind == .cellular ? true : nil)
      },
      reasonAgainstIPv4: path.supportsIPv4 ? nil : .noRoute,
      reasonAgainstIPv6: path.supportsIPv6 ? nil : .noRoute,
      isExpensive: path.isExpensive, isConstrained: path.isConstrained)
    hasNameServer = path.supportsDNS
  }

  /// The status of a target as far as the path tells it, which is all there is on watchOS.
  ///
  /// An address is as reachable as the default route of its family: of those on the link nothing is known.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    var family = target.family
    switch target.destination {
    case .host: return .unknown(.resolving)
    case .defaultRoute: break
    case .address(let address) where address.needsZone && target.interface == nil:
      return .notReachable(.zoneMissing)
    case .address(let address): family = address.family
    }
    guard target.source == nil, target.interface == nil, target.mark == nil, status != .unknown else {
      return .unknown(.systemError)
    }
    if case .address(let address) = target.destination, address.isLoopback {
      return .init([.reachable, .isLocalAddress, .isDirect], over: .loopback)
    }
    let reason =
      switch family {
      case .v4: reasonAgainstIPv4
      case .v6: reasonAgainstIPv6
      case nil: reason
      }
    if reason == .linkDormant { return .init([.reachable, .connectionRequired], over: nil) }
    if let reason { return .notReachable(reason) }
    let interface = interfaces.first?.interface
    let isCellular = interface?.kind == .cellular
    return .init(isCellular ? [.reachable, .transientConnection, .isWWAN] : .reachable, over: interface)
  }
}

extension ReachabilityStatus {
  /// Reads the system's flags, which do not tell why nothing leaves.
  ///
  /// A connection that traffic makes by itself is as good as one that is there.
  init(_ flags: Flags, over interface: ReachabilityInterface?) {
    let isMadeByTraffic =
      !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
      && !flags.contains(.interventionRequired)
    if !flags.contains(.reachable) {
      self.init(.notReachable, reason: .noRoute, flags: flags)
    } else if flags.contains(.connectionRequired), !isMadeByTraffic {
      self.init(.notReachable, reason: .linkDormant, flags: flags)
    } else {
      self.init(.reachable, flags: flags, interface: interface)
    }
  }
}

extension ReachabilityInterface {
  /// The loopback interface, which is the first on all of Apple's systems.
  static var loopback: ReachabilityInterface { ReachabilityInterface(name: "lo0", index: 1, kind: .loopback) }

  fileprivate init(_ interface: NWInterface) {
    let kind: Kind =
      switch interface.type {
      case .wiredEthernet: .wired
      case .wifi: .wifi
      case .cellular: .cellular
      case .loopback: .loopback
      default: .other
      }
    // The kinds of tunnels that Apple's systems make.
    let isTunnel = ["utun", "ipsec", "ppp", "gif", "stf"].contains { interface.name.hasPrefix($0) }
    self.init(name: interface.name, index: interface.index, kind: kind, isTunnel: isTunnel)
  }
}

extension NWPath {
  /// Why nothing leaves, or `nil` if it does.
  fileprivate var reason: ReachabilityStatus.Reason? {
    switch status {
    case .satisfied: nil
    case .requiresConnection: .linkDormant
    // All others are what a user or an administrator denies.
    default: unsatisfiedReason == .notAvailable ? .noRoute : .prohibited
    }
  }

  /// The routers on an interface; where the system does not tell which they are on, it is the first.
  fileprivate func gateways(
    on interface: ReachabilityInterface, isFirst: Bool
  ) -> [InternetProtocol.IPAddress] {
    let own = gateways.filter { gateway in
      gateway.interface.map { $0.index == interface.index } ?? isFirst
    }
    return own.compactMap(\.address).sorted { $0.bitWidth < $1.bitWidth }
  }
}

extension NWEndpoint {
  fileprivate var address: InternetProtocol.IPAddress? {
    guard case .hostPort(let host, _) = self else { return nil }
    switch host {
    case .ipv4(let address): return InternetProtocol.IPAddress(octets: address.rawValue)
    case .ipv6(let address): return InternetProtocol.IPAddress(octets: address.rawValue)
    default: return nil
    }
  }
}
#endif
