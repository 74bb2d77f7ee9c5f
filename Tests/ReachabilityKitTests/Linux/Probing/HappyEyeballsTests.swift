// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// The order and times of connection attempts; the test advances the clock.
@Suite(.deadline) struct HappyEyeballsTests {
  typealias Outcome = ReachabilityConnectionReport.Attempt.Outcome

  /// Starts the attempts that are due.
  private func begin(_ eyeballs: inout HappyEyeballs, at milliseconds: Int) -> [Int] {
    var begun: [Int] = []
    while let place = eyeballs.advance(to: .milliseconds(milliseconds)) { begun.append(place) }
    return begun
  }

  private func three(timeout: Duration = .seconds(10)) -> HappyEyeballs {
    HappyEyeballs(count: 3, delay: .milliseconds(250), timeout: timeout)
  }

  private func outcomes(_ eyeballs: HappyEyeballs) -> [Outcome?] { eyeballs.attempts.map(\.outcome) }

  @Test func `each attempt has a head start before the next`() {
    var eyeballs = three()
    #expect(begin(&eyeballs, at: 0) == [0])
    #expect(eyeballs.nextDeadline == .milliseconds(250))
    #expect(begin(&eyeballs, at: 249) == [])
    #expect(begin(&eyeballs, at: 250) == [1])
    #expect(eyeballs.nextDeadline == .milliseconds(500))
    #expect(begin(&eyeballs, at: 507) == [2])
    #expect(eyeballs.nextDeadline == .seconds(10))
    #expect(eyeballs.attempts.map(\.start) == [.zero, .milliseconds(250), .milliseconds(507)])
  }

  @Test func `the next attempt starts immediately when any attempt fails`() {
    var eyeballs = three()
    #expect(begin(&eyeballs, at: 0) == [0])
    eyeballs.take(.refused, of: 0, at: .milliseconds(3))
    #expect(eyeballs.nextDeadline == .milliseconds(3))
    #expect(begin(&eyeballs, at: 3) == [1])
    #expect(eyeballs.nextDeadline == .milliseconds(253))
    eyeballs = three()
    _ = begin(&eyeballs, at: 0)
    _ = begin(&eyeballs, at: 250)
    eyeballs.take(.failed(errorNumber: 113), of: 0, at: .milliseconds(260))
    #expect(begin(&eyeballs, at: 260) == [2])
  }

  @Test func `attempts that fail immediately are followed by the others without delay`() {
    var eyeballs = three()
    while let place = eyeballs.advance(to: .zero) {
      eyeballs.take(.failed(errorNumber: 101), of: place, at: .zero)
    }
    #expect(outcomes(eyeballs) == Array(repeating: .failed(errorNumber: 101), count: 3))
    #expect(eyeballs.end == .zero)
    #expect(eyeballs.nextDeadline == nil)
  }

  @Test func `the first connection ends all attempts`() {
    var eyeballs = three()
    _ = begin(&eyeballs, at: 0)
    _ = begin(&eyeballs, at: 250)
    eyeballs.take(.connected, of: 1, at: .milliseconds(270))
    #expect(outcomes(eyeballs) == [.abandoned, .connected, .notTried])
    #expect(eyeballs.attempts.map(\.duration) == [.milliseconds(270), .milliseconds(20), .zero])
    #expect(eyeballs.attempts[2].start == nil)
    #expect(eyeballs.end == .milliseconds(270))
    // Later results change nothing.
    eyeballs.take(.connected, of: 0, at: .milliseconds(271))
    #expect(eyeballs.advance(to: .seconds(1)) == nil)
    #expect(outcomes(eyeballs) == [.abandoned, .connected, .notTried])
  }

  @Test func `attempts without an answer end at the timeout`() {
    var eyeballs = three(timeout: .milliseconds(300))
    _ = begin(&eyeballs, at: 0)
    _ = begin(&eyeballs, at: 250)
    #expect(eyeballs.nextDeadline == .milliseconds(300))
    #expect(begin(&eyeballs, at: 301) == [])
    #expect(outcomes(eyeballs) == [.timedOut, .timedOut, .notTried])
    #expect(eyeballs.end == .milliseconds(301))
  }

  @Test func `attempts continue while one of them may still succeed`() {
    var eyeballs = HappyEyeballs(count: 2, delay: .milliseconds(250), timeout: .seconds(10))
    _ = begin(&eyeballs, at: 0)
    _ = begin(&eyeballs, at: 250)
    eyeballs.take(.refused, of: 1, at: .milliseconds(251))
    #expect(eyeballs.end == nil)
    #expect(eyeballs.nextDeadline == .seconds(10))
    eyeballs.take(.timedOut, of: 0, at: .seconds(7))
    #expect(eyeballs.end == .seconds(7))
    #expect(outcomes(eyeballs) == [.timedOut, .refused])
  }

  @Test func `without an address there is no attempt`() {
    var eyeballs = HappyEyeballs(count: 0, delay: .milliseconds(250), timeout: .seconds(10))
    #expect(eyeballs.end == .zero)
    #expect(eyeballs.advance(to: .zero) == nil)
  }

  @Test func `without time there is no attempt`() {
    var eyeballs = three(timeout: .seconds(-1))
    #expect(eyeballs.advance(to: .zero) == nil)
    #expect(outcomes(eyeballs) == [.notTried, .notTried, .notTried])
  }

  @Test func `a head start is never shorter than the minimum of RFC 8305`() {
    var eyeballs = HappyEyeballs(count: 2, delay: .zero, timeout: .seconds(10))
    #expect(begin(&eyeballs, at: 0) == [0])
    // RFC 8305, section 5.
    #expect(eyeballs.nextDeadline == .milliseconds(10))
  }

  @Test func `the number of concurrent attempts is limited for any number of addresses`() {
    var eyeballs = HappyEyeballs(count: 1000, delay: .milliseconds(10), timeout: .seconds(60))
    var begun = 0
    for moment in 0..<1000 { begun += begin(&eyeballs, at: moment * 10).count }
    #expect(begun == HappyEyeballs.limit)
    #expect(eyeballs.nextDeadline == .seconds(60))
    eyeballs.take(.refused, of: 3, at: .seconds(10))
    #expect(begin(&eyeballs, at: 10_000) == [HappyEyeballs.limit])
    #expect(begin(&eyeballs, at: 10_001) == [])
  }

  @Test(arguments: [
    ("", []), ("4", [0]), ("6644", [0, 2, 1, 3]), ("4446", [0, 3, 1, 2]), ("46666", [0, 1, 2, 3, 4]),
    ("6464", [0, 1, 2, 3]), ("666", [0, 1, 2]),
  ])
  func `the families alternate, beginning with the resolver's first`(_ families: String, _ order: [Int]) {
    #expect(HappyEyeballs.order(families.map { $0 == "4" ? .v4 : .v6 }) == order)
  }
}
