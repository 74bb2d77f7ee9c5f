// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// The output of iproute2 and the results of sockets at one moment.
struct Evidence {
  let snapshot: Snapshot
  private var answers: [String: RouteAnswer] = [:]
  var sockets: [Question: Connection] = [:]
  var deliveries: [Question: Delivery] = [:]
  private let hasIPv6: Bool
  let loopbackHasIPv6: Bool
  /// The families whose ports take part in the choice between several next hops.
  private let portChoosesHop: Set<ReachabilityAddress.Family>
  /// The literal output of iproute2.
  private var texts: [(question: String, text: String)] = []

  struct Trouble: Error, CustomStringConvertible {
    var description: String
  }

  /// Collects everything that the statuses of some targets depend on.
  init(about inquiries: [Inquiry], in lab: Lab) throws {
    // `ip` refuses to query two families concurrently.
    let all = Set(inquiries.flatMap(Question.all)).filter {
      $0.source?.family ?? $0.destination.family == $0.destination.family
    }
    let questions = all.filter { lab.hasIPv6 || $0.destination.family == .v4 }
    hasIPv6 = lab.hasIPv6
    loopbackHasIPv6 = lab.loopbackHasIPv6
    portChoosesHop = lab.portChoosesHop
    let first = questions.flatMap { question in
      [question.plain, question.exact, question.ofSource].compactMap(\.self)
        + (question.prefersInterface ? [question.from(nil).plain, question.from(nil).exact] : [])
    }
    let outcomes = try lab.ask(["addr show", Self.loopback] + first)
    guard case .done(let links) = outcomes[0] else {
      throw Trouble(description: "cannot list links: \(outcomes[0])")
    }
    snapshot = try lab.inside { try Snapshot(links) }
    try note([Self.loopback] + first, outcomes.dropFirst())
    // A TCP socket sends a segment, which waits for the neighbour entry, unless this names the source.
    let connectable = questions.filter { question in
      question.transport != .tcp || (question.destination.family == .v6 && plain(question)?.isRefused == true)
    }
    sockets = try Self.connect(connectable, snapshot, lab)
    // A socket without a source gets one, with which the kernel looks up again.
    let again = questions.filter { $0.source == nil }.compactMap(withSource)
    let second = again.flatMap { [$0.plain, $0.exact] }
    if !second.isEmpty { try note(second, try lab.ask(second)[...]) }
    try sendPackets(inquiries, lab)
  }

  /// The query for an address that the kernel itself has in the local table.
  private static let loopback = "route get 127.0.0.1"

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

  // MARK: Results

  /// The result for a packet.
  func plain(_ question: Question) -> RouteAnswer? { answers[question.plain] }

  /// The matching route.
  func exact(_ question: Question) -> RouteAnswer? { answers[question.exact] }

  /// Whether the kernel that the program sees does not support a family.
  func isUnsupported(_ family: ReachabilityAddress.Family) -> Bool { family == .v6 && !hasIPv6 }

  /// Whether sockets with different ports may use different next hops.
  func dependsOnPort(_ question: Question) -> Bool {
    hasSeveralHops(question) && portChoosesHop.contains(question.destination.family)
  }

  /// Whether the matching route has several next hops.
  func hasSeveralHops(_ question: Question) -> Bool { exact(question)?.route?.hasSeveralHops ?? false }

  /// Whether the local table has the source, the only one in which `bind` looks, whatever the rules.
  ///
  /// Until a namespace has its first rule, the kernel keeps that table in the main one, and names that.
  func hasLocalSource(_ question: Question) -> Bool {
    guard let line = question.ofSource.flatMap({ answers[$0]?.route }) else { return false }
    let isApart = answers[Self.loopback]?.route?.table == "local"
    return line.type == "local" && (line.table == "local" || line.table == "main" && !isApart)
  }

  /// The result of a socket; `nil` if none was connected.
  func socket(_ question: Question) -> Connection? { sockets[question] }

  /// The result of a socket with the constraints of a target that is an address.
  func socket(_ inquiry: Inquiry) -> Connection? {
    guard case .address(let address) = inquiry.target.destination else { return nil }
    return sockets[Question(address, with: inquiry)]
  }

  /// The places where datagrams for a target that is an address arrived; `nil` if none were sent.
  func delivery(_ inquiry: Inquiry) -> Delivery? {
    guard case .address(let address) = inquiry.target.destination else { return nil }
    return deliveries[Question(address, with: inquiry)]
  }

  /// The question with the source that the kernel gives a socket, or `nil` without one.
  ///
  /// The first IPv4 lookup names it. For IPv6 it matters only where the first lookup finds no route, and only the
  /// socket names it.
  func withSource(_ question: Question) -> Question? {
    let source: ReachabilityAddress? =
      switch (question.destination.family, plain(question)) {
      case (.v4, .route(let line)?): line.source
      case (.v6, .refused?): sockets[question]?.local
      default: nil
      }
    return source.map { question.from($0) }
  }

  /// The commands about a target and their output.
  func transcript(_ inquiry: Inquiry) -> [String] {
    let questions = Question.all(about: inquiry)
    return texts.filter { entry in
      questions.contains { entry.question.contains(" \($0.destination)") || entry.question == $0.ofSource }
    }.map { "ip \($0.question)\n      \($0.text)" }
  }
}
