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

extension LiveTests {
  /// Jumps of the wall clock, as on wake-up from sleep.
  @Suite("Clock jumps")
  struct ClockTests {
    /// A real jump would affect the whole machine.
    ///
    /// So the timer that reports a jump is fired, and its read refused with the kernel's error (`ECANCELED`); poll,
    /// read and all that follows are real.
    @Test func `every clock jump queries everything again`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        let before = OpenDescriptor.all
        let monitor = try lab.host.run { try ReachabilityMonitor.startingThreadsFromCallers() }
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
        for (command, isReachable) in [
          ("route del default", false), ("route add default via 10.1.0.254", true),
          ("link set v0 down", false),
        ] {
          try lab.host.ip(command)
          #expect(recorder.statuses[FaultLab.far]?.count == count)
          try timer.fire()
          count += 1
          recorder.wait("the effect of '\(command)'") { [count] in $0[FaultLab.far]?.count == count }
          #expect(recorder.statuses[FaultLab.far]?.last?.isReachable == isReachable)
        }
        // The timer is armed again for the next jump: TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET.
        let settings = try lab.host.sh("cat /proc/\(getpid())/fdinfo/\(timer.number)")
        #expect(settings.contains("settime flags: 03\n"), "\(settings)")
      }
    }
  }
}
#endif
