#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// What iproute2 prints and what the kernel makes of sockets, at one moment.
struct Evidence {
  let snapshot: Snapshot
  private var answers: [String: RouteAnswer] = [:]
  var sockets: [Question: Connection] = [:]
  var deliveries: [Question: Delivery] = [:]
  private let hasIPv6: Bool
  let loopbackHasIPv6: Bool
  /// The families of which ports take part in the choice between several ways.
  private let portChoosesHop: Set<IPAddress.Family>
  /// What iproute2 printed, word for word.
  private var texts: [(question: String, text: String)] = []

  struct Trouble: Error, CustomStringConvertible {
    var description: String
  }

  /// Asks all that the statuses of some targets take.
  init(about inquiries: [Inquiry], in lab: Lab) throws {
    // `ip` refuses to ask about two families at once.
    let all = Set(inquiries.flatMap(Question.all)).filter {
      $0.source?.family ?? $0.destination.family == $0.destination.family
    }
    let questions = all.filter { lab.hasIPv6 || $0.destination.family == .v4 }
    hasIPv6 = lab.hasIPv6
    loopbackHasIPv6 = lab.loopbackHasIPv6
    portChoosesHop = lab.portChoosesHop
    let first = questions.flatMap { question in
      [question.plain, question.exact, question.ofSource].compactMap(\.self)
        + (question.isOnlyWish ? [question.from(nil).plain, question.from(nil).exact] : [])
    }
    let outcomes = try lab.ask(["addr show"] + first)
    guard case .done(let links) = outcomes[0] else { throw Trouble(description: "no links: \(outcomes[0])") }
    snapshot = try Snapshot(links)
    try note(first, outcomes.dropFirst())
    // A TCP socket sends a segment, which waits for neighbours to be known, unless this tells the source.
    let connectable = questions.filter { question in
      question.transport != .tcp || (question.destination.family == .v6 && plain(question)?.isRefused == true)
    }
    sockets = try Self.connect(connectable, snapshot, lab)
    // A socket without a source gets one, with which the kernel looks once more.
    let again = questions.filter { $0.source == nil }.compactMap(withSource)
    let second = again.flatMap { [$0.plain, $0.exact] }
    if !second.isEmpty { try note(second, try lab.ask(second)[...]) }
    try sendPackets(inquiries, lab)
  }

  private mutating func note(_ questions: [String], _ outcomes: ArraySlice<CommandBatch.Outcome>) throws {
    for (question, outcome) in zip(questions, outcomes) {
      answers[question] = try RouteAnswer(outcome)
      switch outcome {
      case .done(let text), .refused(let text): texts.append((question, text))
      }
    }
  }

  private static func connect(_ questions: some Sequence<Question>, _ snapshot: Snapshot, _ lab: Lab) throws
    -> [Question: Connection]
  {
    let connectable = questions.compactMap { question in
      snapshot.index(question.interface).map { (question, question.plan(over: $0)) }
    }
    return try lab.inside {
      var sockets: [Question: Connection] = [:]
      for (question, plan) in connectable {
        sockets[question] = try Users.acting(as: question.userID) { Connection(plan) }
      }
      return sockets
    }
  }

  // MARK: What it says

  /// What becomes of a packet.
  func plain(_ question: Question) -> RouteAnswer? { answers[question.plain] }

  /// Which entry matches.
  func exact(_ question: Question) -> RouteAnswer? { answers[question.exact] }

  /// Whether the kernel that the program sees does not support a family.
  func hasNothing(of family: IPAddress.Family) -> Bool { family == .v6 && !hasIPv6 }

  /// Whether sockets of different ports may take different ways.
  func dependsOnPort(_ question: Question) -> Bool {
    hasSeveralWays(question) && portChoosesHop.contains(question.destination.family)
  }

  /// Whether the entry that matches has several ways.
  func hasSeveralWays(_ question: Question) -> Bool { exact(question)?.route?.hasSeveralWays ?? false }

  /// Whether there is a local route for the source.
  func hasLocalSource(_ question: Question) -> Bool {
    question.ofSource.flatMap { answers[$0]?.route?.type } == "local"
  }

  /// What the kernel makes of a socket; `nil` if it was not asked.
  func socket(_ question: Question) -> Connection? { sockets[question] }

  /// What the kernel makes of a socket with the constraints of a target that is an address.
  func socket(_ inquiry: Inquiry) -> Connection? {
    guard case .address(let address) = inquiry.target.destination else { return nil }
    return sockets[Question(address, with: inquiry)]
  }

  /// Where datagrams to a target that is an address arrived; `nil` if none were sent.
  func delivery(_ inquiry: Inquiry) -> Delivery? {
    guard case .address(let address) = inquiry.target.destination else { return nil }
    return deliveries[Question(address, with: inquiry)]
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
  func transcript(_ inquiry: Inquiry) -> [String] {
    let questions = Question.all(about: inquiry)
    return texts.filter { entry in
      questions.contains { entry.question.contains(" \($0.destination)") || entry.question == $0.ofSource }
    }.map { "ip \($0.question)\n      \($0.text)" }
  }
}
#endif
