// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin) || APPLE_DOOR
import InternetProtocol

#if canImport(Darwin)
import Network
#else
import ReachabilityKit
#endif

extension ReachabilityPath {
  /// Makes a path from the system's path.
  ///
  /// That has one value for the whole path of the families and of the expense, so those of any interface but the first are
  /// a guess. It has no addresses, no MTU and no addresses of name servers. The Apple symbol is `NWPath`.
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
}

extension ReachabilityInterface {
  fileprivate init(_ interface: NWInterface) {
    let kind: Kind =
      switch interface.type {
      case .wiredEthernet: .wired
      case .wifi: .wifi
      case .cellular: .cellular
      case .loopback: .loopback
      default: .other
      }
    // The names of the tunnels that Apple's systems create.
    let isTunnel = ["utun", "ipsec", "ppp", "gif", "stf"].contains { interface.name.hasPrefix($0) }
    self.init(name: interface.name, index: interface.index, kind: kind, isTunnel: isTunnel)
  }
}

extension NWPath {
  /// The reason of a path that is not satisfied, `nil` of one that is.
  fileprivate var reason: ReachabilityStatus.Reason? {
    switch status {
    case .satisfied: nil
    case .requiresConnection: .linkDormant
    // In all other cases, a user or an administrator denies access.
    default: unsatisfiedReason == .notAvailable ? .noRoute : .prohibited
    }
  }

  /// The routers on an interface; those without an interface count as routers on the first one.
  fileprivate func gateways(
    on interface: ReachabilityInterface, isFirst: Bool
  ) -> [ReachabilityAddress] {
    let own = gateways.filter { gateway in
      gateway.interface.map { $0.index == interface.index } ?? isFirst
    }
    return own.compactMap(\.address).sorted { $0.bitWidth < $1.bitWidth }
  }
}

extension NWEndpoint {
  fileprivate var address: ReachabilityAddress? {
    guard case .hostPort(let host, _) = self else { return nil }
    switch host {
    case .ipv4(let address): return ReachabilityAddress(octets: address.rawValue)
    case .ipv6(let address): return ReachabilityAddress(octets: address.rawValue)
    default: return nil
    }
  }
}

extension ReachabilityPath {
  /// Returns the status of a target by the path alone, for watchOS, which has no other information.
  ///
  /// An address is as reachable as the default route of its family: the path does not contain routes to neighbours.
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
#endif
