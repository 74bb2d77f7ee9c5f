/// A network interface as it was when a status was found.
public struct ReachabilityInterface: Hashable, Sendable {
  /// What an interface is made of.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Ethernet, or something virtual that behaves like it.
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

  /// The name, such as `eth0`.
  ///
  /// It comes from outside: escape it before it goes to a terminal.
  public var name: String
  /// The index, from 1.
  public var index: Int
  /// What the interface is made of.
  public var kind: Kind
  /// Whether the interface is a tunnel or a VPN.
  public var isTunnel: Bool
  /// The kernel's word for what made the link, such as `bridge`, `vlan` or `wireguard`; `nil` for hardware.
  public var linkType: String?

  /// Makes a description of an interface.
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
  /// Whether both are alike, names by their bytes.
  public static func == (one: ReachabilityInterface, other: ReachabilityInterface) -> Bool {
    one.index == other.index && one.kind == other.kind && one.isTunnel == other.isTunnel
      && one.name.utf8.elementsEqual(other.name.utf8) && one.linkType == other.linkType
  }

  /// Whether links of this kind and type are dialled or tunnelled.
  var isLikelyTransient: Bool { kind == .cellular || isTunnel || linkType == "ppp" }
}

extension ReachabilityInterface: CustomStringConvertible {
  /// The name and the kind, such as `eth0 (wired)`, `br0 (wifi bridge)` or `wg0 (wireguard tunnel)`.
  public var description: String {
    // Not `joined`, which works out types while the program runs: for one short text a tenth of what a command does.
    var words = kind == .other ? "" : kind.rawValue
    switch linkType {
    // What makes links that people take for hardware of their kind.
    case nil, "veth", "wwan", "virt_wifi": break
    case let linkType?: words += words.isEmpty ? linkType : " \(linkType)"
    }
    if isTunnel { words += words.isEmpty ? "tunnel" : " tunnel" }
    return "\(name) (\(words.isEmpty ? kind.rawValue : words))"
  }
}
