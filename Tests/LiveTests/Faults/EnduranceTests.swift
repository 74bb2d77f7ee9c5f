// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import Foundation
import LiveSupport
import ReachabilityKit
import Synchronization
import TestSupport
import Testing

extension LiveTests {
  /// The resources of a process after many repetitions; `Benchmarks/endurance` repeats more often.
  @Suite("Endurance")
  struct EnduranceTests {
    /// Descriptors, threads and memory of this process alone.
    private struct Holdings {
      let descriptors: Int
      let threads: Int
      let bytes: Int

      init() throws {
        descriptors = OpenDescriptor.all.count
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        // The first monitors need 13 MB in total, of which 11 MB are pages of files.
        bytes = try ResidentMemory().own
      }

      /// Waits until no more descriptors are open than before, for a few seconds at most.
      ///
      /// Threads end shortly after their owners; Dispatch opens and closes descriptors at any time.
      func awaitAgain() throws -> Holdings {
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        var now = try Holdings()
        while now.descriptors > descriptors || now.threads > threads + 8, ContinuousClock.now < deadline {
          sched_yield()
          now = try Holdings()
        }
        return now
      }

      func expectAgain(_ what: String, growth limit: Int = 4 << 20) throws {
        let now = try awaitAgain()
        #expect(now.descriptors <= descriptors, "descriptors after \(what)")
        #expect(now.threads <= threads + 8, "threads after \(what)")
        #expect(now.bytes - bytes < limit, "\(now.bytes - bytes) bytes more after \(what)")
      }
    }

    @Test func `memory and descriptors stay the same over 60,000 changes of routes`() async {
      await #expect(processExitsWith: .success) {
        Faults.useOneArena()
        let fault = try FaultLab()
        let flap = "route add blackhole 8.8.8.8/32\nroute del blackhole 8.8.8.8/32"
        let others = "route add 10.8.0.0/16 via 10.1.0.7\nroute del 10.8.0.0/16"
        let burst = "for i in $(seq 5000); do echo '\(flap)\n\(others)'; done | ip -batch -"
        try fault.lab.host.sh(burst, within: .seconds(30))
        fault.expectHealthy("the first burst")
        let events = fault.recorder.statuses.values.reduce(0) { $0 + $1.count }
        let before = try Holdings()
        for _ in 0..<2 { try fault.lab.host.sh(burst, within: .seconds(30)) }
        fault.expectHealthy("the last burst")
        // The recorder keeps every delivered status.
        let more = fault.recorder.statuses.values.reduce(0) { $0 + $1.count } - events
        try before.expectAgain("the changes", growth: 4 << 20 + more * 1024)
        #expect(fault.recorder.problems == [])
      }
    }

    @Test func `memory, threads and descriptors stay the same over 20,000 observations`() async {
      await #expect(processExitsWith: .success) {
        Faults.useOneArena()
        let lab = try Lab(.ipv4Only)
        let monitor = try lab.makeMonitor()
        let queue = DispatchQueue(label: "observations")
        func observe(_ count: Int) {
          for number in 0..<count {
            let target = ReachabilityTarget.address(.v4(.init(rawValue: 10 << 24 | UInt32(number % 5000))))
            let token = monitor.observe(target, on: queue) { _ in }
            let path = number % 10 == 0 ? monitor.observePath(on: queue) { _ in } : nil
            if number % 2 == 0 { token.cancel() }
            path?.cancel()
          }
        }
        observe(10000)
        queue.sync {}
        let before = try Holdings()
        observe(20000)
        queue.sync {}
        try before.expectAgain("the observations")
        #expect(monitor.currentStatus(of: FaultLab.far).isReachable)
      }
    }

    @Test func `600 monitors leave nothing behind`() async {
      await #expect(processExitsWith: .success) {
        Faults.useOneArena()
        let lab = try Lab(.ipv4Only)
        let queue = DispatchQueue(label: "monitors")
        let empty = try Holdings()
        func make(_ count: Int) throws {
          for number in 0..<count {
            // Otherwise a busy machine has hundreds of threads that are about to end, and memory for all of them.
            if number % 16 == 0 { _ = try empty.awaitAgain() }
            // The monitor leaves nothing on the thread that creates it.
            try lab.host.run {
              let monitor = try ReachabilityMonitor()
              let received = DispatchSemaphore(value: 0)
              let token = monitor.observe(FaultLab.far, on: queue) { _ in received.signal() }
              let path = monitor.observePath(on: queue) { _ in received.signal() }
              received.wait()
              received.wait()
              withExtendedLifetime((token, path)) {}
            }
          }
        }
        try make(200)
        try empty.expectAgain("the first monitors", growth: 1 << 23)
        let before = try Holdings()
        try make(600)
        try before.expectAgain("the monitors", growth: 1 << 22)
      }
    }
  }
}
#endif
