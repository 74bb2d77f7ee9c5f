// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// Statuses with a lifetime; the time axis is in seconds.
@Suite(.deadline) struct ExpiryTests {
  private static let target = ReachabilityTarget.address("2001:db8::1")
  private let a = ReachabilityStatus.number(1)
  private let b = ReachabilityStatus.number(2)

  /// A bench whose target was queried at 0 and has this lifetime.
  private func watching(_ lifetime: Double?, settling: Duration = .zero) -> Bench {
    var bench = Bench()
    bench.world[Self.target] = Evaluation(a, lifetime: lifetime.map { .seconds($0) })
    bench.watch("x", Self.target, settling: settling)
    bench.run(at: 0)
    _ = bench.takeTold()
    return bench
  }

  @Test func `an expiring status is queried at its deadline and not before`() {
    var bench = watching(30)
    #expect(bench.nextDeadline == 30)
    #expect(bench.run(at: 29.999) == [])
    bench.world[Self.target] = Evaluation(b)
    #expect(bench.run(at: 30) == [Self.target])
    #expect(bench.takeTold().map(\.status) == [b])
    bench.run(at: 31)
    #expect(bench.nextDeadline == nil)
    #expect(bench.run(at: 1_000) == [])
  }

  /// The kernel counts in hundredths of a second and reports no lifetime for the last one; its clock may be behind.
  @Test(arguments: [29.96, 30])
  func `a status that lost its lifetime near its end is queried three times more`(_ moment: Double) {
    var bench = watching(30)
    bench.world[Self.target] = Evaluation(a)
    #expect(bench.run(.all, at: moment) == [Self.target])
    #expect(bench.nextDeadline == moment + 0.002)
    #expect(bench.run(at: moment + 0.001) == [])
    #expect(bench.run(at: moment + 0.003) == [Self.target])
    bench.world[Self.target] = Evaluation(b)
    #expect(bench.run(at: moment + 0.101) == [Self.target])
    #expect(bench.takeTold().map(\.status) == [b])
    #expect(bench.run(at: moment + 1.001) == [Self.target])
    #expect(bench.nextDeadline == nil)
    #expect(bench.run(at: 1_000) == [])
  }

  @Test func `a status whose lifetime is renewed is queried at each deadline`() {
    var bench = watching(30)
    for second in [30.0, 60, 90] {
      #expect(bench.nextDeadline == second)
      #expect(bench.run(at: second) == [Self.target])
    }
    #expect(bench.takeTold() == [])
  }

  @Test func `a shortened lifetime moves the deadline forward`() {
    var bench = watching(30)
    bench.world[Self.target] = Evaluation(a, lifetime: .seconds(5))
    bench.run(.all, at: 10)
    #expect(bench.nextDeadline == 15)
    #expect(bench.run(at: 14.999) == [])
    bench.world[Self.target] = Evaluation(a)
    #expect(bench.run(at: 15) == [Self.target])
    bench.run(at: 16)
    #expect(bench.run(at: 30) == [])
  }

  @Test func `a prolonged lifetime moves the deadline back`() {
    var bench = watching(30)
    bench.world[Self.target] = Evaluation(a, lifetime: .seconds(60))
    bench.run(.all, at: 10)
    #expect(bench.run(at: 30) == [])
    #expect(bench.run(at: 69.999) == [])
    #expect(bench.nextDeadline == 70)
    #expect(bench.run(at: 70) == [Self.target])
  }

  @Test func `a removed lifetime removes the deadline`() {
    var bench = watching(30)
    bench.world[Self.target] = Evaluation(a)
    bench.run(.all, at: 10)
    #expect(bench.run(at: 30) == [])
    #expect(bench.nextDeadline == nil)
  }

  @Test func `after several changes of a lifetime the last one sets the deadline`() {
    var bench = watching(100)
    for (second, lifetime) in [(1.0, 50.0), (2, 200), (3, 20), (4, 300), (5, 40)] {
      bench.world[Self.target] = Evaluation(a, lifetime: .seconds(lifetime))
      bench.run(.all, at: second)
    }
    for second in [23.0, 44.999] { #expect(bench.run(at: second) == []) }
    bench.world[Self.target] = Evaluation(a)
    #expect(bench.run(at: 45) == [Self.target])
    bench.run(at: 46)
    for second in [51.0, 100, 202, 304] { #expect(bench.run(at: second) == []) }
    #expect(bench.nextDeadline == nil)
  }

  @Test func `expiry and settling do not delay each other`() {
    var bench = watching(30, settling: .seconds(10))
    bench.world[Self.target] = Evaluation(b, lifetime: .seconds(4))
    bench.run(.all, at: 5)
    #expect(bench.nextDeadline == 9)
    #expect(bench.run(at: 9) == [Self.target])
    #expect(bench.run(at: 13) == [Self.target])
    #expect(bench.takeTold() == [])
    #expect(bench.nextDeadline == 15)
    #expect(bench.run(at: 15) == [])
    #expect(bench.takeTold().map(\.status) == [b])
    #expect(bench.run(at: 17) == [Self.target])
  }

  @Test func `a status that expires when it settles is queried, then delivered`() {
    var bench = watching(nil, settling: .seconds(10))
    bench.world[Self.target] = Evaluation(b, lifetime: .seconds(10))
    bench.run(.all, at: 5)
    bench.world[Self.target] = Evaluation(a)
    // Both are due: the status has settled, and the next answer starts a new period.
    #expect(bench.run(at: 15) == [Self.target])
    #expect(bench.takeTold().map(\.status) == [b])
    bench.run(at: 25)
    #expect(bench.takeTold().map(\.status) == [a])
  }

  @Test func `the target of a removed observer is not queried at its deadline`() {
    var bench = watching(30)
    bench.leave("x")
    #expect(bench.run(at: 30) == [])
    #expect(bench.nextDeadline == nil)
  }
}
