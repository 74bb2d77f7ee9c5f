// SPDX-License-Identifier: Apache-2.0
/// The explanation of a target's status: the facts that decide it, in the order in which a packet meets them.
///
/// An explanation has a chain of steps for each address family that matters: interface, addresses, route, next hop
/// and source; then an IPsec policy that stops packets, and what carries a tunnel. For a host, a step for its name comes
/// first. For hosts and the default route, the name servers follow, with the path to each. Where packets leave this
/// machine, the evidence of its own TCP traffic is the next step. If an attempt to connect was requested, its outcome
/// follows, after what this machine itself did to its packets, and last comes the size of the packets that pass. The family
/// that decides the status comes first.
///
/// If the status is *reachable*, no step of that family failed, except possibly the attempt to connect, and the local
/// filter that stopped it. If it is *not reachable*, ``firstFailure`` says why.
///
/// The texts are in English, for display, and may change. They contain names from outside: escape them before writing
/// them to a terminal.
public struct ReachabilityExplanation: Hashable, Sendable {
  /// The explained target.
  public var target: ReachabilityTarget
  /// The status, as ``ReachabilityMonitor/currentStatus(of:)`` returns it at that moment.
  public var status: ReachabilityStatus
  /// The steps, in order.
  public var steps: [Step]
  /// One sentence without its full stop, for example `IPv6 has no default route; IPv4 works`.
  public var summary: String
  /// The report of the attempt to connect, if one was requested.
  public var connection: ReachabilityConnectionReport?
  /// The evidence of the step ``Step/Kind/traffic``; `nil` if there is no such step.
  public var evidence: TrafficEvidence?

  /// Creates an explanation.
  public init(
    of target: ReachabilityTarget, status: ReachabilityStatus, steps: [Step], summary: String,
    connection: ReachabilityConnectionReport? = nil, evidence: TrafficEvidence? = nil
  ) {
    self.target = target
    self.status = status
    self.steps = steps
    self.summary = summary
    self.connection = connection
    self.evidence = evidence
  }

  /// The first step that failed, or `nil` if none did.
  ///
  /// For a reachable target, this step concerns the other address family, the name servers or an attempt to connect.
  public var firstFailure: Step? { steps.first { $0.verdict == .failed } }
}

extension ReachabilityExplanation {
  /// One fact of an explanation, with its verdict.
  public struct Step: Hashable, Sendable {
    /// The subject of a step.
    ///
    /// A struct, since later versions will add kinds: a `switch` needs a `default`.
    public struct Kind: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
      /// The values of this version, which code in this module switches over exhaustively.
      enum Value: String, CaseIterable {
        case name, interface, addresses, route, nextHop, source, ipsec, tunnel, nameServer, traffic,
          localFilter, resources, connection, hops, detour, packetSize, system
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

      /// The name in words.
      package var words: String {
        switch value {
        case .nextHop: "next hop"
        case .nameServer: "name server"
        case .packetSize: "packet size"
        case .ipsec: "IPsec"
        case .localFilter: "local filter"
        default: rawValue
        }
      }

      /// All values of this version.
      public static var allCases: [Kind] { Value.allCases.map { Kind(value: $0) } }

      /// The addresses of a host's name.
      public static var name: Kind { Kind(value: .name) }
      /// The interface: whether it exists, is up, has a carrier and is not dormant.
      public static var interface: Kind { Kind(value: .interface) }
      /// The addresses of the interface, and whether they can be used.
      public static var addresses: Kind { Kind(value: .addresses) }
      /// The route: the table and rule that decided, and the next hop.
      public static var route: Kind { Kind(value: .route) }
      /// The first neighbour of packets, and whether it answered the last address resolution.
      public static var nextHop: Kind { Kind(value: .nextHop) }
      /// The local address that packets are sent from.
      public static var source: Kind { Kind(value: .source) }
      /// The IPsec policy for packets, if it stops them.
      public static var ipsec: Kind { Kind(value: .ipsec) }
      /// The path of the packets that a tunnel makes, to the tunnel's other end.
      ///
      /// There is such a step only if packets leave by a tunnel whose other end the system tells.
      public static var tunnel: Kind { Kind(value: .tunnel) }
      /// A configured name server, and the path to it.
      ///
      /// Whether it answers is known only if an attempt to connect was requested.
      public static var nameServer: Kind { Kind(value: .nameServer) }
      /// The evidence of whether the target answers, from this machine's own TCP traffic.
      ///
      /// It never fails, and has no effect on the status. The summary names it only if nothing answers.
      public static var traffic: Kind { Kind(value: .traffic) }
      /// What this machine itself did to packets after routing: a firewall rule, a traffic filter or a policy.
      ///
      /// There is such a step only if packets did not leave: those of connections, or of an attempt to connect.
      public static var localFilter: Kind { Kind(value: .localFilter) }
      /// What this machine has run out of: tracked connections, neighbours, or memory for TCP.
      ///
      /// There is such a step only if something is missing.
      public static var resources: Kind { Kind(value: .resources) }
      /// The attempt to connect to the addresses of one family, if it was requested.
      public static var connection: Kind { Kind(value: .connection) }
      /// The routers on the path to an address that did not answer, if an attempt to connect was requested.
      ///
      /// The farthest router that reports packets which end there. Kernels before 5.19 do not name it.
      public static var hops: Kind { Kind(value: .hops) }
      /// Another interface over which an address answers that did not answer over its own.
      ///
      /// There is such a step only if an attempt to connect was requested, and one over another interface succeeded.
      public static var detour: Kind { Kind(value: .detour) }
      /// The size of the packets that pass to the connected address, if an attempt to connect was requested.
      ///
      /// It never fails, since small packets pass. Its problem is a path MTU black hole: greater packets vanish without a
      /// message of a router. The size in bytes is ``ReachabilityConnectionReport/Attempt/greatestPacket``.
      public static var packetSize: Kind { Kind(value: .packetSize) }
      /// The status alone, on a system that gives no more facts.
      public static var system: Kind { Kind(value: .system) }
    }

    /// The verdict of a step.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
      /// The fact lets packets pass.
      case passed
      /// The fact stops packets.
      case failed
      /// The system cannot tell, or was not queried because an earlier step failed.
      ///
      /// If such a step has a ``ReachabilityExplanation/Step/problem``, packets do leave, but the problem is a likely
      /// cause if no answer arrives.
      case unknown
    }

    /// The subject of the step.
    public var kind: Kind
    /// The address family of the step, or `nil` for all.
    public var family: ReachabilityAddress.Family?
    /// The verdict.
    public var verdict: Verdict
    /// The fact in words, for example `default via 10.1.0.254 over eth0 (wired), table main`.
    public var fact: String
    /// The problem in one sentence; `nil` except for the first failed step of a family and for suspicious facts.
    public var problem: String?
    /// The advice in one sentence; present if and only if there is a problem.
    public var advice: String?
    /// The duration of the last name lookup, of a name server's answer or of a connection.
    public var duration: Duration?

    /// Creates a step.
    public init(
      _ kind: Kind, family: ReachabilityAddress.Family? = nil, _ verdict: Verdict, fact: String,
      problem: String? = nil,
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
