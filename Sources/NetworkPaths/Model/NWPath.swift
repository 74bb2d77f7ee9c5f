// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// The path of packets that leave this machine by the default route, as it was at one moment.
///
/// Two paths are equal if all that they show is equal. The Apple symbol is `NWPath`.
public struct NWPath: Equatable, Sendable {
  /// The answer in one word.
  public enum Status: Sendable {
    /// Packets leave by the default route.
    case satisfied
    /// Packets do not leave.
    case unsatisfied
    /// Packets leave once a link that waits for an outside event, such as a dial-up peer, is connected.
    case requiresConnection
  }

  /// The reason why a path is not satisfied.
  public enum UnsatisfiedReason: Sendable {
    /// No reason, or one that has no case here.
    case notAvailable
    /// A routing rule prohibits packets over a cellular interface.
    case cellularDenied
    /// A routing rule prohibits packets over a Wi-Fi interface.
    case wifiDenied
    /// Never on Linux, where no user grants access to the local network.
    case localNetworkDenied
    /// Never on Linux, where no VPN is known before it has an interface.
    case vpnInactive
  }

  /// The quality of the link.
  public enum LinkQuality: Sendable {
    /// The quality is not known; always so on Linux.
    case unknown
    /// Hardly usable.
    case minimal
    /// Usable.
    case moderate
    /// Good.
    case good
  }

  /// The answer in one word; `unsatisfied` if the kernel could not be queried.
  public let status: Status
  /// The reason why the path is not satisfied, as far as it has one of Apple's names.
  public let unsatisfiedReason: UnsatisfiedReason
  /// The interfaces of a satisfied path, in the kernel's order of preference: that of the default route first.
  public let availableInterfaces: [NWInterface]
  /// Whether the path is metered or cellular; `false` if that is not known.
  public let isExpensive: Bool
  /// Whether the user requested low data usage; `false` if that is not known.
  public let isConstrained: Bool
  /// Whether IPv4 packets leave by the default route.
  public let supportsIPv4: Bool
  /// Whether IPv6 packets leave by the default route.
  public let supportsIPv6: Bool
  /// Whether a configured name server is reachable, whether or not it answers.
  public let supportsDNS: Bool
  /// The routers, those of the preferred interface first, each with port 0.
  ///
  /// A link-local address names its interface.
  public let gateways: [NWEndpoint]
  /// The types of the interfaces, which are equal by name and index alone.
  private let types: [NWInterface.InterfaceType]
  /// The types of the preferred interface and of those that carry its packets.
  private let usedTypes: Set<NWInterface.InterfaceType>

  init(_ path: ReachabilityPath) {
    status =
      switch path.status {
      case .satisfied: .satisfied
      case .requiresConnection: .requiresConnection
      case .unsatisfied, .unknown: .unsatisfied
      }
    let isSatisfied = status == .satisfied
    // The interfaces of another path are alternatives that packets do not take.
    let interfaces = isSatisfied ? path.interfaces : []
    unsatisfiedReason = UnsatisfiedReason(path)
    availableInterfaces = interfaces.map { NWInterface($0.interface) }
    isExpensive = path.isExpensive == true
    isConstrained = path.isConstrained == true
    supportsIPv4 = isSatisfied && path.supportsIPv4
    supportsIPv6 = isSatisfied && path.supportsIPv6
    supportsDNS = isSatisfied && path.supportsDNS
    gateways =
      interfaces.flatMap { interface in
        interface.gateways.map { NWEndpoint($0, on: interface.interface) }
      }.uniqued
    types = availableInterfaces.map(\.type)
    usedTypes = interfaces.usedTypes
  }

  /// The path of a monitor that has not delivered any.
  static let initial = NWPath(
    ReachabilityPath(
      .unsatisfied, reason: .noRoute, reasonAgainstIPv4: .noRoute, reasonAgainstIPv6: .noRoute))
}

extension NWPath {
  /// Always `false`: no link of Linux is known to be ultra constrained, as satellite links are.
  public var isUltraConstrained: Bool { false }

  /// Always `nil`: the path of a monitor belongs to no connection.
  public var localEndpoint: NWEndpoint? { nil }

  /// Always `nil`: the path of a monitor belongs to no connection.
  public var remoteEndpoint: NWEndpoint? { nil }

  /// Always `unknown`.
  public var linkQuality: LinkQuality { .unknown }

  /// Returns whether packets leave by an interface of a type, at the top or below it.
  ///
  /// The links below a bridge, bond or VLAN count. The kernel names no link below a tunnel; the preferred interface that
  /// is no tunnel counts as the one that carries its packets.
  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { usedTypes.contains(type) }
}

extension NWPath.UnsatisfiedReason {
  init(_ path: ReachabilityPath) {
    let prohibited = path.unusableInterfaces.first { $0.reason == .prohibited }
    self =
      switch prohibited?.interface.kind {
      case .cellular: .cellularDenied
      case .wifi: .wifiDenied
      default: .notAvailable
      }
  }
}

extension [ReachabilityPath.Interface] {
  /// The types of the preferred interface and of those that carry its packets.
  fileprivate var usedTypes: Set<NWInterface.InterfaceType> {
    guard let first else { return [] }
    var used = [first]
    if first.interface.isTunnel, let carrier = self.first(where: { !$0.interface.isTunnel }) {
      used.append(carrier)
    }
    return Set(used.flatMap { [$0.interface] + $0.lower }.map { NWInterface.InterfaceType($0.kind) })
  }
}

extension NWPath: CustomDebugStringConvertible {
  /// One line in the form of Apple's systems, for example
  /// `satisfied (Path is satisfied), interface: wlan0[802.11], ipv4, dns, uses wifi, LQM: unknown`.
  public var debugDescription: String {
    var text =
      switch status {
      case .satisfied: "satisfied (Path is satisfied)"
      case .requiresConnection: "satisfiable (Path requires a connection)"
      case .unsatisfied:
        switch unsatisfiedReason {
        case .cellularDenied: "unsatisfied (Denied over cellular interface)"
        case .wifiDenied: "unsatisfied (Denied over Wi-Fi interface)"
        default: "unsatisfied (No network route)"
        }
      }
    if let first = availableInterfaces.first {
      text += ", interface: \(first.name)\(first.type == .wifi ? "[802.11]" : "")"
    }
    if supportsIPv4 { text += ", ipv4" }
    if supportsIPv6 { text += ", ipv6" }
    if supportsDNS { text += ", dns" }
    if isExpensive { text += ", expensive" }
    if isConstrained { text += ", constrained" }
    for (type, name) in [(NWInterface.InterfaceType.wifi, "wifi"), (.cellular, "cell")]
    where usesInterfaceType(type) {
      text += ", uses \(name), LQM: \(linkQuality)"
    }
    return text
  }
}
