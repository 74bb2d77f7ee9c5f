#if os(Linux)
import Netlink

/// A value that takes the tables and several of the kernel's answers: a status or a path.
protocol KernelInquiry {
  associatedtype Answers: AnswerTable

  /// The answers so far.
  var answers: Answers { get set }

  /// Evaluates the answers so far; returns `nil` once the value is known.
  mutating func advance(by evaluator: Evaluator) -> InquiryNeed?

  /// Receives the answer to a question as a message, and returns it.
  mutating func receive(
    _ message: Message, of bytes: RawSpan, to question: RouteQuestion, by evaluator: Evaluator,
    _ memory: inout AnswerMemory
  ) throws(DecodingError) -> RouteAnswer

  /// Concludes that the answers name a link that exists neither in the tables nor in the kernel's lists.
  mutating func concludeWithoutLink(by evaluator: Evaluator)
}

extension KernelInquiry {
  mutating func receive(
    _ message: Message, of bytes: RawSpan, to question: RouteQuestion, by evaluator: Evaluator,
    _ memory: inout AnswerMemory
  ) throws(DecodingError) -> RouteAnswer {
    let answer = RouteAnswer(try message.lookup(of: bytes))
    answers[question] = answer
    return answer
  }
}

/// What an inquiry lacks.
enum InquiryNeed {
  /// The answer to the only question that is likely to be asked.
  case answer(RouteQuestion)
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
  /// Whether the answers are wanted too, so that none may stay unread.
  var needsAnswers = false
  var answers = RouteAnswers()
  /// `nil` until the status is known.
  var evaluation: Evaluation?
  private var awaitsSole = false

  init(_ target: ReachabilityTarget) {
    self.target = target
  }

  /// Returns the only question that the target mostly takes, to be asked first.
  ///
  /// None for an observed IPv6 target, whose routes may have lifetimes.
  mutating func begin(isWatched: Bool) -> RouteQuestion? {
    guard !needsAnswers, let question = Evaluator.soleQuestion(about: target),
      !isWatched || question.destination.bitWidth == 32
    else { return nil }
    awaitsSole = true
    return question
  }

  mutating func advance(by evaluator: Evaluator) -> InquiryNeed? {
    if evaluation != nil { return nil }
    if answers.isEmpty, let question = begin(isWatched: evaluator.isWatching) { return .answer(question) }
    switch evaluator.evaluate(target, answers) {
    case .ask(let questions): return .answers(questions)
    case .unknownLink(let index): return .link(index)
    case .known(let known): evaluation = known
    }
    return nil
  }

  /// Receives an answer, which stays unread if it is the only one and remembered.
  mutating func receive(
    _ message: Message, of bytes: RawSpan, to question: RouteQuestion, by evaluator: Evaluator,
    _ memory: inout AnswerMemory
  ) throws(DecodingError) -> RouteAnswer {
    if let known = recall(message, of: bytes, to: question, memory) { return known }
    let answer = RouteAnswer(try message.lookup(of: bytes))
    receive(answer, to: question, by: evaluator, &memory) { KnownAnswer(message, of: bytes) }
    return answer
  }

  /// Takes the evaluation of a remembered answer to the sole question, and returns the answer; `nil` if it is new.
  mutating func recall(
    _ message: Message, of bytes: RawSpan, to question: RouteQuestion, _ memory: borrowing AnswerMemory
  ) -> RouteAnswer? {
    guard awaitsSole, let subject = AnswerMemory.Subject(question),
      let place = memory.course(of: subject, where: { $0.isSame(as: message, of: bytes) })
    else { return nil }
    evaluation = memory.courses[place].evaluation
    return memory.courses[place].steps[0].answer
  }

  /// Receives an answer, and has the memory remember it if it is the only one.
  mutating func receive(
    _ answer: RouteAnswer, to question: RouteQuestion, by evaluator: Evaluator, _ memory: inout AnswerMemory,
    known: () -> KnownAnswer?
  ) {
    if awaitsSole, case .known(let concluded) = evaluator.verdict(on: answer, to: question) {
      evaluation = concluded
      memory.remember(concluded, of: question, answer, known: known)
    } else {
      answers[question] = answer
    }
    awaitsSole = false
  }

  mutating func concludeWithoutLink(by evaluator: Evaluator) {
    evaluation = Evaluation(.notReachable(.noRoute), lifetime: evaluator.lifetimeOfTrouble)
  }
}

extension Evaluator {
  /// The evaluation where the kernel does not answer.
  var unknown: Evaluation { Evaluation(.unknown(.systemError), lifetime: lifetimeOfTrouble) }

  /// The lifetime of an evaluation that another attempt may correct.
  fileprivate var lifetimeOfTrouble: Duration? { isWatching ? Self.retryInterval : nil }
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

  mutating func concludeWithoutLink(by evaluator: Evaluator) {}
}
#endif
