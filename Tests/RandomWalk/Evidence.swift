#if os(Linux)
import InternetProtocol
import LiveSupport
import Reachability

/// What iproute2 prints and what the kernel makes of sockets, at one moment.
struct Evidence {
  let snapshot: Snapshot
  private var answers: [String: RouteAnswer] = [:]
  private var sockets: [Question: Connection] = [:]
  /// What iproute2 printed, word for word.
  private var texts: [(question: String, text: String)] = []

  struct Trouble: Error, CustomStringConvertible {
    var description: String
  }

  /// Asks all that the statuses of some targets take.
  init(about targets: [Target], in lab: Lab) throws {
    // `ip` refuses to ask about two families at once.
    let questions = Set(targets.flatMap(Question.all)).filter {
      $0.source?.family ?? $0.destination.family == $0.destination.family
    }
    let first = questions.flatMap { question in
      [question.plain, question.exact, question.ofSource].compactMap(\.self)
        + (question.isOnlyWish ? [question.from(nil).plain, question.from(nil).exact] : [])
    }
    let outcomes = try lab.ask(["addr show"] + first)
    guard case .done(let links) = outcomes[0] else { throw Trouble(description: "no links: \(outcomes[0])") }
    snapshot = try Snapshot(links)
    try note(first, outcomes.dropFirst())
    sockets = try Self.connect(questions, snapshot, lab)
    // A socket without a source gets one, with which the kernel looks once more.
    let again = questions.filter { $0.source == nil }.compactMap(withSource)
    let second = again.flatMap { [$0.plain, $0.exact] }
    if !second.isEmpty { try note(second, try lab.ask(second)[...]) }
  }

  private mutating func note(_ questions: [String], _ outcomes: ArraySlice<CommandBatch.Outcome>) throws {
    for (question, outcome) in zip(questions, outcomes) {
      answers[question] = try RouteAnswer(outcome)
      switch outcome {
      case .done(let text), .refused(let text): texts.append((question, text))
      }
    }
  }

  private static func connect(_ questions: Set<Question>, _ snapshot: Snapshot, _ lab: Lab) throws
    -> [Question: Connection]
  {
    let connectable = questions.compactMap { question in
      snapshot.index(question.interface).map { (question, $0) }
    }
    return try lab.inside {
      var sockets: [Question: Connection] = [:]
      for (question, index) in connectable {
        sockets[question] = Connection(
          to: question.destination.octets, from: question.source?.octets, over: index,
          mark: question.mark ?? 0)
      }
      return sockets
    }
  }

  // MARK: What it says

  /// What becomes of a packet.
  func plain(_ question: Question) -> RouteAnswer? { answers[question.plain] }

  /// Which entry matches.
  func exact(_ question: Question) -> RouteAnswer? { answers[question.exact] }

  /// Whether there is a local route for the source.
  func hasLocalSource(_ question: Question) -> Bool {
    question.ofSource.flatMap { answers[$0]?.route?.type } == "local"
  }

  /// What the kernel makes of a socket; `nil` if it was not asked.
  func socket(_ question: Question) -> Connection? { sockets[question] }

  /// What the kernel makes of a socket with the constraints of a target that is an address.
  func socket(_ target: Target) -> Connection? {
    guard case .address(let address) = target.destination else { return nil }
    return sockets[Question(address, with: target)]
  }

  /// The question with the source that the kernel gives a socket, if it gives one.
  ///
  /// For IPv4 it is what the first look-up names. For IPv6 it is asked only where the first look-up has no route, and only
  /// the socket tells.
  func withSource(_ question: Question) -> Question? {
    let source: IPAddress? =
      switch (question.destination.family, plain(question)) {
      case (.v4, .route(let line)?): line.source
      case (.v6, .refused?): sockets[question]?.local
      default: nil
      }
    return source.map { question.from($0) }
  }

  /// The lines about a target, for people.
  func transcript(_ target: Target) -> [String] {
    let questions = Question.all(about: target)
    return texts.filter { entry in
      questions.contains { entry.question.contains(" \($0.destination)") || entry.question == $0.ofSource }
    }.map { "ip \($0.question)\n      \($0.text)" }
  }
}
#endif
