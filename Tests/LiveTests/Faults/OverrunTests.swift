// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Sockets whose buffers hold two or three messages, on a network that changes as fast as possible.
  @Suite("Overruns")
  struct OverrunTests {
    /// The changes that a storm repeats.
    private static let flaps = """
      route add blackhole 8.8.8.8/32
      route del blackhole 8.8.8.8/32
      addr add 10.7.0.1/24 dev v0
      route add 10.8.0.0/16 via 10.1.0.7
      link set lo down
      link set lo up
      route del 10.8.0.0/16
      addr del 10.7.0.1/24 dev v0

      """

    @Test func `statuses are current after overruns of every socket`() async {
      await #expect(processExitsWith: .success) {
        let fault = try FaultLab()
        let host = fault.lab.host
        let many = (1...150).map {
          ReachabilityTarget.address(.v4(.init(rawValue: 10 << 24 | 9 << 16 | UInt32($0))))
        }
        let others = try host.run { [monitor = fault.monitor] in Recorder(monitor, many) }
        others.wait("the other targets") { $0.count == many.count }
        let sockets = fault.descriptors.filter(\.isNetlink)
        for socket in sockets { try socket.shrink() }

        let storm = String(repeating: Self.flaps, count: 250)
        let ends: [(String, ReachabilityStatus.Reason?)] = [
          ("route add blackhole default metric 1", .blackhole), ("route del blackhole default metric 1", nil),
          ("route del default metric 100", .noRoute), ("route add default via 10.1.0.254 metric 100", nil),
        ]
        // A slow storm of a busy machine overruns nothing; the kernel counts dropped messages.
        var lost = "0\n"
        for _ in 0..<20 where lost == "0\n" {
          for (change, reason) in ends {
            try host.sh("ip -batch - <<'END'\n\(storm)\(change)\nEND")
            // Callers are current at once, observers soon.
            for (recorder, targets) in [(fault.recorder, [FaultLab.far, FaultLab.near]), (others, many)] {
              let current = targets.map { fault.monitor.currentStatus(of: $0) }
              for (target, status) in zip(targets, current) {
                let expected = target == FaultLab.near ? nil : reason
                #expect(status.reason == expected, "\(target) is \(status) after \(change)")
              }
              recorder.wait("the last events after \(change)") { received in
                zip(targets, current).allSatisfy { received[$0]?.last == $1 }
              }
            }
          }
          lost = try host.sh("awk '$9 > 0' /proc/net/netlink | wc -l")
        }
        fault.expectHealthy("the end")
        let problems = fault.recorder.problems + others.problems
        #expect(problems == [], "\(problems)")
        #expect(lost != "0\n", "nothing was lost")
      }
    }

    @Test func `a monitor created in a storm ends up current`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        let outside = try NetworkNamespace()
        let end = "route add unreachable default metric 1"
        // Monitors are created here while the storm runs on another thread.
        let running = try outside.startApart {
          try outside.sh(
            """
            (for i in $(seq 2000); do echo '\(Self.flaps)'; done; echo '\(end)') |
            nsenter --net=\(lab.host.path) ip -batch -
            """, within: .seconds(90))
        }
        var recorders: [Recorder] = []
        for _ in 0..<20 {
          let monitor = try lab.makeMonitor()
          let recorder = try lab.host.run { Recorder(monitor, [FaultLab.far, FaultLab.near]) }
          for socket in OpenDescriptor.all where socket.isNetlink { try socket.shrink() }
          recorder.wait("the initial events") { $0.count == 2 }
          recorders.append(recorder)
        }
        _ = try running.wait()
        let near = ReachabilityStatus.direct(from: "10.1.0.1", try lab.interface("v0"))
        for recorder in recorders {
          recorder.wait("the storm's end") {
            $0[FaultLab.far]?.last == .notReachable(.unreachableRoute) && $0[FaultLab.near]?.last == near
          }
        }
      }
    }
  }
}
#endif
