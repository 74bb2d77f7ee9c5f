// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import Foundation
import LiveSupport
import Netlink
import Synchronization
import Testing

@testable import ReachabilityKit

extension LiveTests {
  /// Signals that interrupt system calls without a restart.
  @Suite("Signals")
  struct SignalTests {
    private static let enough = 100

    @Test func `constant signals do not change an answer`() throws {
      let lab = try Lab(.ipv4Only)
      let expected = try ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", lab.interface("v0"))
      let wrong = try lab.host.runApart {
        try Faults.interrupting {
          let start = Faults.interruptions
          var wrong: [String] = []
          while Faults.interruptions < start + 2000, wrong.isEmpty {
            let monitor = try ReachabilityMonitor()
            for _ in 0..<200 {
              let status = monitor.currentStatus(of: FaultLab.far)
              if status != expected { wrong.append("\(status)") }
            }
            let path = monitor.path
            if !path.isSatisfied { wrong.append("\(path)") }
          }
          return wrong
        }
      }
      #expect(wrong.value == [])
      #expect(wrong.count > Self.enough)
    }

    @Test func `a blocking receive is restarted after each signal`() throws {
      let lab = try Lab(.ipv4Only)
      let isWaiting = DispatchSemaphore(value: 0)
      let received = try lab.host.startApart {
        let socket = try KernelTransport()
        try socket.setMembership(.ipv4Routes, joined: true)
        return try Faults.interrupting {
          isWaiting.signal()
          var buffer = [UInt8](repeating: 0, count: 8192)
          return try socket.receive(into: &buffer, blocking: true)
        }
      }
      isWaiting.wait()
      let start = Faults.interruptions
      try wait { Faults.interruptions > start + Self.enough }
      try lab.host.ip("route add 10.8.0.0/16 via 10.1.0.7")
      let outcome = try received.wait()
      #expect(outcome.value.count > 0 && outcome.value.senderPort == 0)
      #expect(outcome.count > Self.enough)
    }

    @Test func `an interrupted wait is no clock jump and receives its event`() throws {
      let lab = try Lab(.ipv4Only)
      let waiter = try ChangeWaiter()
      let isOver = Mutex(false)
      let reasons = try lab.host.startApart {
        try Faults.interrupting {
          var reasons: [ChangeWaiter.Reason] = []
          while !isOver.withLock(\.self) { reasons.append(waiter.wait(for: -1, or: nil, until: nil)) }
          return reasons
        }
      }
      let start = Faults.interruptions
      try wait { Faults.interruptions > start + Self.enough }
      isOver.withLock { $0 = true }
      waiter.wake()
      let outcome = try reasons.wait()
      #expect(outcome.value.count > Self.enough / 2)
      #expect(Set(outcome.value) == [.attention])
    }

    @Test func `the library's threads block the program's signals`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        // Signals are blocked in the threads of tests, and new threads inherit that.
        let recorder = try lab.host.runApart {
          Faults.unblockSignals()
          let monitor = try ReachabilityMonitor()
          return Recorder(monitor, [FaultLab.far, try ReachabilityTarget("name.test")])
        }
        recorder.wait("the initial events") { $0.count == 2 }
        let folder = "/proc/self/task"
        var blocked: [String: UInt64] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
          guard let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8),
            let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8),
            let mask = status.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") })?.split(
              separator: "\t"
            ).last
          else { continue }
          blocked[name.trimmingCharacters(in: .whitespacesAndNewlines)] = UInt64(mask, radix: 16)
        }
        let mask = try #require(blocked["reachability"])
        for signal in [SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM] {
          #expect(mask & 1 << (UInt64(signal) - 1) != 0, "signal \(signal)")
        }
        // These signals belong to the faulting thread itself.
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS] {
          #expect(mask & 1 << (UInt64(signal) - 1) == 0, "signal \(signal)")
        }
      }
    }

    private func wait(until isDone: () -> Bool) throws {
      let deadline = ContinuousClock.now.advanced(by: .seconds(15))
      while !isDone() {
        try #require(ContinuousClock.now < deadline)
        sched_yield()
      }
    }
  }
}
#endif
