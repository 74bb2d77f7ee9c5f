/// Whether packets for a target leave this machine, how, and if not, why not.
///
/// Reachable means that a packet handed to the system now would leave this machine, or be delivered on it. It does
/// not mean that anyone answers. Two statuses are equal if they mean the same.
public struct Status: Hashable, Sendable {
  /// The answer in one word.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Not known yet, or the system could not be asked; never to be shown as *not reachable*.
    case unknown
    /// A packet would not leave this machine.
    case notReachable
    /// A packet would leave this machine, or be delivered on it.
    case reachable
  }

  /// The answer in one word.
  public var state: State
  /// Why not, or `nil` if reachable.
  public var reason: Reason?
  /// The answer in Apple's flags.
  public var flags: Flags
  /// The interface that packets leave by, or that has the local address, where that is known.
  public var interface: NetworkInterface?
  /// The next hop, or `nil` if the destination is on the link or on this machine; unknown on Apple platforms.
  public var gateway: IPAddress?
  /// The local address that packets come from; unknown on Apple platforms.
  public var source: IPAddress?
  /// For a host: the addresses that its name stands for, in the resolver's order, each with its own status.
  ///
  /// The rest of this status is that of the best of them. Empty for other targets, and where the name has none.
  public var addresses: [ResolvedAddress]

  /// Makes a status.
  public init(
    _ state: State, reason: Reason? = nil, flags: Flags = [], interface: NetworkInterface? = nil,
    gateway: IPAddress? = nil, source: IPAddress? = nil, addresses: [ResolvedAddress] = []
  ) {
    self.state = state
    self.reason = reason
    self.flags = flags
    self.interface = interface
    self.gateway = gateway
    self.source = source
    self.addresses = addresses
  }

  /// Whether a packet would leave this machine; `false` also while that is unknown.
  public var isReachable: Bool { state == .reachable }

  /// A status that is not reachable.
  public static func notReachable(_ reason: Reason, over interface: NetworkInterface? = nil) -> Status {
    Status(.notReachable, reason: reason, interface: interface)
  }

  /// A status that is unknown.
  public static func unknown(_ reason: Reason) -> Status {
    Status(.unknown, reason: reason)
  }
}

extension Status: CustomStringConvertible {
  /// One line, such as `reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1` or `not reachable: no route`.
  public var description: String {
    var text: String
    switch state {
    case .unknown: text = "unknown"
    case .notReachable: text = "not reachable"
    case .reachable: text = "reachable"
    }
    if let reason { text += ": \(reason)" }
    if let interface { text += reason == nil ? " \(interface)" : ", \(interface)" }
    if let gateway { text += " via \(gateway)" }
    if let source { text += " from \(source)" }
    return text
  }
}
