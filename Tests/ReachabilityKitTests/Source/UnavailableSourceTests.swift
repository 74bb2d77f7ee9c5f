// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

/// The monitor of a system that cannot be queried.
@Suite(.deadline) struct UnavailableSourceTests {
  private static let failure = ReachabilityMonitorError(
    .systemUnavailable, errorNumber: 1, description: "refused by the test")
  private static let unknown = ReachabilityStatus.unknown(.systemError)

  @Test func `every status is unknown, and the diagnostics say why`() {
    let monitor = ReachabilityMonitor(source: UnavailableSource(Self.failure))
    #expect(monitor.currentStatus(of: .defaultRoute) == Self.unknown)
    #expect(monitor.path.status == .unknown)
    #expect(monitor.diagnostics.failure == Self.failure)
  }

  @Test func `the thread serves each new observer, and ends with the last one`() async throws {
    weak var source: UnavailableSource?
    do {
      let made = UnavailableSource(Self.failure)
      source = made
      let monitor = ReachabilityMonitor(source: made)
      for target in [ReachabilityTarget.defaultRoute, .address("10.9.0.1")] {
        let observer = monitor.log(target)
        #expect(try await observer.events.wait(for: 1) == .telling(Self.unknown, of: target))
      }
    }
    // Nothing reports its release, so poll until the thread has ended.
    let deadline = ContinuousClock.now + .seconds(60)
    while source != nil, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(1)) }
    #expect(source == nil)
  }
}
