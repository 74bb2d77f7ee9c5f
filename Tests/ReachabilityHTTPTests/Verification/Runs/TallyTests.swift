// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHTTP

@Suite(.deadline) struct `Counting outcomes` {
  /// The decision on outcomes, `+` for passed and `-` for failed, and the number of outcomes before it.
  private func decision(
    _ threshold: ReachabilityVerification.Threshold, of count: Int, _ outcomes: String
  ) -> (isVerified: Bool?, after: Int) {
    var tally = Tally(threshold, of: count)
    for (number, outcome) in outcomes.enumerated() {
      if let decision = tally.decision { return (decision, number) }
      tally.add(isPassed: outcome == "+")
    }
    return (tally.decision, outcomes.count)
  }

  @Test(arguments: [
    ("---+", true, 4), ("+---", true, 1), ("----", false, 4),
  ])
  func `one success decides any`(_ outcomes: String, _ isVerified: Bool, _ after: Int) {
    #expect(decision(.any, of: 4, outcomes) == (isVerified, after))
  }

  @Test(arguments: [
    ("++++", true, 4), ("-+++", false, 1), ("++-+", false, 3),
  ])
  func `one failure decides all`(_ outcomes: String, _ isVerified: Bool, _ after: Int) {
    #expect(decision(.all, of: 4, outcomes) == (isVerified, after))
  }

  @Test(arguments: [
    (0.5, "++--", true, 2), (0.5, "--++", true, 4), (0.5, "---+", false, 3), (0.51, "++-+", true, 4),
    (0.51, "--++", false, 2), (1, "+-++", false, 2), (2, "++++", true, 4), (0, "---+", true, 4),
    (0, "----", false, 4),
    (-1, "+---", true, 1), (.nan, "+++-", false, 4), (.nan, "++++", true, 4),
  ])
  func `a share is decided as soon as the rest cannot change it`(
    _ share: Double, _ outcomes: String, _ isVerified: Bool, _ after: Int
  ) {
    #expect(decision(.share(of: share), of: 4, outcomes) == (isVerified, after))
  }

  @Test(arguments: 1...100)
  func `a share in percent is exact`(_ percent: Int) {
    let outcomes = String(repeating: "+", count: percent)
    #expect(decision(.share(of: Double(percent) / 100), of: 100, outcomes) == (true, percent))
    #expect(
      decision(.share(of: Double(percent) / 100), of: 100, String(outcomes.dropLast())).isVerified == nil)
  }

  @Test func `no endpoints never meet a threshold`() {
    #expect(Tally(.all, of: 0).decision == false)
    #expect(Tally(.share(of: 0), of: 0).decision == false)
  }
}
