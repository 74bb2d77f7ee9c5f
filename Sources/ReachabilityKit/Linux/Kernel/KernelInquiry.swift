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
#endif
