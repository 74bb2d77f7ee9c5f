import CLibrary

/// The progress of another thread since this value was created.
///
/// A thread that waits for an event, or has used processor time, has progressed. A thread that only waits for a
/// processor has not, no matter how long.
package struct ThreadProgress: Sendable {
  #if canImport(Darwin)
  private let thread: thread_act_t
  #else
  private let clock: clockid_t?
  #endif
  private let start: Duration?

  /// Records the state of a running thread by its number, ``Thread/currentNumber``.
  package init(ofThread number: UInt) {
    #if canImport(Darwin)
    thread = unsafe pthread_t(bitPattern: number).map { unsafe pthread_mach_thread_np($0) } ?? 0
    start = Self.look(at: thread).time
    #else
    clock = Self.clock(ofThread: number)
    start = clock.flatMap(Self.time)
    #endif
  }

  /// More than a thread needs to reach its work, and less than a noticeable delay.
  private static var least: Duration { .milliseconds(10) }

  /// Whether the thread waits for an event now, or has run for a while since; `true` also if this is unknown.
  package var hasGoneOn: Bool {
    #if canImport(Darwin)
    let (time, isWaiting) = Self.look(at: thread)
    #else
    let (time, isWaiting) = (clock.flatMap(Self.time), clock.map(Self.isWaiting) ?? true)
    #endif
    guard !isWaiting, let time, let start else { return true }
    return time - start >= Self.least
  }
}

#if canImport(Darwin)
extension ThreadProgress {
  /// Returns the processor time of a thread and whether it waits; the call is `thread_info`.
  private static func look(at thread: thread_act_t) -> (time: Duration?, isWaiting: Bool) {
    var information = thread_basic_info()
    let size = MemoryLayout<thread_basic_info>.size / MemoryLayout<natural_t>.size
    var count = mach_msg_type_number_t(size)
    let result = unsafe withUnsafeMutablePointer(to: &information) { pointer in
      unsafe pointer.withMemoryRebound(to: integer_t.self, capacity: size) {
        unsafe thread_info(thread, thread_flavor_t(THREAD_BASIC_INFO), $0, &count)
      }
    }
    guard result == KERN_SUCCESS else { return (nil, true) }
    let (user, system) = (information.user_time, information.system_time)
    let time =
      Duration.seconds(Int64(user.seconds) + Int64(system.seconds))
      + .microseconds(Int64(user.microseconds) + Int64(system.microseconds))
    return (time, information.run_state == TH_STATE_WAITING)
  }
}
#else
extension ThreadProgress {
  private static func clock(ofThread number: UInt) -> clockid_t? {
    var clock = clockid_t()
    #if canImport(Glibc)
    let result = unsafe pthread_getcpuclockid(number, &clock)
    #else
    guard let thread = unsafe pthread_t(bitPattern: number) else { return nil }
    let result = unsafe pthread_getcpuclockid(thread, &clock)
    #endif
    return result == 0 ? clock : nil
  }

  private static func time(of clock: clockid_t) -> Duration? {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// Returns whether a thread sleeps until an event (`S`), or has ended.
  ///
  /// A thread that the kernel keeps from running has another state (`R`, `D`, `T`). The clock's number contains the
  /// thread's, the kernel's `CPUCLOCK_PID`.
  private static func isWaiting(_ clock: clockid_t) -> Bool {
    let path = "/proc/self/task/\(~(clock >> 3))/stat"
    guard let bytes = try? SystemFile.contents(of: path, upTo: 4096),
      let end = bytes.lastIndex(of: UInt8(ascii: ")")), end + 2 < bytes.count
    else { return true }
    return [UInt8(ascii: "S"), UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(bytes[end + 2])
  }
}
#endif
