/// Why a target has the status that it has: what was looked at, in the order in which a packet meets it.
///
/// A chain of steps for each address family that matters: the interface, its addresses, the route, the next hop and the
/// source; before them, for a host, what its name stands for, and after them, for hosts and the default route, the way to
/// the name servers; last, if it was asked for, what came of an attempt to connect. The family that decides the status comes first.
/// If the status is *reachable*, no step of that family failed, unless it is the attempt to connect; if it is *not
/// reachable*, ``firstFailure`` says why.
///
/// The texts are English, for people, and may change; they hold names that come from outside: escape them before they
/// go to a terminal.
public struct ReachabilityExplanation: Hashable, Sendable {
  /// What is explained.
  public var target: ReachabilityTarget
  /// The status, as ``ReachabilityMonitor/status(of:)`` tells it at that moment.
  public var status: ReachabilityStatus
  /// What was looked at, in order.
  public var steps: [Step]
  /// One sentence without its full stop, such as `IPv6 has no default route; IPv4 works`.
  public var summary: String
  /// What came of the attempt to connect, if one was asked for.
  public var connection: ReachabilityConnectionReport?

  /// Makes an explanation.
  public init(
    of target: ReachabilityTarget, status: ReachabilityStatus, steps: [Step], summary: String,
    connection: ReachabilityConnectionReport? = nil
  ) {
    self.target = target
    self.status = status
    self.steps = steps
    self.summary = summary
    self.connection = connection
  }

  /// The first step that failed, or `nil` if none did.
  ///
  /// Of a target that is reachable this is about something else than the way there: the other address family, the name
  /// servers, or an attempt to connect.
  public var firstFailure: Step? { steps.first { $0.verdict == .failed } }
}

extension ReachabilityExplanation {
  /// One thing that was looked at, and what was found.
  public struct Step: Hashable, Sendable {
    /// What was looked at.
    ///
    /// A struct, since later versions will add kinds: a `switch` needs a `default`.
    public struct Kind: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
      /// The values of this version, which code in this module switches over exhaustively.
      enum Value: String, CaseIterable {
        case name, interface, addresses, route, nextHop, source, nameServer, connection, system
      }

      let value: Value

      private init(value: Value) { self.value = value }

      /// Creates the value that a raw value names, or `nil` if this version knows no such value.
      public init?(rawValue: String) {
        guard let value = Value(rawValue: rawValue) else { return nil }
        self.value = value
      }

      /// The name of the value, as JSON output shows it.
      public var rawValue: String { value.rawValue }

      /// The raw value.
      public var description: String { rawValue }

      /// All values of this version.
      public static var allCases: [Kind] { Value.allCases.map { Kind(value: $0) } }

      /// What a host's name stands for.
      public static var name: Kind { Kind(value: .name) }
      /// The interface: there, switched on, with a carrier, not waiting.
      public static var interface: Kind { Kind(value: .interface) }
      /// The addresses of the interface, and whether they can be used.
      public static var addresses: Kind { Kind(value: .addresses) }
      /// The route: what decided, and which way.
      public static var route: Kind { Kind(value: .route) }
      /// The neighbour that packets go to first, and whether it answered when the system last asked for it.
      public static var nextHop: Kind { Kind(value: .nextHop) }
      /// The local address that packets come from.
      public static var source: Kind { Kind(value: .source) }
      /// A name server that this machine is told to ask, and the way there; whether it answers only where an attempt to connect
      /// was asked for.
      public static var nameServer: Kind { Kind(value: .nameServer) }
      /// The attempt to connect to the addresses of one family, if it was asked for.
      public static var connection: Kind { Kind(value: .connection) }
      /// The answer of a system that tells no more.
      public static var system: Kind { Kind(value: .system) }
    }

    /// What was found.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
      /// As it should be.
      case passed
      /// In the way of packets.
      case failed
      /// The system can't tell, or was not asked since something before it failed. If there is a
      /// ``ReachabilityExplanation/Step/problem`` nevertheless, packets do leave, but it is a likely reason if nobody answers.
      case unknown
    }

    /// What was looked at.
    public var kind: Kind
    /// The address family that this is about, or `nil` for all.
    public var family: IPAddress.Family?
    /// What was found.
    public var verdict: Verdict
    /// What was found, in words, such as `default via 10.1.0.254 over eth0 (wired), table main`.
    public var fact: String
    /// One sentence of what is wrong; `nil` but for the first failing step of a family and what is suspicious.
    public var problem: String?
    /// One sentence of what a person can do; there if and only if there is a problem.
    public var advice: String?
    /// How long it took, of what takes time: the last look-up of a name, a name server's answer, a connection.
    public var duration: Duration?

    /// Makes a step.
    public init(
      _ kind: Kind, family: IPAddress.Family? = nil, _ verdict: Verdict, fact: String, problem: String? = nil,
      advice: String? = nil, duration: Duration? = nil
    ) {
      self.kind = kind
      self.family = family
      self.verdict = verdict
      self.fact = fact
      self.problem = problem
      self.advice = advice
      self.duration = duration
    }
  }
}
