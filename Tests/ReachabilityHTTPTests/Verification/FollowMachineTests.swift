import DeadlineSupport
import ReachabilityKit
import Testing

@testable import ReachabilityHTTP

@Suite(.deadline) struct `When it is verified again` {
  private let one = ReachabilityPath(.satisfied)
  private let other = ReachabilityPath(.unsatisfied, reason: .noCarrier)
  private let report = ReachabilityVerification.Report(.verified)

  @Test func `it is verified at once, and told beforehand that nothing is known`() {
    var machine = FollowMachine(repeats: false)
    #expect(
      machine.handle(.path(one)) == [.tell(ReachabilityVerification.VerifiedStatus(path: one)), .verify(0)])
    #expect(machine.status?.state == .unknown)
    let verified = ReachabilityVerification.VerifiedStatus(path: one, report: report, isCurrent: true)
    #expect(machine.handle(.verified(report, 0)) == [.tell(verified)])
    #expect(verified.state == .verified)
  }

  @Test func `a change makes what was verified out of date until it was verified again`() {
    var machine = FollowMachine(repeats: false)
    _ = machine.handle(.path(one))
    _ = machine.handle(.verified(report, 0))
    let stale = ReachabilityVerification.VerifiedStatus(path: other, report: report, isCurrent: false)
    #expect(machine.handle(.path(other)) == [.abandon, .tell(stale), .settle(1)])
    #expect(stale.state == .unknown)
    #expect(machine.handle(.settled(1)) == [.verify(1)])
    let failed = ReachabilityVerification.Report(.failed)
    #expect(
      machine.handle(.verified(failed, 1)) == [
        .tell(ReachabilityVerification.VerifiedStatus(path: other, report: failed, isCurrent: true))
      ])
  }

  @Test func `changes one after the other are verified once`() {
    var machine = FollowMachine(repeats: false)
    _ = machine.handle(.path(one))
    _ = machine.handle(.path(other))
    #expect(
      machine.handle(.path(one)) == [
        .abandon, .tell(ReachabilityVerification.VerifiedStatus(path: one)), .settle(2),
      ])
    #expect(machine.handle(.settled(1)) == [])
    #expect(machine.handle(.settled(2)) == [.verify(2)])
  }

  @Test func `what was begun before a change does not count`() {
    var machine = FollowMachine(repeats: true)
    _ = machine.handle(.path(one))
    _ = machine.handle(.path(other))
    #expect(machine.handle(.verified(report, 0)) == [])
    #expect(machine.handle(.due(0)) == [])
    #expect(machine.status == ReachabilityVerification.VerifiedStatus(path: other))
  }

  @Test func `a change of the way to an endpoint counts, though the path is the same`() {
    var machine = FollowMachine(repeats: false)
    #expect(machine.handle(.way(one)) == [])
    _ = machine.handle(.path(one))
    // Nothing is told: nothing was known.
    #expect(machine.handle(.way(one)) == [.abandon, .settle(1)])
    _ = machine.handle(.verified(report, 1))
    let stale = ReachabilityVerification.VerifiedStatus(path: one, report: report, isCurrent: false)
    #expect(machine.handle(.way(one)) == [.abandon, .tell(stale), .settle(2)])
    // Of the path there is no news yet, and no news any more.
    let lost = ReachabilityVerification.VerifiedStatus(path: other, report: report, isCurrent: false)
    #expect(machine.handle(.way(other)) == [.abandon, .tell(lost), .settle(3)])
    #expect(machine.handle(.path(other)) == [])
  }

  @Test func `the same path again is no change`() {
    var machine = FollowMachine(repeats: false)
    _ = machine.handle(.path(one))
    #expect(machine.handle(.path(one)) == [])
  }

  @Test func `it is repeated only if that was asked for, and told only if it is something else`() {
    var machine = FollowMachine(repeats: true)
    _ = machine.handle(.path(one))
    let verified = ReachabilityVerification.VerifiedStatus(path: one, report: report, isCurrent: true)
    #expect(machine.handle(.verified(report, 0)) == [.tell(verified), .rest(0)])
    #expect(machine.handle(.due(0)) == [.verify(0)])
    #expect(machine.handle(.verified(report, 0)) == [.rest(0)])
    let failed = ReachabilityVerification.Report(.failed)
    #expect(
      machine.handle(.verified(failed, 0)) == [
        .tell(ReachabilityVerification.VerifiedStatus(path: one, report: failed, isCurrent: true)), .rest(0),
      ])
  }

  @Test func `without a report nothing is current`() {
    #expect(!ReachabilityVerification.VerifiedStatus(path: one, isCurrent: true).isCurrent)
    #expect(
      ReachabilityVerification.VerifiedStatus(path: one).description == "unknown; path satisfied, ipv4, ipv6")
  }
}
