// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Tables that change during every listing.
  @Suite("Tables that change while they are read")
  struct ChurnTests {
    /// Creates a thousand links, and one more that comes and goes while the closure runs.
    private func churn(_ lab: Lab, during body: () throws -> Void) throws {
      // No bridges: the kernel needs a second to remove sixty of these.
      try lab.host.sh("for i in $(seq 500); do echo \"link add b$i type veth peer c$i\"; done | ip -batch -")
      let stop = "/tmp/churn-\(lab.host.threadID)"
      let outside = try NetworkNamespace()
      let churning = try outside.startApart { [path = lab.host.path] in
        try outside.sh(
          """
          exec nsenter --net=\(path) timeout 50 sh -c '
            while [ ! -e \(stop) ]; do ip link add churn type bridge; ip link del churn; done'
          """, within: .seconds(60))
      }
      defer {
        _ = try? lab.peer.sh("touch \(stop)")
        _ = try? churning.wait()
        _ = try? lab.peer.sh("rm \(stop)")
      }
      try body()
    }

    @Test func `a monitor started while links come and go has current statuses`() throws {
      let lab = try Lab(.ipv4Only)
      let direct = ReachabilityStatus.direct(from: "10.1.0.1", try lab.interface("v0"))
      let near = ReachabilityTarget.address("10.1.0.2")
      var last: ReachabilityMonitor?
      try churn(lab) {
        for _ in 0..<12 {
          let monitor = try lab.makeMonitor()
          #expect(monitor.currentStatus(of: near) == direct)
          last = monitor
        }
      }
      try lab.host.ip("link set v0 down")
      let monitor = try #require(last)
      #expect(monitor.currentStatus(of: near) == .notReachable(.interfaceDown, over: direct.interface))
      let reads = monitor.diagnostics.tableReads
      #expect(monitor.currentStatus(of: near).reason == .interfaceDown)
      #expect(monitor.diagnostics.tableReads == reads, "the tables are settled")
    }

    @Test func `observers started while links come and go end up current`() throws {
      let lab = try Lab(.ipv4Only)
      let near = ReachabilityTarget.address("10.1.0.2")
      var recorder: Recorder?
      try churn(lab) {
        let monitor = try lab.makeMonitor()
        recorder = try lab.host.run { Recorder(monitor, [near]) }
        recorder?.wait("the initial event") { $0[near]?.count == 1 }
        try lab.host.ip("link set v0 down")
      }
      recorder?.wait("link down") { $0[near]?.last?.reason == .interfaceDown }
      #expect(recorder?.problems == [])
    }
  }
}
#endif
