// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Monitors whose descriptors were closed or replaced.
  @Suite("Broken descriptors")
  struct BrokenDescriptorTests {
    @Test func `a monitor without sockets is unknown and recovers`() async {
      await #expect(processExitsWith: .success) {
        let fault = try FaultLab()
        let sockets = fault.descriptors.filter(\.isNetlink)
        try #require(sockets.count >= 4)
        let saved = try sockets.map { try $0.replace() }
        // The thread still sleeps on the old socket, so this wakes it.
        try fault.lab.host.ip("route del default")
        let unknown = ReachabilityStatus.unknown(.systemError)
        fault.expect("the loss of the sockets", far: unknown, near: unknown)
        let answer = fault.monitor.currentStatus(of: FaultLab.far)
        #expect(answer == unknown, "\(answer)")
        let path = fault.monitor.path
        #expect(path.status == .unknown, "\(path)")
        let load = idleLoad()
        #expect(load < 0.05, "\(load)")

        try fault.lab.host.ip("route add default via 10.1.0.254 metric 100")
        for (socket, saved) in zip(sockets, saved) { try socket.restore(saved) }
        fault.expectHealthy("the sockets' return")
        try fault.lab.peer.ip("link set p0 down")
        fault.recorder.wait("the next change") { $0[FaultLab.far]?.last?.reason == .noCarrier }
        #expect(fault.recorder.problems == [])
      }
    }

    @Test(
      arguments: zip(
        [
          "anon_inode:[timerfd]", "anon_inode:[timerfd]", "anon_inode:[eventfd]", "anon_inode:[eventfd]",
          "socket",
        ],
        [true, false, true, false, false]))
    func `a broken wake-up descriptor does not stop deliveries`(
      _ kind: String, _ isReplaced: Bool
    ) async {
      await #expect(processExitsWith: .success) { [kind, isReplaced] in
        let fault = try FaultLab()
        let broken = fault.descriptors.filter { $0.name.hasPrefix(kind) && !$0.isNetlink }
        try #require(!broken.isEmpty, "\(fault.descriptors.map(\.name))")
        for descriptor in broken {
          if isReplaced { _ = try descriptor.replace() } else { descriptor.close() }
        }
        try fault.lab.host.ip("route del default")
        fault.recorder.wait("the first change") { $0[FaultLab.far]?.last?.reason == .noRoute }
        let load = idleLoad()
        #expect(load < 0.05, "\(load)")
        try fault.lab.host.ip("route add default via 10.1.0.254 metric 100")
        fault.expectHealthy("the next change")
        let late = try fault.lab.host.run { [monitor = fault.monitor] in
          Recorder(monitor, [.address("10.1.0.3")])
        }
        late.wait("the initial event of a late observer") { $0.count == 1 }
      }
    }
  }
}
#endif
