// SPDX-License-Identifier: Apache-2.0
/// The facts of an explanation.
package struct ExplanationFacts: Sendable {
  /// The facts about one address, or about the default route of one family.
  struct Path: Sendable {
    var target: ReachabilityTarget
    var evaluation: Evaluation
    var neighbour = Neighbour.unknown
    /// The routing table of the path, unless it is the main one or not known.
    var table: UInt32?
    /// Returns the steps in the order in which a packet meets them; `nil` if the system reports only the status.
    var steps: (@Sendable () -> [ReachabilityExplanation.Step])?
  }

  /// The state of the next hop in the neighbour table.
  enum Neighbour: Equatable, Sendable {
    /// The state was not queried, or the system does not report it.
    case unknown
    /// There is no entry: no packet was sent there recently.
    case absent
    /// Its first address resolution is in progress.
    case incomplete
    /// It answered a moment ago.
    case reachable
    /// It answered some time ago.
    case stale
    /// It did not answer.
    case failed
    /// Its link-layer address is permanent, or it needs none.
    case fixed
  }

  /// A search domain with which the C library ends every process that looks up a name, so that none is looked up.
  package struct OverlongSearchDomain: Equatable, Sendable {
    /// The file that lists it; `nil` for the variable `LOCALDOMAIN`.
    var path: String?
    /// The number of bytes.
    var length: Int
  }

  var paths: [Path]
  /// Whether the system reports its tables, and not only statuses.
  var hasTables = false
  /// The name servers with the statuses of their addresses; `nil` if they are not known.
  var nameServers: [(server: ReachabilityPath.NameServer, status: ReachabilityStatus)]?
  /// What to do about the name servers that can't be reached, as far as their paths say.
  var serverAdvice: [ReachabilityPath.NameServer: String] = [:]
  /// Whether the name servers are configured; otherwise the system queries them for want of any.
  var areNameServersConfigured = true
  /// The search domain that prevents lookups.
  var overlongSearchDomain: OverlongSearchDomain?
  /// The duration of the lookup of a host's name.
  var lookUpDuration: Duration?
  /// The evidence about the target; `nil` if no packet leaves this machine, or the source cannot read traffic.
  var evidence: TrafficEvidence?
  /// This machine's limits and counters; `nil` if no packet leaves it, or they are not known.
  var limits: MachineLimits?
  /// What was found by sending something.
  var probe = ProbeFacts()

  init(_ paths: [Path]) {
    self.paths = paths
  }

  /// Whether packets leave this machine for one of the addresses.
  var isLeaving: Bool {
    paths.contains { $0.status.isReachable && !$0.status.flags.contains(.isLocalAddress) }
  }
}

/// What an attempt to connect found.
struct ProbeFacts: Sendable {
  /// A datagram that the system did not accept.
  struct Datagram: Sendable {
    var address: ReachabilityAddress
    var port: UInt16
    var errorNumber: Int32
  }

  /// The report of the attempt.
  var connection: ReachabilityConnectionReport?
  /// What was found on the way to addresses that did not answer.
  var paths: [PathFinding] = []
  /// What test packets to the connected address showed, if any were sent.
  var packetSize: PacketSizeFinding?
  /// The datagram for a target of UDP, if it was not accepted.
  var refusedDatagram: Datagram?
  /// This machine's limits and counters before the attempt.
  var limitsBefore: MachineLimits?
  /// The replies of the name servers that were queried.
  var replies: [ReachabilityPath.NameServer: NameServerReply] = [:]
}

extension ExplanationFacts.Path {
  var status: ReachabilityStatus { evaluation.status }
  var family: ReachabilityAddress.Family? { target.decisiveFamily }
}

extension ReachabilityTarget {
  /// The family of the packets, or `nil` for both.
  var decisiveFamily: ReachabilityAddress.Family? {
    if case .address(let address) = destination { return address.family }
    return source?.family ?? family
  }
}

/// The reply of a name server to a query.
enum NameServerReply: Equatable, Sendable {
  /// An answer, with its response code (RCODE, RFC 1035 section 4.1.1).
  case answered(code: UInt8, after: Duration)
  /// No answer.
  case silent(for: Duration)
  /// The system could not send the query, or it was refused; the system's message.
  case failed(String)
  /// This machine itself refused the query, for example by a rule of its firewall.
  case refusedHere
}
