// SPDX-License-Identifier: Apache-2.0
/// The reachability of a target: whether packets can leave this machine for it, how, and if not, why not.
///
/// Reachable means that a packet handed to the system now would leave this machine, or be delivered on it. It does
/// not mean that the target answers. Two statuses are equal if they mean the same.
public struct ReachabilityStatus: Hashable, Sendable {
  /// The answer in one word.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Not known yet, or the system could not be queried; never to be shown as *not reachable*.
    case unknown
    /// A packet would not leave this machine.
    case notReachable
    /// A packet would leave this machine, or be delivered on it.
    case reachable
  }

  /// The fields, shared by all copies: a program may hold a copy for each of very many targets.
  private var content: Content

  /// The answer in one word.
  public var state: State {
    get { content.fields.state }
    set { change { $0.state = newValue } }
  }

  /// The reason why the target is not reachable or unknown; `nil` if it is reachable.
  public var reason: ReachabilityStatus.Reason? {
    get { content.fields.reason }
    set { change { $0.reason = newValue } }
  }

  /// The status as Apple's flags.
  public var flags: Flags {
    get { content.fields.flags }
    set { change { $0.flags = newValue } }
  }

  /// The interface that packets leave by, or the one that has the local address; `nil` if it is not known.
  public var interface: ReachabilityInterface? {
    get { content.fields.interface }
    set { change { $0.interface = newValue } }
  }

  /// The next hop; `nil` if the destination is on the link or on this machine, and on Apple platforms.
  public var gateway: ReachabilityAddress? {
    get { content.fields.gateway }
    set { change { $0.gateway = newValue } }
  }

  /// The local address that packets are sent from; `nil` if it is not known, and on Apple platforms.
  public var source: ReachabilityAddress? {
    get { content.fields.source }
    set { change { $0.source = newValue } }
  }

  /// The resolved addresses of a host, in the resolver's order, each with its own status.
  ///
  /// The other fields of this status are those of the best address. Empty for other targets, and if the name has no
  /// address.
  public var addresses: [ReachabilityStatus.ResolvedAddress] {
    get { content.fields.addresses }
    set { change { $0.addresses = newValue } }
  }

  /// The path of the packets that the tunnel ``interface`` makes, then that of a tunnel below, if there is one.
  ///
  /// If the status is not reachable for what carries a tunnel, the last one says where. Empty without a tunnel, where
  /// the system does not tell its other end, and on Apple platforms.
  public var underlays: [Underlay] {
    get { content.fields.underlays }
    set { change { $0.underlays = newValue } }
  }

  /// Creates a status.
  public init(
    _ state: State, reason: ReachabilityStatus.Reason? = nil, flags: Flags = [],
    interface: ReachabilityInterface? = nil,
    gateway: ReachabilityAddress? = nil, source: ReachabilityAddress? = nil,
    addresses: [ReachabilityStatus.ResolvedAddress] = []
  ) {
    content = Content(
      Fields(
        state: state, reason: reason, flags: flags, interface: interface, gateway: gateway, source: source,
        addresses: addresses))
  }

  /// Whether a packet would leave this machine; also `false` while that is unknown.
  public var isReachable: Bool { state == .reachable }

  /// Whether another status has the same state, reason, interface, gateway, source address and underlays.
  ///
  /// Resolved addresses are ignored, since they change with every lookup, and so are flags, which follow from the
  /// other fields.
  package func isOfSameNetwork(as other: ReachabilityStatus) -> Bool {
    state == other.state && reason == other.reason && interface == other.interface
      && gateway == other.gateway && source == other.source && underlays == other.underlays
  }

  /// Returns a status that is not reachable.
  ///
  /// The flags are empty unless the link is dormant: then they require a connection, and describe the kind of link.
  public static func notReachable(
    _ reason: ReachabilityStatus.Reason, over interface: ReachabilityInterface? = nil
  ) -> ReachabilityStatus {
    var flags: Flags = []
    if reason == .linkDormant {
      flags = [.reachable, .connectionRequired]
      if let interface { flags.formUnion(Flags(over: interface, isTransient: interface.isLikelyTransient)) }
    }
    return ReachabilityStatus(.notReachable, reason: reason, flags: flags, interface: interface)
  }

  /// Returns a status that is unknown.
  public static func unknown(_ reason: ReachabilityStatus.Reason) -> ReachabilityStatus {
    ReachabilityStatus(.unknown, reason: reason)
  }
}

