import CLibrary

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
