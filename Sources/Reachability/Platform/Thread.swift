import Dispatch

#if os(Linux)
import CNetlink
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A number that tells the calling thread from all others that run now.
func currentThreadNumber() -> UInt {
  #if canImport(Glibc)
  pthread_self()
  #else
  unsafe UInt(bitPattern: pthread_self())
  #endif
}

/// What a new thread runs.
private final class ThreadBody {
  let name: String
  let run: @Sendable () -> Void

  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

/// Starts a thread that nobody waits for, and that takes no signals: these are for the program's own threads.
///
/// A thread of its own, not a queue's: it blocks for as long as nothing changes, with no wake-ups, and hands over
/// to observers' queues in one step. It runs with the processors, the policy and the nice value of the process (its main
/// thread), not with those of the calling thread: which thread is the first to observe is chance.
///
/// - Throws: ``NetworkMonitorError`` with code `systemUnavailable` where the process may have no more threads.
package func startThread(
  named name: String, _ run: @escaping @Sendable () -> Void
) throws(NetworkMonitorError) {
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
  let words = unsafe strerror(result).map { text in unsafe String(cString: text) } ?? "error \(result)"
  throw NetworkMonitorError(
    .systemUnavailable, errorNumber: result,
    description:
      "could not start a thread: \(words); raise the limit of threads (ulimit -u, or pids.max of the control group)"
  )
}

/// Throws where a process may not start so many threads more, which it finds out by starting them.
///
/// Where a process can start no thread, Dispatch waits in the calling thread until it can, for ever perhaps.
package func requireThreads(_ count: Int) throws(NetworkMonitorError) {
  let mayEnd = DispatchSemaphore(value: 0)
  var started = 0
  defer { for _ in 0..<started { mayEnd.signal() } }
  for _ in 0..<count {
    try startThread(named: "probe") { mayEnd.wait() }
    started += 1
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
  unsafe cnetlink_name_thread(body.name)
  scheduleAsProcess()
  body.run()
  return nil
}

/// Gives the calling thread the processors, the policy and the nice value of the process's main thread, as far as it may.
///
/// To go up in priority takes `CAP_SYS_NICE` or a limit that allows it (`RLIMIT_NICE`).
private func scheduleAsProcess() {
  let process = getpid()
  // Room for 8,192 processors. The call takes a thread, and that of the process's number is the main one.
  var processors = [UInt8](repeating: 0, count: 1024)
  if unsafe cnetlink_get_affinity(process, processors.count, &processors) >= 0 {
    _ = unsafe cnetlink_set_affinity(0, processors.count, &processors)
  }
  var parameters = sched_param()
  let policy = sched_getscheduler(process)
  if policy >= 0, policy != sched_getscheduler(0), unsafe sched_getparam(process, &parameters) == 0 {
    _ = unsafe sched_setscheduler(0, policy, &parameters)
  }
  let nice = cnetlink_get_priority(0, UInt32(process))
  if nice != cnetlink_get_priority(0, 0) { _ = cnetlink_set_priority(0, 0, nice) }
}
#endif

/// Runs a closure with signals left to other threads, as those that it starts do from their first moment on; those that
/// tell of a fault of the thread itself stay.
///
/// Else a program that waits for a signal on a thread of its own (`sigwait`, `signalfd`) could be ended by it here.
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
