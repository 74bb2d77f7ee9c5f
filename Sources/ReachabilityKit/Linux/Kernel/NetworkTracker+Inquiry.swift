#if os(Linux)
import Netlink

/// The driver of all statuses, paths and explanations: query the kernel, evaluate, query more until the value is known.
///
/// Its retry rule: an answer that names a link which the tables lack shows that the kernel is ahead of its messages.
/// The tables are then read again, once, and the open inquiries begin anew. A link that even the new tables lack
/// does not exist. A link that could not be read leaves its inquiry unknown, as does a kernel that does not answer.
extension NetworkTracker {
  /// How many rounds of queries an inquiry may take; the default route takes the most.
  private static var roundLimit: Int { 16 }

  /// How lookups reach the kernel.
  enum Channel {
    /// One at a time, on the socket that receives announcements: the tables are never older than an answer.
    case announcements
    /// Each round in one batch, on the other socket: the tables change only when they are read again.
    case batches
  }

  /// Ends inquiries; if it throws, those that are still open remain unknown.
  ///
  /// - Parameter isWatched: Whether the values are observed, so that their lifetimes matter.
  mutating func resolve<I: KernelInquiry>(
    _ inquiries: inout [I], over channel: Channel, isWatched: Bool = false
  ) throws(NetlinkError) {
    evaluator.isWatching = isWatched
    let blocked = try advance(&inquiries, Array(inquiries.indices), over: channel)
    guard !blocked.isEmpty else { return }
    refresh()
    if let failure { throw failure }
    for position in blocked { inquiries[position].answers = I.Answers() }
    let lost = try advance(&inquiries, blocked, over: channel)
    for position in lost { inquiries[position].concludeWithoutLink() }
  }

  /// Ends one inquiry.
  mutating func resolved<I: KernelInquiry>(
    _ inquiry: I, over channel: Channel, isWatched: Bool = false
  ) throws(NetlinkError) -> I {
    var inquiries = [inquiry]
    try resolve(&inquiries, over: channel, isWatched: isWatched)
    return inquiries[0]
  }

  /// Advances inquiries as far as the tables allow; returns the positions of those that a missing link blocks.
  private mutating func advance<I: KernelInquiry>(
    _ inquiries: inout [I], _ positions: [Int], over channel: Channel
  ) throws(NetlinkError) -> [Int] {
    var open = positions
    var blocked: [Int] = []
    for _ in 0..<Self.roundLimit where !open.isEmpty {
      var next: [Int] = []
      var batch: [(position: Int, question: RouteQuestion)] = []
      // Many targets over one tunnel have the same query for its packets.
      var others: [RouteQuestion: [Int]] = [:]
      for position in open {
        switch inquiries[position].advance(by: evaluator) {
        case nil: break
        case .link(let index): if !isUnreadable(link: index) { blocked.append(position) }
        case .answers(let questions):
          next.append(position)
          for question in questions {
            // These take a socket instead of a lookup, and are rare.
            if channel == .batches, !question.takesSocket {
              if question.isOfTunnel, others[question]?.append(position) != nil { continue }
              if question.isOfTunnel { others[question] = [] }
              batch.append((position, question))
            } else {
              inquiries[position].answers[question] = try lookUp(question)
            }
          }
        }
      }
      let (user, unfinished) = (user, unfinished)
      var isSuspect = false
      // Apart meanwhile, since the client is in use.
      var nextHops = nextHops.take()
      defer { self.nextHops = nextHops }
      try client.lookUp(batch.count) {
        RouteRequest(batch[$0].question, of: user)
      } answer: { index, bytes, message throws(DecodingError) in
        let (position, question) = batch[index]
        let answer = RouteAnswer(try message.lookup(of: bytes))
        if unfinished.mayContain(answer) { isSuspect = true }
        nextHops?.record(answer, to: question)
        inquiries[position].answers[question] = answer
        guard question.isOfTunnel else { return }
        for other in others[question] ?? [] { inquiries[other].answers[question] = answer }
      }
      if isSuspect { hasSuspectAnswer = true }
      open = next
    }
    return blocked
  }

  /// Repeats a reading, at most three times, until the tables are equal before and after it, and belong to the answers.
  mutating func readConsistently<Value>(
    _ read: (inout Self) throws(NetlinkError) -> Value
  ) throws(NetlinkError) -> Value {
    update()
    var attempts = 0
    while true {
      if let failure { throw failure }
      let tables = networkState
      let value = try read(&self)
      update()
      attempts += 1
      if networkState == tables || attempts == Self.readLimit { return value }
    }
  }

  // MARK: Lookups

