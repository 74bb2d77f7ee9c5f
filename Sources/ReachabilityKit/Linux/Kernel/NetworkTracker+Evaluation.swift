#if os(Linux)
import Netlink

extension NetworkTracker {
  /// The time until an evaluation that failed is repeated.
  static var retryInterval: Duration { Evaluator.retryInterval }

  /// Evaluates the status of a target with everything announced so far.
  mutating func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    do throws(NetlinkError) {
      if tableState == .unsettled { update() }
      if target.isConstrained {
        // The first question depends on the tables.
        update()
        if let failure { throw failure }
        readSettings(for: [target])
      }
      var evaluation = try evaluated(target)
      if suspectsPolicy({ network, _ in network.policyQuestion(about: target, evaluation.status) }, count: 1)
      {
        evaluation = try evaluated(target)
      }
      endSuspicion(isBlocked: evaluation.status.reason == .blockedByIPsec)
      return evaluation
    } catch {
      return Evaluation(.unknown(.systemError))
    }
  }

  /// Reads the settings that decide about targets and whose change the kernel does not announce.
  mutating func readSettings(for targets: [ReachabilityTarget]) {
    guard targets.contains(where: { $0.source?.bitWidth == 128 }) else { return }
    let allowsAnySource = sources?.allowsAnySource() ?? false
    if allowsAnySource != evaluator.allowsAnySource { memory.forgetAll() }
    evaluator.allowsAnySource = allowsAnySource
  }

  /// Evaluates a target by lookups on the socket of the announcements.
  private mutating func evaluated(
    _ target: ReachabilityTarget, isWatched: Bool = false
  ) throws(NetlinkError) -> Evaluation {
    let sole = isWatched ? Self.watchedQuestion(about: target) : Evaluator.soleQuestion(about: target)
    let subject = sole.map { AnswerMemory.Subject($0) } ?? AnswerMemory.Subject(target, isWatched: isWatched)
    if let evaluation = try recall(subject, sole) { return evaluation }
    return try evaluatedAnew(target, sole, isWatched: isWatched)
  }

  /// Asks the questions about a subject as long as their answers are remembered.
  ///
  /// - Parameter sole: The question about an address that takes one; its answer stays unread if it is new.
  private mutating func recall(
    _ subject: AnswerMemory.Subject?, _ sole: RouteQuestion?
  ) throws(NetlinkError) -> Evaluation? {
    var place = 0
    if sole == nil {
      guard let subject, let known = memory.course(of: subject, where: { _ in true }) else { return nil }
      place = known
    }
    var step = 0
    while true {
      // It also applies the announcements before the answer, which may clear the memory.
      try query(sole ?? memory.courses[place].steps[step].question)
      guard !isStale, let subject,
        let next = memory.course(
          of: subject, like: place, at: step, where: { subscription.isAnswered(by: $0) })
      else { return nil }
      place = next
      // Only then is the answer copied.
      if unfinished.hasDeletions || nextHops != nil {
        let known = memory.courses[place].steps[step]
        suspect(known.answer)
        nextHops?.record(known.answer, to: sole ?? known.question)
      }
      step += 1
      if step == memory.courses[place].steps.count { return memory.courses[place].evaluation }
    }
  }

  // Apart, since most answers are remembered.
  @inline(never)
  private mutating func evaluatedAnew(
    _ target: ReachabilityTarget, _ sole: RouteQuestion?, isWatched: Bool
  ) throws(NetlinkError) -> Evaluation {
    var inquiry = StatusInquiry(target, lifetime: isWatched ? Self.retryInterval : nil)
    guard let sole else {
      memory.startRecord()
      var evaluation: Evaluation?
      defer { memory.endRecord(of: AnswerMemory.Subject(target, isWatched: isWatched), evaluation) }
      inquiry = try resolved(inquiry, over: .announcements, isWatched: isWatched)
      evaluation = inquiry.evaluation
      return inquiry.evaluation
    }
    let answer = try readAnswer(to: sole)
    if case .known(let evaluation) = evaluator.verdict(on: answer, to: sole) {
      // If the tables were read after the answer, no answer is left to remember.
      memory.remember(evaluation, of: sole, answer) { subscription.knownAnswer }
      return evaluation
    }
    inquiry.answers[sole] = answer
    return try resolved(inquiry, over: .announcements, isWatched: isWatched).evaluation
  }

  /// Evaluates the statuses of observed targets, in their order, with few system calls whatever their number.
  mutating func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    var evaluations = evaluateRouted(targets)
    if suspectsPolicy({ $0.policyQuestion(about: targets[$1], evaluations[$1].status) }, count: targets.count)
    {
      evaluations = evaluateRouted(targets)
    }
    endSuspicion(isBlocked: evaluations.contains { $0.status.reason == .blockedByIPsec })
    return evaluations
  }

  private mutating func evaluateRouted(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    let wasCurrent = tableState == .current
    if !wasCurrent { update() }
    if targets.count == 1, failure == nil, let evaluation = evaluateAlone(targets[0]) { return [evaluation] }
    // The tables must not be older than the call: an announcement since the last one may be why an observer joined.
    if wasCurrent { update() }
    readSettings(for: targets)
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
    target.isConstrained ? nil : try? evaluated(target, isWatched: true)
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
      var nextHops = nextHops.take()
      defer { self.nextHops = nextHops }
      var isSuspect = false
      defer { if isSuspect { hasSuspectAnswer = true } }
      try client.lookUp(simple.count) {
        RouteRequest(simple[$0].question, of: user)
      } answer: { index, bytes, message throws(DecodingError) in
        let (position, question) = simple[index]
        if let subject = AnswerMemory.Subject(question),
          let place = memory.course(of: subject, where: { $0.isSame(as: message, of: bytes) })
        {
          if unfinished.mayContain(memory.courses[place].steps[0].answer) { isSuspect = true }
          nextHops?.record(memory.courses[place].steps[0].answer, to: question)
          evaluations[position] = memory.courses[place].evaluation
          return
        }
        let answer = RouteAnswer(try message.lookup(of: bytes))
        if unfinished.mayContain(answer) { isSuspect = true }
        nextHops?.record(answer, to: question)
        guard case .known(let evaluation) = evaluator.verdict(on: answer, to: question) else {
          var inquiry = StatusInquiry(targets[position], at: position, lifetime: Self.retryInterval)
          inquiry.answers[question] = answer
          inquiries.append(inquiry)
          return
        }
        evaluations[position] = evaluation
        memory.remember(evaluation, of: question, answer) { KnownAnswer(message, of: bytes) }
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
    return withPolicies { tracker in
      let ended = try? tracker.readConsistently { tracker throws(NetlinkError) in
        try tracker.resolved(inquiry, over: .batches)
      }
      return ended?.evaluation ?? .unknown(for: nil)
    }
  }

  /// Evaluates the path, and again if an IPsec policy blocks packets by its default routes.
  private mutating func withPolicies(_ evaluate: (inout Self) -> PathEvaluation) -> PathEvaluation {
    var evaluation = evaluate(&self)
    let families = [evaluation.path.supportsIPv4, evaluation.path.supportsIPv6]
    if suspectsPolicy(
      { families[$1] ? RouteQuestion(DefaultRoute.candidates[$1][0], for: .defaultRoute) : nil }, count: 2
    ) {
      evaluation = evaluate(&self)
    }
    let path = evaluation.path
    endSuspicion(isBlocked: [path.reasonAgainstIPv4, path.reasonAgainstIPv6].contains(.blockedByIPsec))
    return evaluation
  }

  /// Evaluates the path for observers, for whom each change leads to another evaluation.
  mutating func evaluateObservedPath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    if tableState != .current { update() }
    let inquiry = PathInquiry(nameServers: nameServers, metering: metering)
    return withPolicies { tracker in
      let ended =
        tracker.failure == nil ? try? tracker.resolved(inquiry, over: .batches, isWatched: true) : nil
      return ended?.evaluation ?? .unknown(for: Self.retryInterval)
    }
  }
}

extension ReachabilityTarget {
  /// Whether the first question about it depends on the tables, which have its interface and its source.
  fileprivate var isConstrained: Bool { interface != nil || source != nil }
}
#endif
