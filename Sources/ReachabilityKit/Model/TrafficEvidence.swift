// SPDX-License-Identifier: Apache-2.0
/// The evidence of whether anything answers: how this machine's own TCP traffic fares, without sending a packet.
///
/// Evidence stands beside a status and never changes one. It describes the TCP connections of the network namespace,
/// of all users: UDP, and therefore QUIC, leaves no such traces. A connection of another namespace, and one to this
/// machine itself, does not count.
///
/// All times are ages at the moment of the reading, with the kernel's resolution of 1 to 10 ms.
public struct TrafficEvidence: Hashable, Sendable {
  /// The evidence in one word.
  public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// Something was received in the last minute, and after the oldest unanswered segment.
    case answering
    /// Data is unacknowledged: the retransmission timer expired at least twice, or three times where segments were lost
    /// before, and nothing new was received since the data was sent.
    case stalled
    /// There is no traffic to judge by, or it cannot be read.
    case none
  }

  /// The weight of the evidence.
  public enum Strength: String, Hashable, Sendable, CaseIterable {
    /// The evidence of a single peer: it may be the peer's fault, or an unlucky loss of some segments.
    case weak
    /// The evidence of several peers, of at least five timeouts, of this machine's own kernel, or of segments received in the
    /// last ten seconds.
    case strong
  }

  /// The likely place of a fault.
  ///
  /// A struct, since later versions will add places: a `switch` needs a `default`.
  public struct Fault: RawRepresentable, Hashable, Sendable, CaseIterable {
    enum Value: String, CaseIterable { case connection, peer, network, thisMachine, undetermined }

    let value: Value

    private init(value: Value) { self.value = value }

    /// Creates the value that a raw value names, or `nil` if this version knows no such value.
    public init?(rawValue: String) {
      guard let value = Value(rawValue: rawValue) else { return nil }
      self.value = value
    }

    /// The name of the value, as JSON output shows it.
    public var rawValue: String { value.rawValue }

    /// All values of this version.
    public static var allCases: [Fault] { Value.allCases.map { Fault(value: $0) } }

    /// The peer answers other connections: something on the path forgot this one, such as a NAT or a firewall, or
    /// drops its large segments.
    public static var connection: Fault { Fault(value: .connection) }
    /// Peers by the same next hop answer: the fault is the peer's, or lies on the way behind the common part.
    public static var peer: Fault { Fault(value: .peer) }
    /// Several peers stall, and no peer by the same next hop answers.
    public static var network: Fault { Fault(value: .network) }
    /// This machine itself drops the packets, or holds them back: the kernel counts none of their repetitions as sent.
    ///
    /// A firewall rule for outgoing packets does that, a traffic filter, a control group's program, a security policy, or
    /// an interface whose queue is full.
    public static var thisMachine: Fault { Fault(value: .thisMachine) }
    /// Only one peer stalls, and no other peer has traffic to compare with.
    public static var undetermined: Fault { Fault(value: .undetermined) }
  }

  /// The reason why traffic cannot be read.
  ///
  /// A struct, since later versions will add reasons: a `switch` needs a `default`.
  public struct Obstacle: RawRepresentable, Hashable, Sendable, CaseIterable {
    enum Value: String, CaseIterable { case notPermitted, unsupported, namesNotResolved, systemError }

    let value: Value

    private init(value: Value) { self.value = value }

    /// Creates the value that a raw value names, or `nil` if this version knows no such value.
    public init?(rawValue: String) {
      guard let value = Value(rawValue: rawValue) else { return nil }
      self.value = value
    }

    /// The name of the value, as JSON output shows it.
    public var rawValue: String { value.rawValue }

    /// All values of this version.
    public static var allCases: [Obstacle] { Value.allCases.map { Obstacle(value: $0) } }

    /// A sandbox refuses `sock_diag` (`EPERM`, `EACCES`).
    public static var notPermitted: Obstacle { Obstacle(value: .notPermitted) }
    /// The system does not list its connections: another kernel than Linux, or one without `inet_diag`.
    public static var unsupported: Obstacle { Obstacle(value: .unsupported) }
    /// The addresses of the host are not known.
    public static var namesNotResolved: Obstacle { Obstacle(value: .namesNotResolved) }
    /// The system failed to answer.
    public static var systemError: Obstacle { Obstacle(value: .systemError) }
  }

  /// A connection that stalls.
  public struct StalledConnection: Hashable, Sendable {
    /// The address of the other end.
    public var peer: ReachabilityAddress
    /// The port of the other end.
    public var port: UInt16
    /// The time since the oldest unanswered segment was sent.
    public var duration: Duration
    /// The number of expirations of the retransmission timer since then.
    public var timeouts: Int

    /// Creates a description.
    public init(peer: ReachabilityAddress, port: UInt16, duration: Duration, timeouts: Int) {
      self.peer = peer
      self.port = port
      self.duration = duration
      self.timeouts = timeouts
    }
  }

  /// Connections that a change of the network left behind.
  ///
  /// Packets take another interface now, but a connection keeps its address. The new network drops such packets, while
  /// new connections work.
  public struct LeftBehind: Hashable, Sendable {
    /// The number of connections.
    public var connections: Int
    /// The longest time for which data of one is unanswered.
    public var duration: Duration
    /// This machine's addresses that the connections keep.
    public var addresses: [ReachabilityAddress]

    /// Creates a description.
    public init(connections: Int, duration: Duration, addresses: [ReachabilityAddress]) {
      self.connections = connections
      self.duration = duration
      self.addresses = addresses
    }
  }

  /// The router that packets for the target are sent to, as the neighbour table describes it.
  public struct NextHop: Hashable, Sendable {
    /// The state of the neighbour entry.
    public enum State: String, Hashable, Sendable, CaseIterable {
      /// It answered a moment ago (`NUD_REACHABLE`), or needs no address resolution.
      case confirmed
      /// It answered some time ago, and is about to be asked again (`NUD_STALE`, `NUD_DELAY`).
      case unconfirmed
      /// It is being asked (`NUD_INCOMPLETE`, `NUD_PROBE`).
      case probing
      /// It did not answer (`NUD_FAILED`).
      case failed
    }

    /// The address.
    public var address: ReachabilityAddress
    /// The state.
    public var state: State

    /// Creates a description.
    public init(address: ReachabilityAddress, state: State) {
      self.address = address
      self.state = state
    }
  }

  /// The evidence in one word.
  public var verdict: Verdict
  /// The weight of the evidence.
  public var strength: Strength
  /// The likely place of the fault; `nil` unless connections stall.
  public var fault: Fault?
  /// The time since the last segment was received; `nil` if none was.
  public var received: Duration?
  /// The time since the oldest unanswered segment was sent; `nil` unless the verdict is *stalled*.
  ///
  /// Nothing was received in this time.
  public var stalled: Duration?
  /// The number of connections that were examined, those that this machine closed in the last minute included; at most
  /// some hundreds of the default route or an interface.
  public var connections: Int
  /// The number of peers from which a segment was received in the last minute.
  public var answeringPeers: Int
  /// The number of peers that stall: data is unacknowledged, and nothing was received from them since.
  public var stalledPeers: Int
  /// The number of connections that stall, including those to peers that answer other connections.
  public var stalledConnections: Int
  /// The stalled connections that belong to the calling user, at most 16; those of other users are only counted.
  public var ownStalledConnections: [StalledConnection]
  /// The path MTU in bytes, if large segments stall while small ones pass.
  ///
  /// A router on the path probably drops packets of this size and does not say so.
  public var suspectedMTU: Int?
  /// The router, or of several the one in most trouble; `nil` if packets are sent without one, or if it is not known.
  public var nextHop: NextHop?
  /// The time for which a WireGuard tunnel has sent packets and received none; `nil` for other interfaces, and if it
  /// received some.
  ///
  /// WireGuard answers whatever arrives, if need be with a keep-alive. Other tunnels may only send, and be healthy.
  public var silentTunnel: Duration?
  /// The reason why traffic cannot be read; `nil` if it can.
  public var obstacle: Obstacle?
  /// The connections that a change of the network left behind, which count neither for nor against the path; `nil` if
  /// there are none.
  public var leftBehind: LeftBehind?

  /// Creates evidence.
  public init(
    _ verdict: Verdict, strength: Strength = .weak, fault: Fault? = nil, received: Duration? = nil,
    stalled: Duration? = nil, connections: Int = 0, answeringPeers: Int = 0, stalledPeers: Int = 0,
    stalledConnections: Int = 0, ownStalledConnections: [StalledConnection] = [], suspectedMTU: Int? = nil,
    nextHop: NextHop? = nil, silentTunnel: Duration? = nil, obstacle: Obstacle? = nil,
    leftBehind: LeftBehind? = nil
  ) {
    self.verdict = verdict
    self.strength = strength
    self.fault = fault
    self.received = received
    self.stalled = stalled
    self.connections = connections
    self.answeringPeers = answeringPeers
    self.stalledPeers = stalledPeers
    self.stalledConnections = stalledConnections
    self.ownStalledConnections = ownStalledConnections
    self.suspectedMTU = suspectedMTU
    self.nextHop = nextHop
    self.silentTunnel = silentTunnel
    self.obstacle = obstacle
    self.leftBehind = leftBehind
  }

  /// Returns that traffic cannot be read.
  public static func none(because obstacle: Obstacle) -> TrafficEvidence {
    TrafficEvidence(.none, obstacle: obstacle)
  }

  /// Whether other evidence means the same: verdict, fault, suspected MTU, obstacle, whether a tunnel is silent, whether
  /// connections were left behind, and the strength of a stall.
  ///
  /// Ages and counts change with every reading, and the strength of answers with every pause.
  public func meansSame(as other: TrafficEvidence) -> Bool {
    verdict == other.verdict && fault == other.fault && (verdict != .stalled || strength == other.strength)
      && suspectedMTU == other.suspectedMTU && obstacle == other.obstacle
      && (silentTunnel == nil) == (other.silentTunnel == nil)
      && (leftBehind == nil) == (other.leftBehind == nil)
  }
}
