extension ReachabilityStatus {
  /// The path of the packets that a tunnel makes, to its other end.
  public struct Underlay: Hashable, Sendable, CustomStringConvertible {
    /// The address of the tunnel's other end.
    public var remote: IPAddress
    /// The interface that the tunnel's packets leave by, or the one that stops them; `nil` if it is not known.
    public var interface: ReachabilityInterface?
    /// The next hop; `nil` if the other end is on the link.
    public var gateway: IPAddress?
    /// The local address that the tunnel's packets are sent from; `nil` if it is not known.
    public var source: IPAddress?

    /// Creates a path to the other end of a tunnel.
    public init(
      to remote: IPAddress, over interface: ReachabilityInterface? = nil, gateway: IPAddress? = nil,
      source: IPAddress? = nil
    ) {
      self.remote = remote
      self.interface = interface
      self.gateway = gateway
      self.source = source
    }

    /// The interface and the next hop, for example `eth0 (wired) via 10.1.0.254`; without an interface, the other end.
    public var description: String {
      (interface?.description ?? remote.description) + (gateway.map { " via \($0)" } ?? "")
    }
  }

  /// The interface as it stands after a reason: below a tunnel, first what stops the tunnel's packets.
  ///
  /// For example `eth0 (wired) below vx0 (vxlan tunnel)`.
  package var stoppingInterface: String? {
    guard let interface, !underlays.isEmpty, reason != .tunnelLoop else { return interface?.description }
    return (underlays.reversed().map(\.description) + [interface.description]).joined(separator: " below ")
  }
}
