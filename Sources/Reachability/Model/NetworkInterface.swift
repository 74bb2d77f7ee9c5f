/// A network interface as it was when a status was found.
public struct NetworkInterface: Hashable, Sendable {
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

  /// Makes a description of an interface.
  public init(name: String, index: Int, kind: Kind, isTunnel: Bool = false) {
    self.name = name
    self.index = index
    self.kind = kind
    self.isTunnel = isTunnel
  }
}

extension NetworkInterface: CustomStringConvertible {
  /// The name and the kind, such as `eth0 (wired)` or `wg0 (tunnel)`.
  public var description: String {
    switch (isTunnel, kind) {
    case (true, .other): "\(name) (tunnel)"
    case (true, _): "\(name) (\(kind.rawValue) tunnel)"
    case (false, _): "\(name) (\(kind.rawValue))"
    }
  }
}
