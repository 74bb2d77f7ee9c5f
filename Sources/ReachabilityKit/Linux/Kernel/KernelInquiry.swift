// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX

/// A value that takes the tables and several of the kernel's answers: a status or a path.
protocol KernelInquiry {
  associatedtype Answers: AnswerTable

  /// The answers so far.
  var answers: Answers { get set }

  /// Evaluates the answers so far; returns `nil` once the value is known.
  mutating func advance(by evaluator: Evaluator) -> InquiryNeed?

  /// Receives the answer to a question as a message, and returns it.
  mutating func receive(
    _ message: Message, of bytes: RawSpan, to question: RouteRequest, by evaluator: Evaluator,
    _ cache: inout LookupCache
  ) throws(DecodingError) -> RouteAnswer

  /// Concludes that the answers name a link that exists neither in the tables nor in the kernel's lists.
  mutating func concludeWithoutLink(by evaluator: Evaluator)
}

extension KernelInquiry {
  mutating func receive(
    _ message: Message, of bytes: RawSpan, to question: RouteRequest, by evaluator: Evaluator,
    _ cache: inout LookupCache
  ) throws(DecodingError) -> RouteAnswer {
    let answer = RouteAnswer(try message.lookup(of: bytes))
    answers[question] = answer
    return answer
  }
}

/// What an inquiry lacks.
enum InquiryNeed {
  /// The answer to the only question that is likely to be asked.
  case answer(RouteRequest)
  /// The answers to these questions.
  case answers([RouteRequest])
  /// The link with this index, which an answer names.
  case link(Int32)
}

/// Answers by their questions.
protocol AnswerTable {
  init()
  subscript(question: RouteRequest) -> RouteAnswer? { get set }
}

extension RouteAnswers: AnswerTable {}
extension PathAnswers: AnswerTable {}

extension RouteAnswer {
  /// Converts what the kernel said: a route that sends no packets is a refusal.
  init(_ result: consuming Result<RouteMessage, Errno>) {
    switch result {
    // Packets of this machine have no frame yet, so the kernel drops them.
    case .success(let route) where route.encapsulation == .frames: self = .failure(.invalid)
    case .success(let route): self = route.kind.sends ? .success(route) : .failure(RouteRefusal(route.kind))
    case .failure(let error): self = .failure(RouteRefusal(error))
    }
  }
}

extension RouteRefusal {
  init(_ error: Errno) {
    switch error {
    case .networkUnreachable: self = .networkUnreachable
    case .hostUnreachable: self = .hostUnreachable
    case .invalidArgument: self = .invalid
    case .accessDenied: self = .accessDenied
    case .noDevice: self = .noDevice
    case .notSupported, .familyNotSupported: self = .familyUnsupported
    default: self = .trouble
    }
  }
}

/// The inquiry into the status of one target.
struct StatusInquiry: KernelInquiry {
  let target: ReachabilityTarget
  /// Whether the answers are wanted too, so that none may stay unread.
  var needsAnswers = false
  var answers = RouteAnswers()
  /// `nil` until the status is known.
  var evaluation: Evaluation?
  /// Whether the next answer is that to the sole question.
  var awaitsSole = false

  init(_ target: ReachabilityTarget) {
    self.target = target
  }

  /// Returns the only question that a target mostly takes, to be asked first.
  ///
  /// None for an observed IPv6 target, whose routes may have lifetimes.
  static func soleQuestion(about target: ReachabilityTarget, isWatched: Bool) -> RouteRequest? {
    guard let question = Evaluator.soleQuestion(about: target),
      !isWatched || question.destination.bitWidth == 32
    else { return nil }
    return question
  }

  mutating func advance(by evaluator: Evaluator) -> InquiryNeed? {
    if evaluation != nil { return nil }
    if answers.isEmpty, !needsAnswers,
      let question = Self.soleQuestion(about: target, isWatched: evaluator.isWatching)
    {
      awaitsSole = true
      return .answer(question)
    }
    switch evaluator.evaluate(target, answers) {
    case .ask(let questions): return .answers(questions)
    case .unknownLink(let index): return .link(index)
    case .known(let known): evaluation = known
    }
    return nil
  }

  /// Receives an answer, which stays unread if it is the only one and remembered.
  mutating func receive(
    _ message: Message, of bytes: RawSpan, to question: RouteRequest, by evaluator: Evaluator,
    _ cache: inout LookupCache
  ) throws(DecodingError) -> RouteAnswer {
    if awaitsSole, let known = cache.evaluation(of: message, in: bytes, to: question) {
      evaluation = known.evaluation
      return known.lookup.answer
    }
    let answer = RouteAnswer(try message.lookup(of: bytes))
    receive(answer, to: question, by: evaluator, &cache) { KnownAnswer(message, of: bytes) }
    return answer
  }

  /// Receives an answer, and stores it in the cache if it is the only one.
  mutating func receive(
    _ answer: RouteAnswer, to question: RouteRequest, by evaluator: Evaluator, _ cache: inout LookupCache,
    known: () -> KnownAnswer?
  ) {
    if awaitsSole, case .known(let concluded) = evaluator.verdict(on: answer, to: question) {
      evaluation = concluded
      cache.store(concluded, of: question, answer, known: known)
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
  var answers = PathAnswers()
  /// `nil` until the path is known.
  var evaluation: PathEvaluation?

  mutating func advance(by evaluator: Evaluator) -> InquiryNeed? {
    let evaluator = PathEvaluator(
      network: evaluator.network, isWatching: evaluator.isWatching, nameServers: nameServers,
      policies: evaluator.policies)
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
