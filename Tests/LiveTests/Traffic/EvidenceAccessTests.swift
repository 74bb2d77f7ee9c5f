// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTrafficTests {
  /// What a user may learn from the list of connections, and what is left where the list is refused.
  @Suite("Access to evidence")
  struct EvidenceAccessTests {
    private static let peer = ReachabilityTarget.address("10.9.0.1")

    /// Reads the evidence until it satisfies a condition; the monitor reads at most once a second.
    private func evidence(
      _ monitor: ReachabilityMonitor, of target: ReachabilityTarget = .defaultRoute,
      until isDone: (TrafficEvidence) -> Bool
    ) -> TrafficEvidence {
      let deadline = ContinuousClock.now + .seconds(20)
      while true {
        let evidence = monitor.evidence(for: target)
        if isDone(evidence) || ContinuousClock.now > deadline { return evidence }
        usleep(100_000)
      }
    }

    @Test func `another user's stalled peer is counted, and not named`() throws {
      let lab = try UpstreamLab()
      guard let foreign = try? lab.talk(to: "10.9.0.2", as: 1000) else {
        print("skipped: this thread cannot act as another user")
        return
      }
      let own = try lab.talk(to: "10.9.0.1")
      let monitor = try lab.client.run { try ReachabilityMonitor() }
      try lab.cut()
      let evidence = evidence(monitor) { $0.stalledPeers == 2 }
      #expect(evidence.stalledConnections == 2, "\(evidence)")
      #expect(evidence.ownStalledConnections.map(\.peer) == ["10.9.0.1"])
      #expect(!"\(evidence)".contains("10.9.0.2"))
      let other = monitor.evidence(for: .address("10.9.0.2"))
      #expect(other.stalledConnections == 1 && other.ownStalledConnections == [], "\(other)")
      withExtendedLifetime([own, foreign]) {}
    }

    @Test(
      arguments: [
        (EPERM, .notPermitted), (EACCES, .notPermitted), (EPROTONOSUPPORT, .unsupported),
        (EAFNOSUPPORT, .unsupported), (ENFILE, .systemError),
      ] as [(Int32, TrafficEvidence.Obstacle)])
    func `a refused list of connections is no evidence, and all else works`(
      _ number: Int32, _ obstacle: TrafficEvidence.Obstacle
    ) async throws {
      let lab = try UpstreamLab()
      let talk = try lab.talk(to: "10.9.0.1")
      let monitor = try lab.client.runApart {
        // NETLINK_SOCK_DIAG.
        try Faults.refuse("socket", where: (2, 4), with: number)
        return try ReachabilityMonitor()
      }
      #expect(monitor.evidence(for: .defaultRoute) == .none(because: obstacle))
      #expect(monitor.evidence(on: .name("eth0")) == .none(because: obstacle))
      var updates = monitor.evidence(for: Self.peer, every: .seconds(1)).makeAsyncIterator()
      #expect(await updates.next(isolation: #isolation) == .none(because: obstacle))
      #expect(monitor.currentStatus(of: Self.peer).isReachable)
      #expect(monitor.path.isSatisfied)
      let explanation = monitor.currentExplanation(of: Self.peer)
      #expect(explanation.evidence == .none(because: obstacle))
      #expect(explanation.firstFailure == nil)
      try lab.client.ip("route del default")
      #expect(monitor.currentStatus(of: Self.peer).reason == .noRoute)
      #expect(monitor.currentExplanation(of: Self.peer).evidence == nil)
      withExtendedLifetime(talk) {}
    }
  }
}
#endif
