// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// Changes that are held back until they have settled; the time axis is in seconds, the settling time is ten.
@Suite(.deadline) struct SettlingTests {
  private static let target = ReachabilityTarget.address("10.9.0.1")
  private let a = ReachabilityStatus.number(1)
  private let b = ReachabilityStatus.number(2)
  private let c = ReachabilityStatus.number(3)

  private func told(_ name: String, _ status: ReachabilityStatus, _ previous: ReachabilityStatus? = nil)
    -> Bench.Told
  {
    Bench.Told(name: name, target: Self.target, status: status, previous: previous)
  }

  /// A bench whose observer has received its initial status.
  private func settled() -> Bench {
    var bench = Bench()
    bench.watch("x", Self.target, settling: .seconds(10))
    bench.set(Self.target, a, at: 0)
    return bench
  }

  @Test func `an observer that joined during settling remains when the others leave`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.watch("y", Self.target, settling: .seconds(10))
    bench.run(at: 6)
    _ = bench.takeTold()
    bench.leave("x")
    #expect(!bench.machine.isEmpty)
    bench.set(Self.target, c, at: 20)
    bench.run(at: 30)
    #expect(bench.takeTold() == [told("y", c, b)])
    bench.leave("y")
    #expect(bench.machine.isEmpty)
  }

  @Test func `the initial status is never held back`() {
    var bench = Bench()
    bench.watch("x", Self.target, settling: .seconds(10))
    #expect(bench.set(Self.target, a, at: 0) == [told("x", a)])
    #expect(bench.nextDeadline == nil)
  }

  //  0    5         15
  //  a    b ------- delivered
  @Test func `a lasting change is delivered after its settling time`() {
    var bench = settled()
    #expect(bench.set(Self.target, b, at: 5) == [])
    #expect(bench.nextDeadline == 15)
    bench.run(at: 14.999)
    #expect(bench.takeTold() == [])
    #expect(bench.run(at: 15) == [])
    #expect(bench.takeTold() == [told("x", b, a)])
    #expect(bench.nextDeadline == nil)
    bench.run(at: 100)
    #expect(bench.takeTold() == [])
  }

  //  0    5    14   15
  //  a    b    a    nothing
  @Test func `a change that reverts is not delivered`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.set(Self.target, a, at: 14)
    bench.run(at: 15)
    bench.run(at: 24)
    bench.run(at: 100)
    #expect(bench.takeTold() == [])
    #expect(bench.nextDeadline == nil)
    #expect(bench.set(Self.target, c, at: 100) == [])
    bench.run(at: 110)
    #expect(bench.takeTold() == [told("x", c, a)])
  }

  //  0    5    14   15        24
  //  a    b    c              delivered
  @Test func `a change that changes again restarts its settling time`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.set(Self.target, c, at: 14)
    bench.run(at: 15)
    bench.run(at: 23.999)
    #expect(bench.takeTold() == [])
    bench.run(at: 24)
    #expect(bench.takeTold() == [told("x", c, a)])
  }

  //  0    5    8    12   15        22
  //  a    b    a    b              delivered
  @Test func `a change that reverts and recurs restarts its settling time`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.set(Self.target, a, at: 8)
    bench.set(Self.target, b, at: 12)
    bench.run(at: 15)
    bench.run(at: 21.999)
    #expect(bench.takeTold() == [])
    bench.run(at: 22)
    #expect(bench.takeTold() == [told("x", b, a)])
  }

  @Test func `a change that is only confirmed keeps its settling time`() {
    var bench = settled()
    for second in [5.0, 8, 14] { #expect(bench.set(Self.target, b, at: second) == []) }
    bench.run(at: 15)
    #expect(bench.takeTold() == [told("x", b, a)])
  }

  @Test func `a change that settles when another comes is delivered before it`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    #expect(bench.set(Self.target, c, at: 15) == [told("x", b, a)])
    bench.run(at: 25)
    #expect(bench.takeTold() == [told("x", c, b)])
  }

  //  0    5      8         15
  //  a    b      late: b   delivered
  @Test func `an observer that joins while a change settles receives the present status`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.watch("late", Self.target, settling: .seconds(10))
    bench.run(at: 8)
    #expect(bench.takeTold() == [told("late", b)])
    bench.run(at: 15)
    #expect(bench.takeTold() == [told("x", b, a)])
    bench.set(Self.target, c, at: 20)
    bench.run(at: 30)
    #expect(bench.takeTold() == [told("x", c, b), told("late", c, b)])
  }

  //  0    5      8         9         19
  //  a    b      late: b   a         delivered
  @Test func `a reversal settles for an observer that joined after the change`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.watch("late", Self.target, settling: .seconds(10))
    bench.run(at: 8)
    #expect(bench.takeTold() == [told("late", b)])
    #expect(bench.set(Self.target, a, at: 9) == [])
    #expect(bench.nextDeadline.map { $0 <= 19 } == true)
    bench.run(at: 18.999)
    #expect(bench.takeTold() == [])
    bench.run(at: 19)
    #expect(bench.takeTold() == [told("late", a, b)])
    bench.set(Self.target, c, at: 20)
    bench.run(at: 30)
    #expect(bench.takeTold() == [told("x", c, a), told("late", c, a)])
    bench.leave("x")
    bench.leave("late")
    #expect(bench.machine.isEmpty)
  }

  @Test func `an observer that joined while a change settled can leave before it has`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.watch("late", Self.target, settling: .seconds(10))
    bench.run(at: 8)
    bench.leave("late")
    bench.leave("x")
    #expect(bench.machine.isEmpty)
    #expect(bench.takeTold() == [told("late", b)])
  }

  @Test func `observers with different settling times receive a change at different times`() {
    var bench = settled()
    bench.watch("fast", Self.target)
    bench.watch("slow", Self.target, settling: .seconds(20))
    bench.run(at: 0)
    #expect(bench.takeTold() == [told("fast", a), told("slow", a)])
    #expect(bench.set(Self.target, b, at: 5) == [told("fast", b, a)])
    bench.run(at: 15)
    #expect(bench.takeTold() == [told("x", b, a)])
    bench.run(at: 25)
    #expect(bench.takeTold() == [told("slow", b, a)])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `without a settling time a change is delivered immediately`(settling: Duration) {
    var bench = Bench()
    bench.watch("x", Self.target, settling: settling)
    #expect(bench.set(Self.target, a, at: 0) == [told("x", a)])
    #expect(bench.set(Self.target, b, at: 0) == [told("x", b, a)])
    #expect(bench.nextDeadline == nil)
  }

  @Test func `an observer that left while a change settled receives no event`() {
    var bench = settled()
    bench.set(Self.target, b, at: 5)
    bench.leave("x")
    bench.run(at: 15)
    #expect(bench.takeTold() == [])
    #expect(bench.machine.isEmpty)
  }
}
