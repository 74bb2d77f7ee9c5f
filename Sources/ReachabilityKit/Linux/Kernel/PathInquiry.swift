#if os(Linux)
/// The inquiry into the path.
struct PathInquiry: KernelInquiry {
  let nameServers: [ReachabilityPath.NameServer]
  let metering: (any MeteringSource)?
  var answers = PathAnswers()
  /// `nil` until the path is known.
  private(set) var evaluation: PathEvaluation?

  init(_ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?) {
    self.nameServers = nameServers
    self.metering = metering
  }

  mutating func advance(by evaluator: Evaluator) -> InquiryNeed? {
    let evaluator = PathEvaluator(
      network: evaluator.network, isWatching: evaluator.isWatching, nameServers: nameServers,
      metering: metering)
    switch evaluator.evaluate(answers) {
    case .known(let known):
      evaluation = known
      return nil
    case .ask(let questions): return .answers(questions)
    case .unknownLink(let index): return .link(index)
    }
  }

  mutating func concludeWithoutLink() {}
}
#endif
