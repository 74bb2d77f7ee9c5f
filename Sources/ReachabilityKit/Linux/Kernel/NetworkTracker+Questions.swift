#if os(Linux)
import Netlink

extension NetworkTracker {
  /// How many rounds of questions a target may need; the default route needs the most.
  static var roundLimit: Int { 16 }
  /// When to ask again about a target whose question failed.
  static var retryInterval: Duration { Evaluator.retryInterval }

  /// Works out the status of a target now, with the messages read that were announced before.
  mutating func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    do throws(NetlinkError) {
      return try ask(about: target)
    } catch {
      return Evaluation(.unknown(.systemError))
    }
  }

  /// Returns the indexes that interfaces have now; `nil` for those that are not there.
  mutating func indexes(of interfaces: [ReachabilityTarget.Interface?]) -> [UInt32?] {
    update()
    return interfaces.map { $0.flatMap(networkState.index).flatMap(UInt32.init(exactly:)) }
  }

  private mutating func ask(about target: ReachabilityTarget) throws(NetlinkError) -> Evaluation {
    if isUnsettled { update() }
    if let question = Evaluator.soleQuestion(about: target) {
      try ask(question)
      // Of packets for all, the kernel says what it says of others where one next hop serves both, and sockets look again.
      if !isStale, !question.destination.isGroupOrBroadcast,
        let known = memory.evaluation(where: { subscription.isAnswered(by: $0) })
      {
        return known
      }
      return try askMore(about: target, after: question)
    }
    // What is to be asked depends on the tables.
    update()
    if let failure { throw failure }
    return try ask(about: target, RouteAnswers())
  }

  /// Works out what the answer that waits says about a target, with more questions if that takes more.
  private mutating func askMore(
    about target: ReachabilityTarget, after question: RouteQuestion
  ) throws(NetlinkError) -> Evaluation {
    let answer = RouteAnswer(try subscription.readAnswer())
    try updateIfStale()
    if case .known(let evaluation) = evaluator.evaluate(answer, to: question) {
      // If the tables were read meanwhile, there is no answer any more, so that nothing is kept.
      if memory.wantsNewAnswer(), let route = subscription.answeredRoute {
        memory.remember(evaluation, of: route)
      }
      return evaluation
    }
    var answers = RouteAnswers()
    answers[question] = answer
    return try ask(about: target, answers)
  }

  private mutating func ask(about target: ReachabilityTarget, _ answers: RouteAnswers) throws(NetlinkError)
    -> Evaluation
  {
    var answers = answers
    var isRefreshed = false
    for _ in 0..<Self.roundLimit {
      switch evaluator.evaluate(target, answers) {
      case .known(let evaluation):
        return evaluation
      case .ask(let questions):
        for question in questions { answers[question] = try answer(to: question) }
      case .unknownLink(let index):
        if isUnreadable(link: index) { return Evaluation(.unknown(.systemError)) }
        // The kernel is ahead of its messages; once they are read the link is there, or the route is gone.
        guard !isRefreshed else { return Evaluation(.notReachable(.noRoute)) }
        isRefreshed = true
        answers = RouteAnswers()
        refresh()
        if let failure { throw failure }
      }
    }
    return Evaluation(.unknown(.systemError))
  }

  /// Puts one question; what was announced before the answer is known when this returns.
  mutating func answer(to question: RouteQuestion) throws(NetlinkError) -> RouteAnswer {
    if question.asksForSource { return chosenSource(for: question) }
    try ask(question)
    let answer = RouteAnswer(try subscription.readAnswer())
    try updateIfStale()
    return answer
  }

  /// Puts one question, and notes what was announced before the answer, which is still to be read.
  private mutating func ask(_ question: RouteQuestion) throws(NetlinkError) {
    let user = user
    let hasUser = mayAskForUsers
    var events: [RouteEvent?] = []
    try subscription.ask(RouteRequest(question, of: user)) { events.append($0) }
    guard !events.isEmpty else { return }
    note(events)
    // A rule for users came before the answer.
    if mayAskForUsers, !hasUser { try ask(question) }
  }

  /// The user whom packets belong to, where that may matter; the system call would be a twentieth of a lookup.
  private var user: UInt32? { mayAskForUsers ? SocketUser.current : nil }

  private mutating func note(_ events: [RouteEvent?]) {
    for event in events { note(event) }
    settle()
  }

  /// Works out the status of one target with one question; `nil` if it takes more.
  ///
  /// What changes concerns one target more often than not, and that one should be told soon.
  private mutating func evaluate(watched target: ReachabilityTarget) -> Evaluation? {
    guard let question = Self.onlyQuestion(about: target), let answer = try? answer(to: question),
      case .known(let evaluation) = evaluator.evaluate(answer, to: question)
    else { return nil }
    return evaluation
  }

  /// The one question that a target that is followed mostly takes; `nil` where it always takes more: an IPv6 route may
  /// have a lifetime.
  private static func onlyQuestion(about target: ReachabilityTarget) -> RouteQuestion? {
    Evaluator.soleQuestion(about: target).flatMap { $0.destination.bitWidth == 32 ? $0 : nil }
  }

  /// Works out the statuses of targets that are followed, in their order, with few calls whatever their number.
  mutating func evaluate(watched targets: [ReachabilityTarget]) -> [Evaluation] {
    let isReadAnew = isStale || isUnsettled
    if isReadAnew { update() }
    if targets.count == 1, failure == nil, let evaluation = evaluate(watched: targets[0]) {
      return [evaluation]
    }
    // No older than the question: an observer may have joined because of what the kernel announced since the last one.
    if !isReadAnew { update() }
    let unknown = Evaluation(.unknown(.systemError), lifetime: Self.retryInterval)
    guard failure == nil else { return Array(repeating: unknown, count: targets.count) }
    var evaluations: [Evaluation] = []
    evaluations.reserveCapacity(targets.count)
    // In steps, which take little memory however many targets there are.
    for start in stride(from: 0, to: targets.count, by: Conversation.batchLimit) {
      let end = min(start + Conversation.batchLimit, targets.count)
      evaluate(start..<end, of: targets, into: &evaluations, or: unknown)
      while evaluations.count < end { evaluations.append(unknown) }
    }
    return evaluations
  }

  /// Works out the statuses of a few targets, but for those about which the kernel can't be asked.
  private mutating func evaluate(
    _ step: Range<Int>, of targets: [ReachabilityTarget], into evaluations: inout [Evaluation],
    or unknown: Evaluation
  ) {
    let evaluator = Evaluator(network: evaluator.network, isWatching: true)
    // Most targets need one answer.
    var simple: [(index: Int, question: RouteQuestion)] = []
    simple.reserveCapacity(step.count)
    var pending: [(index: Int, answers: RouteAnswers)] = []
    for index in step {
      if let question = Self.onlyQuestion(about: targets[index]) {
        simple.append((index, question))
      } else {
        pending.append((index, RouteAnswers()))
      }
    }
    do throws(NetlinkError) {
      // For as long as only this is asked, no table changes.
      var memory = AnswerMemory()
      swap(&memory, &self.memory)
      defer { swap(&memory, &self.memory) }
      let user = user
      try client.lookUp(simple.count) {
        RouteRequest(simple[$0].question, of: user)
      } answer: { position, bytes, message throws(DecodingError) in
        let (index, question) = simple[position]
        if let evaluation = memory.evaluation(where: { $0.isSame(as: message, of: bytes) }) {
          evaluations.put(evaluation, at: index, or: unknown)
          return
        }
        let answer = RouteAnswer(try message.lookup(of: bytes))
        if case .known(let evaluation) = evaluator.evaluate(answer, to: question) {
          evaluations.put(evaluation, at: index, or: unknown)
          if memory.wantsNewAnswer(), let route = KnownRoute(message, of: bytes) {
            memory.remember(evaluation, of: route)
          }
        } else {
          var answers = RouteAnswers()
          answers[question] = answer
          pending.append((index, answers))
        }
      }
    } catch {
      return
    }
    for _ in 0..<Self.roundLimit where !pending.isEmpty {
      var questions: [RouteQuestion] = []
      var askers: [Int] = []
      var open: [(index: Int, answers: RouteAnswers)] = []
      for (index, answers) in pending {
        let target = targets[index]
        switch evaluator.evaluate(target, answers) {
        case .known(let evaluation): evaluations.put(evaluation, at: index, or: unknown)
        case .ask(let more):
          questions += more
          askers += repeatElement(open.count, count: more.count)
          open.append((index, answers))
        case .unknownLink:
          // Rare enough to go the slow way, and once more soon, since that way does not tell a lifetime.
          let evaluation = Evaluation(evaluate(target).status, lifetime: Self.retryInterval)
          evaluations.put(evaluation, at: index, or: unknown)
        }
      }
      guard let replies = self.answers(to: questions) else { return }
      for (position, asker) in askers.enumerated() {
        open[asker].answers[questions[position]] = replies[position]
      }
      pending = open
    }
  }
}

