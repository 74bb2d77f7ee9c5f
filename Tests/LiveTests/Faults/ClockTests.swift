// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import Synchronization
import Testing

@testable import ReachabilityKit

extension LiveTests {
  /// Wall clocks that are set, on wake-up from sleep and otherwise.
  @Suite("Clock jumps")
  struct ClockTests {
    /// A wall clock's lead over the monotonic clock.
    private final class Lead: Sendable {
      private let state = Mutex((value: Duration.zero, readings: 0))

      var value: Duration {
        state.withLock { state in
          state.readings += 1
          return state.value
        }
      }

      /// Sets the wall clock; returns the number of readings until now.
      func advance(by step: Duration) -> Int {
        state.withLock { state in
          state.value += step
          return state.readings
        }
      }

      /// Blocks until the value was read as often; records an issue if it was not in time.
      func wait(forReading number: Int) {
        let deadline = ContinuousClock.now + .seconds(15)
        while state.withLock({ $0.readings < number }) {
          guard ContinuousClock.now < deadline else {
            Issue.record("reading \(number) was not made")
            return
          }
          usleep(1000)
        }
      }
    }

    @Test func `the lead of the wall clock is that over the monotonic clock`() {
      var (wall, monotonic) = (timespec(), timespec())
      unsafe clock_gettime(CLOCK_MONOTONIC, &monotonic)
      let lead = ChangeWaiter.wallClockLead() / .seconds(1)
      unsafe clock_gettime(CLOCK_REALTIME, &wall)
      let latest = Double(wall.tv_sec - monotonic.tv_sec) + Double(wall.tv_nsec - monotonic.tv_nsec) / 1e9
      #expect(lead < latest + 0.1 && lead > latest - 60)
    }

    /// To set the clock would affect the whole machine.
    ///
    /// So the timer that reports it is fired, and its read refused with the kernel's error (`ECANCELED`), and the test has
    /// the clocks; poll, read and all that follows are real.
    @Test func `every sleep queries everything again`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        let before = OpenDescriptor.all
        let lead = Lead()
        let monitor = try lab.host.run {
          try ReachabilityMonitor.startingThreadsFromCallers(waiter: ChangeWaiter { lead.value })
        }
        let opened = OpenDescriptor.all.subtracting(before)
        let timer = try #require(opened.first { $0.name == "anon_inode:[timerfd]" })
        let recorder = try lab.host.runApart {
          try Faults.refuse("read", where: (0, UInt32(timer.number)), with: ECANCELED)
          return Recorder(monitor, [FaultLab.far])
        }
        recorder.wait("the initial event") { $0[FaultLab.far]?.last?.isReachable == true }
        // A next hop is looked up again once it is watched, which is before another target is evaluated.
        let other = try lab.host.run { Recorder(monitor, [FaultLab.near]) }
        other.wait("the event of another target") { !$0.isEmpty }
        // From here on no socket receives announcements, as during sleep.
        for socket in opened where socket.isNetlink { socket.leaveGroups() }
        var count = 1
        let tableReads = monitor.diagnostics.tableReads
        for (command, isReachable) in [
          ("route del default", false), ("route add default via 10.1.0.254", true),
          ("link set v0 down", false),
        ] {
          try lab.host.ip(command)
          #expect(recorder.statuses[FaultLab.far]?.count == count)
          // The first two correct the clock.
          for step in [Duration.milliseconds(900), .seconds(-3600), .seconds(1)] {
            let readings = lead.advance(by: step)
            try timer.fire()
            lead.wait(forReading: readings + 1)
          }
          count += 1
          recorder.wait("the effect of '\(command)'") { [count] in $0[FaultLab.far]?.count == count }
          let status = recorder.statuses[FaultLab.far]?.last
          #expect(status?.isReachable == isReachable)
          #expect(monitor.currentStatus(of: FaultLab.far) == status, "a new query")
        }
        // One for the observers and one for callers.
        #expect(monitor.diagnostics.tableReads - tableReads == 3 * 2)
        // The timer is armed again for the next jump: TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET.
        let settings = try lab.host.sh("cat /proc/\(getpid())/fdinfo/\(timer.number)")
        #expect(settings.contains("settime flags: 03\n"), "\(settings)")
      }
    }
  }
}
#endif
