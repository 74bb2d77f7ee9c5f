// SPDX-License-Identifier: Apache-2.0
import CLibrary
import Dispatch
import Synchronization

#if os(Linux)
import CPOSIX
#endif

/// The name and the function of a new thread.
private final class ThreadBody {
  let name: String
  let run: @Sendable () -> Void

  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

/// Threads that block signals, which belong to the program's own threads.
package enum Thread {
  /// The calling thread's number, unique among running threads.
  package static var currentNumber: UInt {
    #if canImport(Glibc)
    pthread_self()
    #else
    unsafe UInt(bitPattern: pthread_self())
    #endif
  }

  /// Starts a detached thread.
  ///
  /// The thread uses the processors, the policy and the nice value of the main thread, not of the calling thread.
  ///
  /// - Throws: The error of `pthread_create`, for example at the process's thread limit.
  package static func start(named name: String, _ run: @escaping @Sendable () -> Void) throws(Errno) {
    let body = unsafe Unmanaged.passRetained(ThreadBody(name: name, run: run))
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    defer { unsafe pthread_attr_destroy(&attributes) }
    #if canImport(Glibc)
    var thread = pthread_t()
    #else
    var thread: pthread_t?
    #endif
    let result = withSignalsBlocked {
      unsafe pthread_create(&thread, &attributes, threadMain, body.toOpaque())
    }
    guard result != 0 else { return }
    unsafe body.release()
    throw Errno(rawValue: result)
  }
}

#if canImport(Darwin)
private func threadMain(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  let body = unsafe Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue()
  unsafe pthread_setname_np(body.name)
  body.run()
  return nil
}
#else
private func threadMain(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let pointer = unsafe pointer else { return nil }
  let body = unsafe Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue()
  unsafe cposix_name_thread(body.name)
  scheduleAsProcess()
  body.run()
  return nil
}

/// Applies the processors, the policy and the nice value of the main thread to the calling thread, if permitted.
///
/// A higher priority requires `CAP_SYS_NICE` or a sufficient `RLIMIT_NICE`.
private func scheduleAsProcess() {
  let process = getpid()
  // Room for 8,192 processors. The call takes a thread; the main thread has the number of the process.
  var processors = [UInt8](repeating: 0, count: 1024)
  if unsafe cposix_get_affinity(process, processors.count, &processors) >= 0 {
    _ = unsafe cposix_set_affinity(0, processors.count, &processors)
  }
  var parameters = sched_param()
  let policy = sched_getscheduler(process)
  if policy >= 0, policy != sched_getscheduler(0), unsafe sched_getparam(process, &parameters) == 0 {
    _ = unsafe sched_setscheduler(0, policy, &parameters)
  }
  let nice = cposix_get_priority(0, UInt32(process))
  if nice != cposix_get_priority(0, 0) { _ = cposix_set_priority(0, 0, nice) }
}
#endif

/// Runs a closure with signals blocked, except those that report a fault of the thread itself.
///
/// A thread started in the closure inherits the mask from its first instruction. Otherwise a signal that the program
/// expects on one of its own threads (`sigwait`, `signalfd`) could terminate the program here.
private func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
  var (signals, before) = (sigset_t(), sigset_t())
  unsafe sigfillset(&signals)
  for signal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP] {
    unsafe sigdelset(&signals, signal)
  }
  unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  return body()
}

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

  /// Whether the thread waits for an event now, and does not run or wait for a processor; `true` also if this is unknown.
  package var isWaiting: Bool {
    #if canImport(Darwin)
    Self.look(at: thread).isWaiting
    #else
    clock.map(Self.isWaiting) ?? true
    #endif
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

/// A value that one thread determines and another one waits for.
package final class Handover<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  package init() {}

  /// Delivers the value; called once.
  package func fulfil(_ value: Value) {
    self.value.withLock { $0 = value }
    isDone.signal()
  }

  /// Blocks until the value is delivered; called once.
  package func wait() -> Value {
    while true {
      isDone.wait()
      if let value = value.withLock({ $0 }) { return value }
    }
  }
}

#if os(Linux)
/// The parts of a thread's context that `unshare(2)` separates and `setns(2)` replaces, `CLONE_…`.
///
/// The C library declares them as GNU extensions, so the values are written here.
package struct CloneFlags: OptionSet, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The working directory and the root directory, `CLONE_FS`.
  package static let directories = CloneFlags(rawValue: 0x200)
  /// The mount namespace, `CLONE_NEWNS`.
  package static let mounts = CloneFlags(rawValue: 0x20000)
  /// The network namespace, `CLONE_NEWNET`.
  package static let network = CloneFlags(rawValue: 0x4000_0000)
}
#endif
