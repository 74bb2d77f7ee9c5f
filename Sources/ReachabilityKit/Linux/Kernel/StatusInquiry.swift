#if os(Linux)
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
#endif
