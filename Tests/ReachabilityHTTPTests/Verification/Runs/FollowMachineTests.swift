// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import Testing

@testable import ReachabilityHTTP

@Suite(.deadline) struct `Follow machine` {
  private let one = ReachabilityPath(.satisfied)
  private let other = ReachabilityPath(.unsatisfied, reason: .noCarrier)
  private let report = ReachabilityVerification.Report(.verified)

  @Test func `the first path is delivered as unknown, and starts a verification`() {
    var machine = FollowMachine(repeats: false)
    #expect(
      machine.handle(.path(one)) == [
        .deliver(ReachabilityVerification.VerifiedStatus(path: one)), .verify(0),
      ])
    #expect(machine.status?.state == .unknown)
    let verified = ReachabilityVerification.VerifiedStatus(path: one, report: report, isCurrent: true)
    #expect(machine.handle(.verified(report, 0)) == [.deliver(verified)])
    #expect(verified.state == .verified)
  }

  @Test func `a change makes a report out of date until the next verification`() {
    var machine = FollowMachine(repeats: false)
    _ = machine.handle(.path(one))
    _ = machine.handle(.verified(report, 0))
    let stale = ReachabilityVerification.VerifiedStatus(path: other, report: report, isCurrent: false)
    #expect(machine.handle(.path(other)) == [.cancel, .deliver(stale), .settle(1)])
    #expect(stale.state == .unknown)
    #expect(machine.handle(.settled(1)) == [.verify(1)])
    let failed = ReachabilityVerification.Report(.failed)
    #expect(
      machine.handle(.verified(failed, 1)) == [
        .deliver(ReachabilityVerification.VerifiedStatus(path: other, report: failed, isCurrent: true))
      ])
  }

  @Test func `consecutive changes start one verification`() {
    var machine = FollowMachine(repeats: false)
    _ = machine.handle(.path(one))
    _ = machine.handle(.path(other))
    #expect(
      machine.handle(.path(one)) == [
        .cancel, .deliver(ReachabilityVerification.VerifiedStatus(path: one)), .settle(2),
      ])
    #expect(machine.handle(.settled(1)) == [])
    #expect(machine.handle(.settled(2)) == [.verify(2)])
  }

  @Test func `results of work that began before a change are ignored`() {
    var machine = FollowMachine(repeats: true)
    _ = machine.handle(.path(one))
    _ = machine.handle(.path(other))
    #expect(machine.handle(.verified(report, 0)) == [])
    #expect(machine.handle(.due(0)) == [])
    #expect(machine.status == ReachabilityVerification.VerifiedStatus(path: other))
  }

  @Test func `a change of an endpoint counts, though the path is the same`() {
    var machine = FollowMachine(repeats: false)
    #expect(machine.handle(.endpointChange(one)) == [])
    _ = machine.handle(.path(one))
    // The status was unknown already, so nothing is delivered.
    #expect(machine.handle(.endpointChange(one)) == [.cancel, .settle(1)])
    _ = machine.handle(.verified(report, 1))
    let stale = ReachabilityVerification.VerifiedStatus(path: one, report: report, isCurrent: false)
    #expect(machine.handle(.endpointChange(one)) == [.cancel, .deliver(stale), .settle(2)])
    // The path arrives with the endpoint's change, and its own event comes later.
    let lost = ReachabilityVerification.VerifiedStatus(path: other, report: report, isCurrent: false)
    #expect(machine.handle(.endpointChange(other)) == [.cancel, .deliver(lost), .settle(3)])
    #expect(machine.handle(.path(other)) == [])
  }

  @Test func `an equal path is no change`() {
    var machine = FollowMachine(repeats: false)
    _ = machine.handle(.path(one))
    #expect(machine.handle(.path(one)) == [])
  }

  @Test func `a repeating machine pauses after each report, and delivers only differences`() {
    var machine = FollowMachine(repeats: true)
    _ = machine.handle(.path(one))
    let verified = ReachabilityVerification.VerifiedStatus(path: one, report: report, isCurrent: true)
    #expect(machine.handle(.verified(report, 0)) == [.deliver(verified), .pause(0)])
    #expect(machine.handle(.due(0)) == [.verify(0)])
    #expect(machine.handle(.verified(report, 0)) == [.pause(0)])
    let failed = ReachabilityVerification.Report(.failed)
    #expect(
      machine.handle(.verified(failed, 0)) == [
        .deliver(ReachabilityVerification.VerifiedStatus(path: one, report: failed, isCurrent: true)),
        .pause(0),
      ])
  }

  @Test func `a status without a report is not current`() {
    #expect(!ReachabilityVerification.VerifiedStatus(path: one, isCurrent: true).isCurrent)
    #expect(
      ReachabilityVerification.VerifiedStatus(path: one).description == "unknown; path satisfied, ipv4, ipv6")
  }
}
