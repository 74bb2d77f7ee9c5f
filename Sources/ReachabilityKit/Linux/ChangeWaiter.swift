// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import Netlink
import POSIX
import Synchronization

/// Blocks the engine's thread until something may have changed.
final class ChangeWaiter: Sendable {
  /// Why a wait ended.
  enum Reason: Equatable {
    /// A descriptor has input, ``ChangeWaiter/wake()`` was called, or the deadline is over.
    case attention
    /// The third descriptor has input.
    case furtherInput
    /// The machine slept, or its hypervisor paused it.
    case slept
  }

  private let alarm: Alarm
  private let clockWatch: FileDescriptor
  private let datagrams: FileDescriptor
  private let currentWallClockLead: @Sendable () -> Duration
  /// The lead when the wall clock was last set.
  private let wallClockLead: Mutex<Duration>

  /// Opens the descriptors.
  ///
  /// - Parameter wallClockLead: Returns by how much the wall clock is ahead of the monotonic clock.
  init(
    wallClockLead: @escaping @Sendable () -> Duration = ChangeWaiter.wallClockLead
  ) throws(NetlinkError) {
    currentWallClockLead = wallClockLead
    self.wallClockLead = Mutex(wallClockLead())
    do throws(Errno) {
      alarm = try Alarm()
      let flags: DescriptorFlags = [.closeOnExec, .nonBlocking]
      clockWatch = try FileDescriptor(owning: timerfd_create(CLOCK_REALTIME, flags.rawValue))
      datagrams = try FileDescriptor.openSocket(AF_INET, .datagrams)
    } catch {
      throw NetlinkError(.system, attempt: "prepare to wait for changes", errno: error)
    }
    watchClock()
  }

  // TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET: enumerators in one C library, macros in another.
  private static var absoluteTime: CInt { 1 }
  private static var cancelOnSet: CInt { 2 }

  /// Ends a wait, or the next one if there is none now.
  func wake() {
    alarm.ring()
  }

  /// Blocks until a descriptor has input, ``wake()`` is called, the wall clock is set or the deadline is over.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor to poll, if any.
  ///   - other: Another one, if any.
  ///   - third: A third one, if any.
  ///   - deadline: The moment of return without any input; `nil` for never.
  func wait(
    for descriptor: CInt?, or other: CInt?, or third: CInt? = nil, until deadline: Moment?
  ) -> Reason {
    func wanted(_ descriptor: CInt) -> pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }
    // An array would allocate memory for each wait. The kernel ignores descriptors below zero.
    var descriptors: [5 of pollfd] = [
      wanted(alarm.descriptor), wanted(clockWatch.rawValue), wanted(descriptor ?? -1), wanted(other ?? -1),
      wanted(third ?? -1),
    ]
    var span = descriptors.mutableSpan
    let timeout = Self.milliseconds(until: deadline)
    let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
      unsafe poll(buffer.baseAddress, nfds_t(buffer.count), timeout)
    }
    guard count > 0 else { return .attention }
    var isBroken = (0..<5).contains { descriptors[$0].revents & Int16(POLLNVAL) != 0 }
    if descriptors[0].revents != 0, !alarm.silence() { isBroken = true }
    var isCancelled = false
    if descriptors[1].revents != 0 {
      var expirations: UInt64 = 0
      let count = unsafe read(clockWatch.rawValue, &expirations, 8)
      isCancelled = count < 0 && errno == ECANCELED
      if count != 8, !isCancelled { isBroken = true }
      watchClock()
    }
    if isBroken { Alarm.pause() }
    if isCancelled, hasSlept() { return .slept }
    return descriptors[4].revents != 0 ? .furtherInput : .attention
  }

  /// The timeout for `poll`: -1 for none, and rounded up, so that the deadline is over when it returns.
  private static func milliseconds(until deadline: Moment?) -> CInt {
    guard let deadline else { return -1 }
    let left = max(Moment.now.duration(to: deadline), .zero)
    return CInt(clamping: Int64(left / .milliseconds(1)) + (left > .zero ? 1 : 0))
  }

  /// Waits until the kernel is not in the middle of a change to links, addresses, routes or rules.
  ///
  /// All such changes hold a lock (RTNL). The request takes it too, so it returns after a change in progress; its answer
  /// does not matter.
  func waitForKernel() {
    // An ifreq, of 40 bytes, that names an interface: "lo".
    var request = (UInt64(0x6f6c).littleEndian, UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    _ = unsafe ioctl(datagrams.rawValue, ControlRequest.interfaceAddress, &request)
  }

  /// Arms the timer that ends a wait when the wall clock is set, as it is when the machine wakes up from sleep.
  ///
  /// So a sleep is noticed without periodic wake-ups.
  private func watchClock() {
    var farAway = itimerspec(it_interval: timespec(), it_value: timespec(tv_sec: .max / 2, tv_nsec: 0))
    _ = unsafe timerfd_settime(clockWatch.rawValue, Self.absoluteTime | Self.cancelOnSet, &farAway, nil)
  }

  /// Whether the wall clock is a second or more further ahead of the monotonic clock, which stands still during a sleep.
  ///
  /// After a pause, an agent of the hypervisor sets the wall clock. Other programs also correct it by less, or set it back.
  private func hasSlept() -> Bool {
    let lead = currentWallClockLead()
    return wallClockLead.withLock { last in
      defer { last = lead }
      return lead - last >= .seconds(1)
    }
  }

  /// Returns by how much the wall clock is ahead of the monotonic clock: `CLOCK_REALTIME` and `CLOCK_MONOTONIC`.
  static func wallClockLead() -> Duration {
    var (wall, monotonic) = (timespec(), timespec())
    unsafe clock_gettime(CLOCK_REALTIME, &wall)
    unsafe clock_gettime(CLOCK_MONOTONIC, &monotonic)
    return .seconds(Int64(wall.tv_sec - monotonic.tv_sec))
      + .nanoseconds(Int64(wall.tv_nsec - monotonic.tv_nsec))
  }
}
#endif