  /// Looks one packet up; the tables then hold all that was announced before the answer.
  mutating func lookUp(_ question: RouteQuestion) throws(NetlinkError) -> RouteAnswer {
    if question.takesSocket {
      let answer = question.asksForPolicy ? policyAnswer(to: question) : chosenSource(for: question)
      // A socket's choice has no bytes to recognize.
      memory.note(question, answer) { nil }
      return answer
    }
    try query(question)
    return try readAnswer(to: question)
  }

  /// Sends one query, and applies what was announced before the answer, which stays unread.
  mutating func query(_ question: RouteQuestion) throws(NetlinkError) {
    let user = user
    let hasUser = mayMatchUsers
    var events: [RouteEvent?] = []
    try subscription.ask(RouteRequest(question, of: user)) { events.append($0) }
    mayHaveMore = false
    guard !events.isEmpty else { return }
    for event in events { apply(event) }
    settle()
    // A rule for users was announced before the answer.
    if mayMatchUsers, !hasUser { try query(question) }
  }

  /// Reads the answer to the last query, and the tables if they are stale.
  mutating func readAnswer(to question: RouteQuestion) throws(NetlinkError) -> RouteAnswer {
    let answer = RouteAnswer(try subscription.readAnswer())
    suspect(answer)
    nextHops?.record(answer, to: question)
    memory.note(question, answer) { subscription.knownAnswer }
    if isStale { update() }
    if let failure { throw failure }
    return answer
  }

  /// Notes if an answer may come from a route that the kernel is about to delete.
  mutating func suspect(_ answer: RouteAnswer) {
    if unfinished.mayContain(answer) { hasSuspectAnswer = true }
  }

  private mutating func chosenSource(for question: RouteQuestion) -> RouteAnswer {
    if mayMatchUsers, sources?.switchUser(to: SocketUser.current) == false { return .refused(.trouble) }
    return sources?.source(for: question) ?? .refused(.trouble)
  }

  /// The user that packets belong to, where a rule may match users; the system call costs a twentieth of a lookup.
  var user: UInt32? { mayMatchUsers ? SocketUser.current : nil }
}

/// A value that takes the tables and several of the kernel's answers: a status or a path.
protocol KernelInquiry {
  associatedtype Answers: AnswerTable

  /// The answers so far.
  var answers: Answers { get set }

  /// Evaluates the answers so far; returns `nil` once the value is known.
  mutating func advance(by evaluator: Evaluator) -> InquiryNeed?

  /// Concludes that the answers name a link that exists neither in the tables nor in the kernel's lists.
  mutating func concludeWithoutLink()
}

/// What an inquiry lacks.
enum InquiryNeed {
  /// The answers to these questions.
  case answers([RouteQuestion])
  /// The link with this index, which an answer names.
  case link(Int32)
}

/// Answers by their questions.
protocol AnswerTable {
  init()
  subscript(question: RouteQuestion) -> RouteAnswer? { get set }
}

extension RouteAnswers: AnswerTable {}
extension PathAnswers: AnswerTable {}

/// The inquiry into the status of one target.
struct StatusInquiry: KernelInquiry {
  let target: ReachabilityTarget
  /// The position of the target among those that are evaluated together.
  let position: Int
  var answers = RouteAnswers()
  /// Unknown until the inquiry ends.
  private(set) var evaluation: Evaluation

  /// - Parameter lifetime: The lifetime of an evaluation that another attempt may correct.
  init(_ target: ReachabilityTarget, at position: Int = 0, lifetime: Duration? = nil) {
    self.target = target
    self.position = position
    evaluation = Evaluation(.unknown(.systemError), lifetime: lifetime)
  }

  mutating func advance(by evaluator: Evaluator) -> InquiryNeed? {
    switch evaluator.evaluate(target, answers) {
    case .ask(let questions): return .answers(questions)
    case .unknownLink(let index): return .link(index)
    case .known(let known): evaluation = known
    }
    return nil
  }

  mutating func concludeWithoutLink() { evaluation.status = .notReachable(.noRoute) }
}

/// The inquiry into the path.
struct PathInquiry: KernelInquiry {
  let nameServers: [ReachabilityPath.NameServer]
  let metering: (any MeteringSource)?
  var answers = PathAnswers()
  /// `nil` until the path is known.
  var evaluation: PathEvaluation?

  mutating func advance(by evaluator: Evaluator) -> InquiryNeed? {
    let evaluator = PathEvaluator(
      network: evaluator.network, isWatching: evaluator.isWatching, nameServers: nameServers,
      metering: metering, policies: evaluator.policies)
    switch evaluator.evaluate(answers) {
    case .ask(let questions): return .answers(questions)
    case .unknownLink(let index): return .link(index)
    case .known(let known): evaluation = known
    }
    return nil
  }

  mutating func concludeWithoutLink() {}
}
#endif
