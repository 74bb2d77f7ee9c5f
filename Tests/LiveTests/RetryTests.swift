// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  @Suite("Operations that need a network")
  struct RetryTests {
    @Test func `an operation that failed without a link is retried on link up`() async throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      try lab.host.ip("link set v0 down")
      var waits: [ReachabilityStatus.Reason?] = []
      var runs = 0
      let route = try await monitor.withReachability(
        of: .address("10.1.0.2"), deadline: .now + .seconds(30), jitter: .zero,
        onWait: { status in
          waits.append(status.reason)
          _ = try? lab.host.ip("link set v0 up")
        }
      ) {
        runs += 1
        return try lab.host.ip("route get 10.1.0.2")
      }
      #expect(route.contains("dev v0"))
      #expect(waits == [.interfaceDown])
      #expect(runs == 2)
    }

    @Test func `an operation that failed for another reason is not retried`() async throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      var runs = 0
      await #expect(throws: (any Error).self) {
        try await monitor.withReachability(of: .address("10.1.0.2"), deadline: .now + .seconds(30)) {
          runs += 1
          try lab.host.ip("route get to.nowhere")
        }
      }
      #expect(runs == 1)
    }
  }
}
#endif