extension NetworkTracker {
  /// Returns the kernel's answers, or `nil` if it can't be asked.
  mutating func answers(to questions: [RouteQuestion]) -> [RouteAnswer]? {
    var answers = [RouteAnswer](repeating: .refused(.trouble), count: questions.count)
    // Questions for sources are asked in another way, and are rare.
    let positions = questions.indices.filter { !questions[$0].asksForSource }
    let user = user
    do throws(NetlinkError) {
      try client.lookUp(positions.count) {
        RouteRequest(questions[positions[$0]], of: user)
      } answer: { index, bytes, message throws(DecodingError) in
        answers[positions[index]] = RouteAnswer(try message.lookup(of: bytes))
      }
    } catch {
      return nil
    }
    if positions.count < questions.count {
      for position in questions.indices where questions[position].asksForSource {
        answers[position] = chosenSource(for: questions[position])
      }
    }
    return answers
  }

  private mutating func chosenSource(for question: RouteQuestion) -> RouteAnswer {
    if mayAskForUsers, sources?.become(SocketUser.current) == false { return .refused(.trouble) }
    return sources?.answer(to: question) ?? .refused(.trouble)
  }
}

extension [Evaluation] {
  /// Sets what is in a place; mostly that is the next, and where it is not, something else stands in between.
  fileprivate mutating func put(_ evaluation: consuming Evaluation, at index: Int, or other: Evaluation) {
    while count < index { append(other) }
    if index == count { append(evaluation) } else { self[index] = evaluation }
  }
}

/// What statuses need to know of the policy rules.
struct RuleFindings {
  /// The rules that ask where packets come from.
  var sources: [SourceRule] = []
  /// Whether a rule may ask for the user whom packets belong to.
  var asksForUsers = false
  /// Whether the rules changed each time that they were listed.
  var isInterrupted = false
}

extension RouteClient {
  /// Lists the rules; a kernel without rules refuses, and then there are none.
  mutating func ruleFindings() throws(NetlinkError) -> RuleFindings {
    var found = RuleFindings()
    for family in [AddressFamily.ipv4, .ipv6] {
      do throws(NetlinkError) {
        let rules = try rules(family)
        found.sources += rules.entries.compactMap(SourceRule.init)
        if rules.entries.contains(where: { $0.userIDs != nil }) { found.asksForUsers = true }
        if !rules.skipped.isEmpty {
          found.asksForUsers = true
          if let any = SourceRule.unreadable(family) { found.sources.append(any) }
        }
        found.isInterrupted = found.isInterrupted || rules.isInterrupted
      } catch {
        if error.code != .refused { throw error }
      }
    }
    return found
  }
}
#endif
