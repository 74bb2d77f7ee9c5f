// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Observations that begin immediately after a change, while the engine processes it.
  @Suite("Fresh initial events")
  struct FreshnessTests {
    @Test func `waiting returns no status that ended before the call`() async throws {
      let lab = try Lab(.ipv4Only)
      let monitor = try lab.makeMonitor()
      let targets = (0..<1_000).map {
        ReachabilityTarget.address(.v4(.init(rawValue: 0x0a09_0000 + UInt32($0))))
      }
      let recorder = Recorder(monitor, targets)
      var wrong: [String] = []
      for _ in 0..<20 {
        recorder.wait("reachable") { statuses in
          statuses.count == 1_000 && statuses.values.allSatisfy { $0.last?.isReachable == true }
        }
        try lab.host.ip("link set v0 down")
        for target in [targets[0], targets[500], targets[999]] {
          #expect(!monitor.currentStatus(of: target).isReachable)
          let status = try? await monitor.waitUntilReachable(target, timeout: .milliseconds(20))
          if let status { wrong.append("\(status)") }
        }
        recorder.wait("unreachable") { $0.values.allSatisfy { $0.last?.isReachable == false } }
        try lab.host.ip("link set v0 up")
        try lab.waitForOperation("v0")
        try lab.host.ip("route add default via 10.1.0.254 metric 100")
      }
      #expect(wrong == [])
      #expect(recorder.problems == [])
    }

    @Test func `a new monitor sees the loss of a carrier before the kernel announces it`() throws {
      let lab = try Lab(.ipv4Only)
      for _ in 0..<5 {
        // The kernel announces one loss a second at most.
        try lab.peer.sh("ip link set p0 down; ip link set p0 up; ip link set p0 down")
        #expect(try lab.makeMonitor().currentStatus(of: .defaultRoute).reason == .noCarrier)
        try lab.peer.ip("link set p0 up")
        try lab.waitForOperation("v0")
      }
    }
  }
}
#endif
