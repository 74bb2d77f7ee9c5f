#if os(Linux)
import Netlink

extension NetworkTracker {
  /// How many rounds of questions a target may need; the default route needs the most.
  static var roundLimit: Int { 16 }
  /// When to ask again about a target whose question failed.
  static var retryInterval: Duration { .seconds(1) }

  /// Works out the status of a target now, with the messages read that were announced before.
  mutating func evaluate(_ target: Target) -> Evaluation {
    do throws(NetlinkError) {
      return try ask(about: target)
    } catch {
      return Evaluation(.unknown(.systemError))
    }
  }

  private mutating func ask(about target: Target) throws(NetlinkError) -> Evaluation {
    var answers = RouteAnswers()
    if let question = Evaluator.soleQuestion(about: target) {
      let address = question.destination
      try ask(question)
      let known = memory.evaluation(of: target, address) { subscription.isAnswered(by: $0) }
      if let known, !isStale { return known }
      let bytes = memory.wantsNewAnswer() ? subscription.answeredRoute : nil
      let answer = RouteAnswer(try subscription.readAnswer())
      try updateIfStale()
      if case .known(let evaluation) = evaluator.evaluate(answer, to: question) {
        if let bytes { memory.remember(evaluation, of: target, address, bytes) }
        return evaluation
      }
      answers[question] = answer
    } else {
      // What is to be asked depends on the tables.
      update()
      if let failure { throw failure }
    }
    var isRefreshed = false
    for _ in 0..<Self.roundLimit {
      switch evaluator.evaluate(target, answers) {
      case .known(let evaluation):
        return evaluation
      case .ask(let questions):
        for question in questions { answers[question] = try answer(to: question) }
      case .unknownLink:
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
  private mutating func answer(to question: RouteQuestion) throws(NetlinkError) -> RouteAnswer {
    if question.asksForSource { return chosenSource(for: question) }
    try ask(question)
    let answer = RouteAnswer(try subscription.readAnswer())
    try updateIfStale()
    return answer
  }

  /// Puts one question, and notes what was announced before the answer, which is still to be read.
  private mutating func ask(_ question: RouteQuestion) throws(NetlinkError) {
    var events: [RouteEvent?] = []
    try subscription.ask(RouteRequest(question)) { events.append($0) }
    guard !events.isEmpty else { return }
    for event in events { note(event) }
    settle()
  }

  /// Works out the status of one target with one question; `nil` if it takes more.
  ///
  /// What changes concerns one target more often than not, and that one should be told soon.
  private mutating func evaluate(watched target: Target) -> Evaluation? {
    guard let question = Self.onlyQuestion(about: target), let answer = try? answer(to: question),
      case .known(let evaluation) = evaluator.evaluate(answer, to: question)
    else { return nil }
    return evaluation
  }

  /// The one question that a target that is followed mostly takes; `nil` where it always takes more: an IPv6 route may
  /// have a lifetime.
  private static func onlyQuestion(about target: Target) -> RouteQuestion? {
    Evaluator.soleQuestion(about: target).flatMap { $0.destination.bitWidth == 32 ? $0 : nil }
  }

  /// Works out the statuses of targets that are followed, in their order, with few calls whatever their number.
  mutating func evaluate(watched targets: [Target]) -> [Evaluation] {
    if isStale { update() }
    if targets.count == 1, failure == nil, let evaluation = evaluate(watched: targets[0]) {
      return [evaluation]
    }
    let unknown = Evaluation(.unknown(.systemError), lifetime: Self.retryInterval)
    guard failure == nil else { return Array(repeating: unknown, count: targets.count) }
    // In steps, which take little memory however many targets there are.
    var evaluations: [Evaluation] = []
    evaluations.reserveCapacity(targets.count)
    for start in stride(from: 0, to: targets.count, by: Conversation.batchLimit) {
      let step = targets[start..<min(start + Conversation.batchLimit, targets.count)]
      evaluations += evaluate(step: step).map { $0 ?? unknown }
    }
    return evaluations
  }

  /// Works out the statuses of a few targets; `nil` where the kernel can't be asked.
  private mutating func evaluate(step targets: ArraySlice<Target>) -> [Evaluation?] {
    let evaluator = Evaluator(network: evaluator.network, isWatching: true)
    var evaluations = [Evaluation?](repeating: nil, count: targets.count)
    // Most targets need one answer.
    var simple: [(index: Int, question: RouteQuestion)] = []
    var pending: [(index: Int, answers: RouteAnswers)] = []
    for (index, target) in targets.enumerated() {
      if let question = Self.onlyQuestion(about: target) {
        simple.append((index, question))
      } else {
        pending.append((index, RouteAnswers()))
      }
    }
    do throws(NetlinkError) {
      try client.lookUp(simple.count) {
        RouteRequest(simple[$0].question)
      } answer: { position, result in
        let (index, question) = simple[position]
        let answer = RouteAnswer(result)
        if case .known(let evaluation) = evaluator.evaluate(answer, to: question) {
          evaluations[index] = evaluation
        } else {
          var answers = RouteAnswers()
          answers[question] = answer
          pending.append((index, answers))
        }
      }
    } catch {
      return evaluations
    }
    for _ in 0..<Self.roundLimit where !pending.isEmpty {
      var questions: [RouteQuestion] = []
      var askers: [Int] = []
      var open: [(index: Int, answers: RouteAnswers)] = []
      for (index, answers) in pending {
        let target = targets[targets.startIndex + index]
        switch evaluator.evaluate(target, answers) {
        case .known(let evaluation): evaluations[index] = evaluation
        case .ask(let more):
          questions += more
          askers += repeatElement(open.count, count: more.count)
          open.append((index, answers))
        case .unknownLink:
          // Rare enough to go the slow way, and once more soon, since that way does not tell a lifetime.
          evaluations[index] = Evaluation(evaluate(target).status, lifetime: Self.retryInterval)
        }
      }
      guard let replies = self.answers(to: questions) else { return evaluations }
      for (position, asker) in askers.enumerated() {
        open[asker].answers[questions[position]] = replies[position]
      }
      pending = open
    }
    return evaluations
  }
}

extension NetworkTracker {
  /// Returns the kernel's answers, or `nil` if it can't be asked.
  mutating func answers(to questions: [RouteQuestion]) -> [RouteAnswer]? {
    var answers = [RouteAnswer](repeating: .refused(.trouble), count: questions.count)
    // Questions for sources are asked in another way, and are rare.
    let positions = questions.indices.filter { !questions[$0].asksForSource }
    do throws(NetlinkError) {
      try client.lookUp(positions.count) {
        RouteRequest(questions[positions[$0]])
      } answer: { index, result in
        answers[positions[index]] = RouteAnswer(result)
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
    sources?.answer(to: question) ?? .refused(.trouble)
  }
}

extension RouteClient {
  /// Lists the rules that ask where packets come from; a kernel without rules refuses, and then there are none.
  mutating func sourceRules() throws(NetlinkError) -> [SourceRule] {
    var found: [SourceRule] = []
    for family in [AddressFamily.ipv4, .ipv6] {
      do throws(NetlinkError) {
        found += try rules(family).compactMap(SourceRule.init)
      } catch {
        if error.code != .refused { throw error }
      }
    }
    return found
  }
}
#endif