extension ReachabilityStatus {
  private struct Fields: Hashable, Sendable {
    var state: State
    var reason: ReachabilityStatus.Reason?
    var flags: Flags
    var interface: ReachabilityInterface?
    var gateway: ReachabilityAddress?
    var source: ReachabilityAddress?
    var addresses: [ReachabilityStatus.ResolvedAddress]
    var underlays: [Underlay] = []
  }

  /// Immutable: a change of a status creates another instance.
  private final class Content: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private mutating func change(_ body: (inout Fields) -> Void) {
    var fields = content.fields
    body(&fields)
    content = Content(fields)
  }

  /// Whether another status shares this one's storage.
  func isIdentical(to other: Self) -> Bool { content === other.content }

  /// Whether both statuses mean the same.
  public static func == (one: Self, other: Self) -> Bool {
    one.isIdentical(to: other) || one.content.fields == other.content.fields
  }

  /// Feeds the fields to a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(content.fields) }
}

extension ReachabilityStatus: CustomStringConvertible {
  /// One line, for example `reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1` or `not reachable: no route`.
  public var description: String {
    var text: String
    switch state {
    case .unknown: text = "unknown"
    case .notReachable: text = "not reachable"
    case .reachable: text = "reachable"
    }
    if let reason { text += ": \(reason)" }
    if let interface = reason == nil ? interface?.description : stoppingInterface {
      text += (reason == nil ? " " : ", ") + interface
    }
    if let gateway { text += " via \(gateway)" }
    if let source { text += " from \(source)" }
    if reason == nil { for underlay in underlays { text += " over \(underlay)" } }
    return text
  }

  /// An address of a host, with the status of that address.
  public struct ResolvedAddress: Hashable, Sendable {
    /// The address.
    public var address: ReachabilityAddress
    /// The index of the interface that the resolver gave for a link-local address, or `nil`.
    public var zone: Int?
    /// The reachability of this address.
    public var status: ReachabilityStatus

    /// Creates a resolved address.
    public init(_ address: ReachabilityAddress, zone: Int? = nil, status: ReachabilityStatus) {
      self.address = address
      self.zone = zone
      self.status = status
    }
  }
}

extension ReachabilityStatus.ResolvedAddress: CustomStringConvertible {
  /// The address, with its zone if it has one, for example `fe80::1%2`.
  public var description: String {
    zone.map { "\(address)%\($0)" } ?? address.description
  }
}

extension ReachabilityStatus {
  /// The path of the packets that a tunnel makes, to its other end.
  public struct Underlay: Hashable, Sendable, CustomStringConvertible {
    /// The address of the tunnel's other end.
    public var remote: ReachabilityAddress
    /// The interface that the tunnel's packets leave by, or the one that stops them; `nil` if it is not known.
    public var interface: ReachabilityInterface?
    /// The next hop; `nil` if the other end is on the link.
    public var gateway: ReachabilityAddress?
    /// The local address that the tunnel's packets are sent from; `nil` if it is not known.
    public var source: ReachabilityAddress?

    /// Creates a path to the other end of a tunnel.
    public init(
      to remote: ReachabilityAddress, over interface: ReachabilityInterface? = nil,
      gateway: ReachabilityAddress? = nil,
      source: ReachabilityAddress? = nil
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

/// A status that an observation delivers: the current one first, then each change of meaning.
public struct ReachabilityEvent: Hashable, Sendable {
  /// The observed target.
  public var target: ReachabilityTarget
  /// The new status.
  public var status: ReachabilityStatus
  /// The status that was delivered before, or `nil` for the initial event.
  public var previous: ReachabilityStatus?

  /// Whether this is the first event of an observation, and not a change.
  public var isInitial: Bool { previous == nil }

  /// Creates an event.
  public init(target: ReachabilityTarget, status: ReachabilityStatus, previous: ReachabilityStatus? = nil) {
    self.target = target
    self.status = status
    self.previous = previous
  }
}
