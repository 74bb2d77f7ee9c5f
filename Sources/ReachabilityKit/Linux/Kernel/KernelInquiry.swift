#if os(Linux)
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
