// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import POSIX
import Testing

@testable import ReachabilityKit

/// Changes that the kernel announces before it makes them: the affected targets are queried repeatedly.
@Suite("Imminent changes", .deadline)
struct ImminentChangeTests {
  private final class Observer: Sendable {}
  private typealias Machine = MonitorStateMachine<Observer>

  private let start = Moment.now
  private let inside = ReachabilityTarget.address("fd00:99::1")
  private let outside = ReachabilityTarget.address("fd00:98::1")
  private let unreachable = Evaluation(.notReachable(.noRoute))

  /// A machine that observes both targets and has queried them once.
  private func machine() -> Machine {
    var machine = Machine()
    for target in [inside, outside] {
      machine.add(Observer(), for: .init(target: target, settling: .zero))
    }
    for id in machine.questions(after: NetworkChange(), now: start).ids {
      _ = machine.accept(unreachable, for: id, now: start)
    }
    return machine
  }

  private func announcement() throws -> NetworkChange {
    NetworkChange(imminent: [try #require(IPPrefix("fd00:99::", length: 64))])
  }

  private func targets(_ machine: inout Machine, _ change: NetworkChange, after delay: Duration)
    -> [ReachabilityTarget]
  {
    machine.questions(after: change, now: start.advanced(by: delay)).targets
  }

  @Test func `a target affected by an announced change is queried immediately and three times more`() throws {
    var machine = machine()
    #expect(targets(&machine, try announcement(), after: .zero) == [inside])
    #expect(machine.nextDeadline == start.advanced(by: .milliseconds(2)))
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(1)) == [])
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(2)) == [inside])
    #expect(machine.nextDeadline == start.advanced(by: .milliseconds(100)))
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(100)) == [inside])
    #expect(machine.nextDeadline == start.advanced(by: .seconds(1)))
    #expect(targets(&machine, NetworkChange(), after: .seconds(1)) == [inside])
    #expect(machine.nextDeadline == nil)
  }

  @Test func `an entry is evaluated three times after missed announcements, but not immediately`() throws {
    var machine = machine()
    let missed = NetworkChange(missed: [try #require(IPPrefix("fd00:99::1", length: 128))])
    #expect(targets(&machine, missed, after: .zero) == [])
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(2)) == [inside])
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(100)) == [inside])
    #expect(machine.nextDeadline == start.advanced(by: .seconds(1)))
    #expect(targets(&machine, NetworkChange(), after: .seconds(1)) == [inside])
    #expect(machine.nextDeadline == nil)
  }

  @Test func `a change that takes effect late is delivered`() throws {
    var machine = machine()
    for id in machine.questions(after: try announcement(), now: start).ids {
      #expect(machine.accept(unreachable, for: id, now: start).isEmpty)
    }
    let later = start.advanced(by: .milliseconds(2))
    let questions = machine.questions(after: NetworkChange(), now: later)
    try #require(questions.ids.count == 1)
    let deliveries = machine.accept(
      Evaluation(ReachabilityStatus(.reachable)), for: questions.ids[0], now: later)
    #expect(
      deliveries.map(\.event) == [
        ReachabilityEvent(
          target: inside, status: ReachabilityStatus(.reachable), previous: .notReachable(.noRoute))
      ])
  }

  @Test func `a second announcement restarts the delays`() throws {
    var machine = machine()
    _ = targets(&machine, try announcement(), after: .zero)
    #expect(targets(&machine, try announcement(), after: .milliseconds(50)) == [inside])
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(52)) == [inside])
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(149)) == [])
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(150)) == [inside])
    #expect(targets(&machine, NetworkChange(), after: .milliseconds(1050)) == [inside])
    #expect(machine.nextDeadline == nil)
  }
}
