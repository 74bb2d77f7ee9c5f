/// The facts of an explanation.
package struct ExplanationFacts: Sendable {
  /// The facts about one address, or about the default route of one family.
  package struct Path: Sendable {
    package var target: ReachabilityTarget
    package var evaluation: Evaluation
    /// The status by links, addresses and routes alone, if a tunnel or an IPsec policy decides too.
    package var routedStatus: ReachabilityStatus?
    /// What an IPsec policy does to packets, if it stops them.
    package var ipsec: IPsec?
    /// The facts about the other end of that tunnel.
    package var remote: [Path] = []
    /// The query whose answer decided the status; `nil` if there was none.
    package var question: RouteQuestion?
    package var answer: RouteAnswer?
    /// The matching entry of the routing tables.
    package var entry: RouteAnswer?
    /// The entry for the other half of the address space, if the matching entry is a half route.
    package var otherHalf: RouteAnswer?
    package var neighbour: Neighbour
    /// The routes of all tables that match the destination, in each table and for each prefix in the kernel's order;
    /// `nil` if they were not listed.
    package var routes: [TableRoute]?

    package init(
      _ target: ReachabilityTarget, _ evaluation: Evaluation, question: RouteQuestion? = nil,
      answer: RouteAnswer? = nil,
      entry: RouteAnswer? = nil, otherHalf: RouteAnswer? = nil, neighbour: Neighbour = .unknown,
      routes: [TableRoute]? = nil
    ) {
      self.target = target
      self.evaluation = evaluation
      self.question = question
      self.answer = answer
      self.entry = entry
      self.otherHalf = otherHalf
      self.neighbour = neighbour
      self.routes = routes
    }
  }

  /// An IPsec policy that stops packets.
  package struct IPsec: Hashable, Sendable {
    /// Whether it blocks them; otherwise it requires a state (SA) that does not exist.
    package var isBlocked: Bool
    /// The policy in the words of the `ip` command, or `nil` if it could not be read.
    package var policy: String?
    /// The command that deletes it.
    package var deletion: String?

    package init(isBlocked: Bool, policy: String? = nil, deletion: String? = nil) {
      self.isBlocked = isBlocked
      self.policy = policy
      self.deletion = deletion
    }
  }

  /// The state of the next hop in the neighbour table.
  package enum Neighbour: Hashable, Sendable {
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
  package struct OverlongSearchDomain: Hashable, Sendable {
    /// The file that lists it; `nil` for the variable `LOCALDOMAIN`.
    package var path: String?
    /// The number of bytes.
    package var length: Int

    package init(path: String?, length: Int) {
      self.path = path
      self.length = length
    }
  }

  package var paths: [Path]
  /// The link, address and rule tables; `nil` if the system does not report them.
  package var network: NetworkState?
  /// The policy rules of both families, in their order; none for a family whose rules are not known.
  package var rules: [IPAddress.Family: [PolicyRule]]
  /// The user ID of the queries.
  package var userID: UInt32?
  /// The name servers with the statuses of their addresses; `nil` if they are not known.
  package var nameServers: [(server: ReachabilityPath.NameServer, status: ReachabilityStatus)]?
  /// Whether the name servers are configured; otherwise the system queries them for want of any.
  package var areNameServersConfigured = true
  /// The search domain that prevents lookups.
  package var overlongSearchDomain: OverlongSearchDomain?
  /// The blocked radios, by the index of the link.
  package var radioBlocks: [Int32: RadioBlock] = [:]
  /// The replies of the name servers that were queried.
  package var replies: [ReachabilityPath.NameServer: NameServerReply] = [:]
  /// The duration of the lookup of a host's name.
  package var lookUpDuration: Duration?
  /// The evidence about the target; `nil` if no packet leaves this machine, or the source cannot read traffic.
  package var evidence: TrafficEvidence?
  /// The report of an attempt to connect.
  package var connection: ReachabilityConnectionReport?

  package init(
    _ paths: [Path], network: NetworkState? = nil, rules: [IPAddress.Family: [PolicyRule]] = [:],
    userID: UInt32? = nil,
    nameServers: [(server: ReachabilityPath.NameServer, status: ReachabilityStatus)]? = nil
  ) {
    self.paths = paths
    self.network = network
    self.rules = rules
    self.userID = userID
    self.nameServers = nameServers
  }
}

extension ExplanationFacts.Path {
  var status: ReachabilityStatus { evaluation.status }

  /// The address family, or `nil` for both.
  var family: IPAddress.Family? {
    if case .address(let address) = target.destination { return address.family }
    return target.source?.family ?? target.family
  }

  /// The matching entry, if it is a route.
  var route: RouteReply? {
    if case .route(let reply)? = entry { reply } else { nil }
  }
}

/// The reply of a name server to a query.
package enum NameServerReply: Hashable, Sendable {
  /// An answer, with its response code (RCODE, RFC 1035 section 4.1.1).
  case answered(code: UInt8, after: Duration)
  /// No answer.
  case silent(for: Duration)
  /// The system could not send the query, or it was refused; the system's message.
  case failed(String)
  /// This machine itself refused the query, for example by a rule of its firewall.
  case refusedHere
}

/// The kind of a radio's block; the kernel's subsystem is `rfkill`.
package enum RadioBlock: Hashable, Sendable {
  /// A program blocks the radio.
  case soft
  /// A hardware switch or the firmware blocks the radio, which no program can change.
  case hard
}
