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
public struct Explanation: Hashable, Sendable {
  /// What is explained.
  public var target: Target
  /// The status, as ``NetworkMonitor/status(of:)`` tells it at that moment.
  public var status: Status
  /// What was looked at, in order.
  public var steps: [Step]
  /// One sentence without its full stop, such as `IPv6 has no default route; IPv4 works`.
  public var summary: String
  /// What came of the attempt to connect, if one was asked for.
  public var connection: ConnectionReport?

  /// Makes an explanation.
  public init(
    of target: Target, status: Status, steps: [Step], summary: String, connection: ConnectionReport? = nil
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

extension Explanation {
  /// One thing that was looked at, and what was found.
  public struct Step: Hashable, Sendable {
    /// What was looked at.
    ///
    /// Later versions may add kinds, so a `switch` should have a `default`.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// What a host's name stands for.
      case name
      /// The interface: there, switched on, with a carrier, not waiting.
      case interface
      /// The addresses of the interface, and whether they can be used.
      case addresses
      /// The route: what decided, and which way.
      case route
      /// The neighbour that packets go to first, and whether it answered when the system last asked for it.
      case nextHop
      /// The local address that packets come from.
      case source
      /// A name server that this machine is told to ask, and the way there; whether it answers only where an attempt to connect
      /// was asked for.
      case nameServer
      /// The attempt to connect to the addresses of one family, if it was asked for.
      case connection
      /// The answer of a system that tells no more.
      case system
    }

    /// What was found.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
      /// As it should be.
      case passed
      /// In the way of packets.
      case failed
      /// The system can't tell, or was not asked since something before it failed. If there is a
      /// ``Explanation/Step/problem`` nevertheless, packets do leave, but it is a likely reason if nobody answers.
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
