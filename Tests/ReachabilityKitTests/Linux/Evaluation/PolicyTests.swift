// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// Statuses of packets that IPsec policies may block.
@Suite(.deadline) struct PolicyTests {
  private static let question = RouteRequest("10.9.0.1")

  private func evaluate(
    _ policies: PolicyKnowledge, _ answer: RouteAnswer?, route: RouteAnswer = .route(2, from: "10.1.0.1"),
    isWatching: Bool = false
  ) -> Evaluator.Verdict {
    let scenario = Scenario([(Links.ethernet, addresses: ["10.1.0.1/24"])])
    var evaluator = Evaluator(network: scenario.network, isWatching: isWatching)
    evaluator.policies = policies
    var answers = RouteAnswers()
    answers[Self.question] = route
    if let answer { answers[Self.question.policyCheck] = answer }
    return evaluator.evaluate(.address("10.9.0.1"), answers)
  }

  @Test func `without policies nothing more is asked`() {
    guard case .known(let evaluation) = evaluate(.none, nil) else {
      Issue.record("the status is not known")
      return
    }
    #expect(evaluation.status.isReachable)
  }

  @Test(arguments: [PolicyKnowledge.suspected, .announced])
  func `where policies may exist, a reachable status is checked`(_ policies: PolicyKnowledge) {
    #expect(evaluate(policies, nil) == .ask([Self.question.policyCheck]))
    guard case .known(let passed) = evaluate(policies, .success(RouteMessage())),
      case .known(let blocked) = evaluate(policies, .failure(.policy), isWatching: true)
    else {
      Issue.record("the status is not known")
      return
    }
    #expect(passed.status.isReachable)
    #expect(blocked.status == .notReachable(.blockedByIPsec, over: Links.ethernet.interface))
    // Nothing announces the end of a policy that is only suspected.
    #expect(blocked.lifetime == (policies == .suspected ? .seconds(1) : nil))
  }

  @Test func `a status that is not reachable is not checked`() {
    #expect(
      evaluate(.suspected, nil, route: .failure(.networkUnreachable))
        == .known(Evaluation(.notReachable(.noRoute))))
  }
}
#endif
