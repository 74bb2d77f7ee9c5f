#if os(Linux)
import Netlink

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension NetworkTracker {
  /// Finds out what an explanation is made of, with the messages read that were announced before.
  ///
  /// - Parameters:
  ///   - targets: What decides the status; the default route stands for that of each family.
  ///   - nameServers: Those that this machine is told to ask; `nil` if that is not known.
  mutating func facts(about targets: [ReachabilityTarget], _ nameServers: [ReachabilityPath.NameServer]?)
    -> ExplanationFacts
  {
    var facts = ExplanationFacts([], nameServers: nil)
    for _ in 0..<Self.readLimit {
      update()
      do throws(NetlinkError) {
        facts = try ask(about: targets.flatMap(\.ways), nameServers)
      } catch {
        return ExplanationFacts(targets.map { .init($0, Evaluation(.unknown(.systemError))) })
      }
      update()
      // Nothing changed between the tables and the answers, so they belong together.
      if facts.network == networkState { break }
    }
    return facts
  }

  private mutating func ask(
    about targets: [ReachabilityTarget], _ nameServers: [ReachabilityPath.NameServer]?
  ) throws(NetlinkError) -> ExplanationFacts {
    if let failure { throw failure }
    var facts = ExplanationFacts([], userID: geteuid())
    for family in [IPAddress.Family.v4, .v6] {
      // A kernel without rules refuses.
      let rules = (try? client.rules(family == .v4 ? .ipv4 : .ipv6))?.entries ?? []
      facts.rules[family] = rules.map(PolicyRule.init)
    }
    for target in targets { facts.paths.append(try way(of: target)) }
    facts.nameServers = nameServers?.map { ($0, evaluate($0.target).status) }
    facts.network = networkState
    facts.radioBlocks = radioBlocks()
    return facts
  }

  /// How the radios are blocked that are not in use; what can't be asked costs no more than the advice.
  private mutating func radioBlocks() -> [Int32: RadioBlock] {
    let radios = networkState.links.filter { _, link in
      link.condition != .up && [.wifi, .cellular, .bluetooth].contains(link.interface.kind)
    }
    guard !radios.isEmpty, let messages = (try? client.links())?.entries else { return [:] }
    var blocks: [Int32: RadioBlock] = [:]
    for message in messages {
      guard let radio = radios[message.index] else { continue }
      blocks[message.index] = RadioSwitches().block(of: message, radio.interface.kind)
    }
    return blocks
  }

  /// Works out a status as ever, and asks on where that stops.
  private mutating func way(of target: ReachabilityTarget) throws(NetlinkError) -> ExplanationFacts.Path {
    var answers = RouteAnswers()
    var way = ExplanationFacts.Path(target, Evaluation(.unknown(.systemError)))
    rounds: for _ in 0..<Self.roundLimit {
      switch evaluator.evaluate(target, answers) {
      case .known(let evaluation):
        way.evaluation = evaluation
        break rounds
      case .ask(let questions):
        for question in questions { answers[question] = try answer(to: question) }
      case .unknownLink(let index):
        if isUnreadable(link: index) { break rounds }
        answers = RouteAnswers()
        refresh()
        if let failure { throw failure }
      }
    }
    way.question = evaluator.decisiveQuestion(about: target, way.status, answers)
    guard let question = way.question else { return way }
    way.answer = try answered(question, answers)
    way.entry = try answered(question.exact, answers)
    if way.route?.prefixLength == 1, let half = question.otherHalf { way.otherHalf = try answer(to: half) }
    if let (hop, link) = PathExplainer.neighbour(of: way, networkState) {
      way.neighbour = neighbour(hop, on: link.index)
    }
    if case .refused(let refusal)? = way.answer { way.refusals = routes(refusingBy: refusal, question) }
    return way
  }

  private mutating func answered(
    _ question: RouteQuestion, _ answers: RouteAnswers
  ) throws(NetlinkError) -> RouteAnswer {
    if let known = answers[question] { return known }
    return try answer(to: question)
  }

  private mutating func neighbour(_ address: IPAddress, on index: Int32) -> ExplanationFacts.Neighbour {
    do throws(NetlinkError) {
      return try client.neighbour(address, on: index).map { .init($0.state) } ?? .absent
    } catch {
      // A kernel older than 5.0 does not tell.
      return .unknown
    }
  }

  private mutating func routes(
    refusingBy refusal: RouteAnswer.Refusal, _ question: RouteQuestion
  ) -> [RefusingRoute] {
    let kind: RouteKind
    let word: PolicyRule.Refusal
    switch refusal {
    case .invalid: (kind, word) = (.blackhole, .blackhole)
    case .hostUnreachable: (kind, word) = (.unreachable, .unreachable)
    case .accessDenied: (kind, word) = (.prohibit, .prohibit)
    default: return []
    }
    let routes = try? client.routes(question.destination.bitWidth == 32 ? .ipv4 : .ipv6, kind)
    return (routes?.entries ?? []).compactMap { route in
      guard let prefix = route.prefix, prefix.contains(question.destination) else { return nil }
      return RefusingRoute(word, prefix, table: route.table)
    }
  }
}

