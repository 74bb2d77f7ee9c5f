// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// The path of packets that leave this machine by the default route, as it was at one moment.
///
/// Two paths are equal if they mean the same, also in what this type does not show: addresses, MTUs and reasons. The
/// Apple symbol is `NWPath`.
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

  private let path: ReachabilityPath

  init(_ path: ReachabilityPath) {
    self.path = path
  }

  /// The path of a monitor that has not delivered any.
  static let initial = NWPath(
    ReachabilityPath(
      .unsatisfied, reason: .noRoute, reasonAgainstIPv4: .noRoute, reasonAgainstIPv6: .noRoute))
}

extension NWPath {
  /// The answer in one word; `unsatisfied` if the kernel could not be queried.
  public var status: Status {
    switch path.status {
    case .satisfied: .satisfied
    case .requiresConnection: .requiresConnection
    case .unsatisfied, .unknown: .unsatisfied
    }
  }

  /// The reason why the path is not satisfied, as far as it has one of Apple's names.
  public var unsatisfiedReason: UnsatisfiedReason {
    let prohibited = path.unusableInterfaces.first { $0.reason == .prohibited }
    return switch prohibited?.interface.kind {
    case .cellular: .cellularDenied
    case .wifi: .wifiDenied
    default: .notAvailable
    }
  }

  /// The interfaces of a satisfied path, in the kernel's order of preference: that of the default route first.
  public var availableInterfaces: [NWInterface] { usable.map { NWInterface($0.interface) } }

  /// Whether the path is metered or cellular; `false` if that is not known.
  public var isExpensive: Bool { path.isExpensive == true }

  /// Whether the user requested low data usage; `false` if that is not known.
  public var isConstrained: Bool { path.isConstrained == true }

  /// Always `false`: no link of Linux is known to be ultra constrained, as satellite links are.
  public var isUltraConstrained: Bool { false }

  /// Whether IPv4 packets leave by the default route.
  public var supportsIPv4: Bool { isSatisfied && path.supportsIPv4 }

  /// Whether IPv6 packets leave by the default route.
  public var supportsIPv6: Bool { isSatisfied && path.supportsIPv6 }

  /// Whether a configured name server is reachable, whether or not it answers.
  public var supportsDNS: Bool { isSatisfied && path.supportsDNS }

  /// The routers, those of the preferred interface first, each with port 0.
  ///
  /// A link-local address names its interface.
  public var gateways: [NWEndpoint] {
    var endpoints: [NWEndpoint] = []
    for interface in usable {
      for gateway in interface.gateways {
        let endpoint = NWEndpoint(gateway, on: interface.interface)
        if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
      }
    }
    return endpoints
  }

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
  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
    guard let first = usable.first else { return false }
    var used = [first]
    if first.interface.isTunnel, let carrier = usable.first(where: { !$0.interface.isTunnel }) {
      used.append(carrier)
    }
    return used.contains { interface in
      ([interface.interface] + interface.lower).contains { NWInterface.InterfaceType($0.kind) == type }
    }
  }

  private var isSatisfied: Bool { status == .satisfied }

  /// The interfaces of a satisfied path; those of another one are alternatives that packets do not take.
  private var usable: [ReachabilityPath.Interface] { isSatisfied ? path.interfaces : [] }
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
