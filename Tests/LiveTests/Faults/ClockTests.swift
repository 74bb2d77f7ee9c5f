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
  /// The wall clock jumps, as it does when the machine wakes up.
  @Suite("Clock jumps")
  struct ClockTests {
    /// A jump of the machine's clock would be everybody's, so the timer that tells of one is fired and its read refused as
    /// the kernel then refuses it (`ECANCELED`); poll, read and all that follows are real.
    @Test func `after a jump of the clock everything is asked again, each time`() async {
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
        // From now on nobody hears anything, as in a sleep.
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
          recorder.wait("what became of '\(command)'") { [count] in $0[FaultLab.far]?.count == count }
          #expect(recorder.statuses[FaultLab.far]?.last?.isReachable == isReachable)
        }
        // It is set again to tell of the next jump: TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET.
        let settings = try lab.host.sh("cat /proc/\(getpid())/fdinfo/\(timer.number)")
        #expect(settings.contains("settime flags: 03\n"), "\(settings)")
      }
    }
  }
}
#endif
