#if os(Linux)
/// The inquiry into the status of one target.
struct StatusInquiry: KernelInquiry {
  let target: ReachabilityTarget
  /// The position of the target among those that are evaluated together.
  let position: Int
  var answers = RouteAnswers()
  /// Unknown until the inquiry ends.
  private(set) var evaluation: Evaluation
  private let retry: Duration?

  /// - Parameter retry: The lifetime of an evaluation that the next attempt may correct.
  init(_ target: ReachabilityTarget, at position: Int = 0, retry: Duration? = nil) {
    self.target = target
    self.position = position
    self.retry = retry
    evaluation = Evaluation(.unknown(.systemError), lifetime: retry)
  }

  mutating func advance(by evaluator: Evaluator) -> InquiryNeed? {
    switch evaluator.evaluate(target, answers) {
    case .known(let known):
      evaluation = known
      return nil
    case .ask(let questions): return .answers(questions)
    case .unknownLink(let index): return .link(index)
    }
  }

  mutating func concludeWithoutLink() {
    evaluation = Evaluation(.notReachable(.noRoute), lifetime: retry)
  }
}
#endif
