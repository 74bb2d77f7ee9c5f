#if os(Linux)
import Netlink

extension NetworkTracker {
  /// The time until an evaluation that failed is repeated.
  static var retryInterval: Duration { Evaluator.retryInterval }

  /// Evaluates the status of a target with everything announced so far.
  mutating func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    var inquiry = StatusInquiry(target)
    do throws(NetlinkError) {
      if tableState == .unsettled { update() }
      if let question = Evaluator.soleQuestion(about: target) {
        try query(question)
        // Where one next hop serves both, the kernel answers for broadcasts as for unicasts, but sockets look up again.
        if !isStale, !question.destination.isGroupOrBroadcast,
          let known = memory.evaluation(where: { subscription.isAnswered(by: $0) })
        {
          return known
        }
        let answer = try readAnswer()
        if case .known(let evaluation) = evaluator.verdict(on: answer, to: question) {
          // If the tables were read after the answer, no route is left to remember.
          if memory.wantsNewAnswer(), let route = subscription.answeredRoute {
            memory.remember(evaluation, of: route)
          }
          return evaluation
        }
        inquiry.answers[question] = answer
      } else {
        // The questions depend on the tables.
        update()
        if let failure { throw failure }
      }
      return try resolved(inquiry, over: .announcements).evaluation
    } catch {
      return inquiry.evaluation
    }
  }

  /// Evaluates the statuses of observed targets, in their order, with few system calls whatever their number.
  mutating func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    let wasCurrent = tableState == .current
    if !wasCurrent { update() }
    if targets.count == 1, failure == nil, let evaluation = evaluateAlone(targets[0]) { return [evaluation] }
    // The tables must not be older than the call: an announcement since the last one may be why an observer joined.
    if wasCurrent { update() }
    let unknown = Evaluation(.unknown(.systemError), lifetime: Self.retryInterval)
    var evaluations = [Evaluation](repeating: unknown, count: targets.count)
    guard failure == nil else { return evaluations }
    // Steps limit the memory that many targets take.
    for start in stride(from: 0, to: targets.count, by: Conversation.batchLimit) {
      let end = min(start + Conversation.batchLimit, targets.count)
      try? evaluate(start..<end, of: targets, into: &evaluations)
    }
    return evaluations
  }

  /// Evaluates one target, as most changes require, or returns `nil` if that takes current tables or fails.
  ///
  /// The lookups use the socket of the announcements, whose code runs anyway; that of batches would have to be fetched.
  private mutating func evaluateAlone(_ target: ReachabilityTarget) -> Evaluation? {
    // The interface and the source are looked up in the tables first.
    guard target.interface == nil, target.source == nil else { return nil }
    var answers = RouteAnswers()
    if let question = Self.watchedQuestion(about: target) {
      guard let answer = try? lookUp(question) else { return nil }
      if case .known(let evaluation) = evaluator.verdict(on: answer, to: question) { return evaluation }
      answers[question] = answer
    }
    var inquiry = StatusInquiry(target, lifetime: Self.retryInterval)
    inquiry.answers = answers
    return try? resolved(inquiry, over: .announcements, isWatched: true).evaluation
  }

  /// The only question that an observed target mostly takes; `nil` for IPv6, whose routes may have lifetimes.
  private static func watchedQuestion(about target: ReachabilityTarget) -> RouteQuestion? {
    Evaluator.soleQuestion(about: target).flatMap { $0.destination.bitWidth == 32 ? $0 : nil }
  }

  /// Evaluates some of the observed targets; if it throws, the others remain unknown.
  private mutating func evaluate(
    _ step: Range<Int>, of targets: [ReachabilityTarget], into evaluations: inout [Evaluation]
  ) throws(NetlinkError) {
    // Most targets need one answer.
    var simple: [(position: Int, question: RouteQuestion)] = []
    simple.reserveCapacity(step.count)
    var inquiries: [StatusInquiry] = []
    for position in step {
      if let question = Self.watchedQuestion(about: targets[position]) {
        simple.append((position, question))
      } else {
        inquiries.append(StatusInquiry(targets[position], at: position, lifetime: Self.retryInterval))
      }
    }
    do {
      // No table changes during the batch.
      let evaluator = evaluator
      var memory = AnswerMemory()
      swap(&memory, &self.memory)
      defer { swap(&memory, &self.memory) }
      let (user, unfinished) = (user, unfinished)
      var isSuspect = false
      defer { if isSuspect { hasSuspectAnswer = true } }
      try client.lookUp(simple.count) {
        RouteRequest(simple[$0].question, of: user)
      } answer: { index, bytes, message throws(DecodingError) in
        let (position, question) = simple[index]
        if let evaluation = memory.evaluation(where: { $0.isSame(as: message, of: bytes) }) {
          evaluations[position] = evaluation
          return
        }
        let answer = RouteAnswer(try message.lookup(of: bytes))
        if unfinished.mayContain(answer) { isSuspect = true }
        guard case .known(let evaluation) = evaluator.verdict(on: answer, to: question) else {
          var inquiry = StatusInquiry(targets[position], at: position, lifetime: Self.retryInterval)
          inquiry.answers[question] = answer
          inquiries.append(inquiry)
          return
        }
        evaluations[position] = evaluation
        if memory.wantsNewAnswer(), let route = KnownRoute(message, of: bytes) {
          memory.remember(evaluation, of: route)
        }
      }
    }
    defer { for inquiry in inquiries { evaluations[inquiry.position] = inquiry.evaluation } }
    try resolve(&inquiries, over: .batches, isWatched: true)
  }

  // MARK: Path

  /// Evaluates the path with everything announced so far.
  mutating func evaluatePath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    let inquiry = PathInquiry(nameServers: nameServers, metering: metering)
    let ended = try? readConsistently { tracker throws(NetlinkError) in
      try tracker.resolved(inquiry, over: .batches)
    }
    return ended?.evaluation ?? .unknown(for: nil)
  }

  /// Evaluates the path for observers, for whom each change leads to another evaluation.
  mutating func evaluateObservedPath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    if tableState != .current { update() }
    var inquiry = PathInquiry(nameServers: nameServers, metering: metering)
    if failure == nil, let ended = try? resolved(inquiry, over: .batches, isWatched: true) { inquiry = ended }
    return inquiry.evaluation ?? .unknown(for: Self.retryInterval)
  }
}
#endif