extension ReachabilityTarget {
  /// The targets that make the status of this one: the default route is that of each family.
  fileprivate var ways: [ReachabilityTarget] {
    guard destination == .defaultRoute, family == nil, source == nil else { return [self] }
    return [IPAddress.Family.v4, .v6].map { family in
      var target = self
      target.family = family
      return target
    }
  }
}

extension ExplanationFacts.Neighbour {
  init(_ state: NeighbourState) {
    if !state.isDisjoint(with: [.needless, .permanent]) {
      self = .fixed
    } else if state.contains(.reachable) {
      self = .reachable
    } else if !state.isDisjoint(with: [.stale, .delay, .probe]) {
      self = .stale
    } else if state.contains(.failed) {
      self = .failed
    } else {
      self = state.contains(.incomplete) ? .incomplete : .absent
    }
  }
}

extension PolicyRule {
  init(_ message: RuleMessage) {
    let action: Action
    switch message.action {
    case .lookUp: action = message.table == 0 ? .other : .lookUp(message.table)
    case .blackhole: action = .refuse(.blackhole)
    case .unreachable: action = .refuse(.unreachable)
    case .prohibit: action = .refuse(.prohibit)
    default: action = .other
    }
    let transport: PolicyRule.Transport? = message.protocolNumber.map { number in
      ReachabilityTarget.Transport.allCases.first { $0.protocolNumber == number }.map { .known($0) }
        ?? .other(number)
    }
    // FRA_SUPPRESS_IFGROUP, FRA_PAD and FRA_PROTOCOL choose no packets; UInt32.max suppresses nothing.
    let harmless: Set<UInt16> = [13, 18, 21]
    let users = message.userIDs?.range(isExact: UserNamespace.isInitial)
    let suppressed = message.suppressedPrefixLength.flatMap { $0 == .max ? nil : $0 }
    self.init(
      message.priority ?? 0, action,
      source: message.source.flatMap { IPPrefix($0, length: Int(message.sourceLength)) },
      destination: message.destination.flatMap { IPPrefix($0, length: Int(message.destinationLength)) },
      mark: message.mark, markMask: message.markMask ?? .max, outputInterface: message.outputInterface,
      inputInterface: message.inputInterface, userIDs: users, transport: transport,
      sourcePorts: message.sourcePorts, destinationPorts: message.destinationPorts,
      destinationPortMask: message.destinationPortMask, isInverted: message.isInverted,
      suppressedPrefixLength: suppressed,
      asksForMore: message.typeOfService != 0 || (message.userIDs != nil && users == nil)
        || message.unknown.contains { !harmless.contains($0.type) })
  }
}
#endif
