#if os(Linux)
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
