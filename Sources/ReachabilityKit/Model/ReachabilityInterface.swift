// SPDX-License-Identifier: Apache-2.0
/// A network interface, as it was when a status was evaluated.
public struct ReachabilityInterface: Hashable, Sendable {
  /// The medium of an interface.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Ethernet, or a virtual interface that behaves like it.
    case wired
    /// Wi-Fi (IEEE 802.11).
    case wifi
    /// A mobile network.
    case cellular
    /// Bluetooth.
    case bluetooth
    /// The loopback interface.
    case loopback
    /// Anything else, such as PPP or a tunnel.
    case other
  }

  /// The name, for example `eth0`.
  ///
  /// The name comes from outside: escape it before writing it to a terminal.
  public var name: String
  /// The index, from 1.
  public var index: Int
  /// The medium.
  public var kind: Kind
  /// Whether the interface is a tunnel or a VPN.
  public var isTunnel: Bool
  /// The kernel's name for the type of a virtual link, for example `bridge`, `vlan` or `wireguard`; `nil` for
  /// hardware.
  public var linkType: String?

  /// Creates a description of an interface.
  public init(
    name: String, index: Int, kind: Kind, isTunnel: Bool = false, linkType: String? = nil
  ) {
    self.name = name
    self.index = index
    self.kind = kind
    self.isTunnel = isTunnel
    self.linkType = linkType
  }
}

extension ReachabilityInterface {
  /// Whether both have equal values; names are compared by their bytes.
  public static func == (one: ReachabilityInterface, other: ReachabilityInterface) -> Bool {
    one.index == other.index && one.kind == other.kind && one.isTunnel == other.isTunnel
      && one.name.utf8.elementsEqual(other.name.utf8) && one.linkType == other.linkType
  }

  /// Whether links of this kind and type are usually dialled or tunnelled.
  var isLikelyTransient: Bool { kind == .cellular || isTunnel || linkType == "ppp" }
}

extension ReachabilityInterface: CustomStringConvertible {
  /// The name and the kind, for example `eth0 (wired)`, `br0 (wifi bridge)` or `wg0 (wireguard tunnel)`.
  public var description: String { "\(name) (\(kindText))" }

  /// The kind, for example `wired`, `wifi bridge` or `wireguard tunnel`.
  package var kindText: String {
    // Not `joined`, which resolves generic types at run time: a tenth of the command's run time for one short text.
    var words = kind == .other ? "" : kind.rawValue
    switch linkType {
    // Types of links that users regard as hardware of their kind.
    case nil, "veth", "wwan", "virt_wifi": break
    case let linkType?: words += words.isEmpty ? linkType : " \(linkType)"
    }
    if isTunnel { words += words.isEmpty ? "tunnel" : " tunnel" }
    return words.isEmpty ? kind.rawValue : words
  }
}
