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
/// to observers' queues in one step.
package func startThread(named name: String, _ run: @escaping @Sendable () -> Void) {
  let body = unsafe Unmanaged.passRetained(ThreadBody(name: name, run: run)).toOpaque()
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)
  unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
  defer { unsafe pthread_attr_destroy(&attributes) }
  #if canImport(Glibc)
  var thread = pthread_t()
  #else
  var thread: pthread_t?
  #endif
  let result = withSignalsBlocked { unsafe pthread_create(&thread, &attributes, threadMain, body) }
  // Only a process that is out of memory or of threads fails here, and it can't go on anyway.
  precondition(result == 0, "no thread for network changes: error \(result)")
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
  body.run()
  return nil
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
