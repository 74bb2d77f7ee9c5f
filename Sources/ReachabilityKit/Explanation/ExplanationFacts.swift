/// All that an explanation is made of.
package struct ExplanationFacts: Sendable {
  /// What was found out about one address, or about the default route of one family.
  package struct Way: Sendable {
    package var target: ReachabilityTarget
    package var evaluation: Evaluation
    /// The question whose answer decided; `nil` if none was asked.
    package var question: RouteQuestion?
    package var answer: RouteAnswer?
    /// The entry that matched.
    package var entry: RouteAnswer?
    /// The entry for the other half of all addresses, where the one that matched is for half of them.
    package var otherHalf: RouteAnswer?
    package var neighbour: Neighbour
    /// Routes that refuse as the answer does.
    package var refusals: [RefusingRoute]

    package init(
      _ target: ReachabilityTarget, _ evaluation: Evaluation, question: RouteQuestion? = nil,
      answer: RouteAnswer? = nil,
      entry: RouteAnswer? = nil, otherHalf: RouteAnswer? = nil, neighbour: Neighbour = .unknown,
      refusals: [RefusingRoute] = []
    ) {
      self.target = target
      self.evaluation = evaluation
      self.question = question
      self.answer = answer
      self.entry = entry
      self.otherHalf = otherHalf
      self.neighbour = neighbour
      self.refusals = refusals
    }
  }

  /// What is known of the next hop on its link.
  package enum Neighbour: Hashable, Sendable {
    /// It was not asked about, or the system can't tell.
    case unknown
    /// Nobody has sent there lately.
    case absent
    /// It is being asked for the first time.
    case incomplete
    /// It answered a moment ago.
    case reachable
    /// It answered some time ago.
    case stale
    /// It did not answer.
    case failed
    /// Its link-layer address was set, or it needs none.
    case fixed
  }

  package var ways: [Way]
  /// The small tables; `nil` if the system tells of none.
  package var network: NetworkState?
  /// The policy rules of both families, in their order.
  package var rules: [IPAddress.Family: [PolicyRule]]
  /// The user for whom the kernel answered.
  package var userID: UInt32?
  /// The name servers with the statuses of the ways there; `nil` if it is not known which they are.
  package var nameServers: [(server: ReachabilityPath.NameServer, status: ReachabilityStatus)]?
  /// How the switches of radios stand, by the link's index, as far as they block something.
  package var radioBlocks: [Int32: RadioBlock] = [:]
  /// What name servers replied that were asked.
  package var replies: [ReachabilityPath.NameServer: NameServerReply] = [:]
  /// How long the look-up of a host's name took.
  package var lookUpDuration: Duration?
  /// What came of an attempt to connect.
  package var connection: ReachabilityConnectionReport?

  package init(
    _ ways: [Way], network: NetworkState? = nil, rules: [IPAddress.Family: [PolicyRule]] = [:],
    userID: UInt32? = nil,
    nameServers: [(server: ReachabilityPath.NameServer, status: ReachabilityStatus)]? = nil
  ) {
    self.ways = ways
    self.network = network
    self.rules = rules
    self.userID = userID
    self.nameServers = nameServers
  }
}

extension ExplanationFacts.Way {
  var status: ReachabilityStatus { evaluation.status }

  /// The family that this is about, or `nil` for both.
  var family: IPAddress.Family? {
    if case .address(let address) = target.destination { return address.family }
    return target.source?.family ?? target.family
  }

  /// The entry that matched, if it is a route.
  var route: RouteReply? {
    if case .route(let reply)? = entry { reply } else { nil }
  }
}

extension Evaluator {
  /// Returns the question whose answer decided a target's status, in the form that a socket's packets make.
  ///
  /// - Parameter answers: Those that the status was worked out from.
  func decisiveQuestion(
    about target: ReachabilityTarget, _ status: ReachabilityStatus, _ answers: RouteAnswers
  ) -> RouteQuestion? {
    let interface = target.interface.flatMap { network.index(of: $0) }
    func question(_ destination: IPAddress) -> RouteQuestion {
      RouteQuestion(destination, for: target, over: interface)
    }
    func decisive(_ question: RouteQuestion) -> RouteQuestion? {
      guard let answer = answers[question] else { return nil }
      if case .decisive(let other, _) = followUp(question, answer, answers) { return other }
      return question
    }
    switch target.destination {
    case .address(let address): return decisive(question(address))
    case .defaultRoute:
      let family = target.source?.family ?? target.family
      for candidate in Self.defaultCandidates.first(where: { $0[0].family == family }) ?? [] {
        guard let decisive = decisive(question(candidate)) else { break }
        if case .route(let reply)? = answers[decisive.exact], reply.prefixLength > Self.longestDefaultPrefix {
          continue
        }
        if case .known(let own) = evaluate(question(candidate), answers), own.status == status {
          return decisive
        }
      }
      return nil
    case .host: return nil
    }
  }
}
