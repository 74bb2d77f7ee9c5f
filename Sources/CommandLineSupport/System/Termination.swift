#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Hears the signals that ask a process to end.
package enum Termination {
  /// Calls the handler when `SIGINT` or `SIGTERM` comes, in place of dying.
  ///
  /// To be called before there are other threads, which must block these signals too. Not Dispatch's signal sources:
  /// what comes before one has been registered, some moments later, is lost.
  ///
  /// - Parameters:
  ///   - start: Starts a thread. If it throws, the signals end the process as before.
  ///   - handler: What to call, on that thread.
  package static func handle<Failure: Error>(
    startingThread start: (@escaping @Sendable () -> Void) throws(Failure) -> Void,
    _ handler: @escaping @Sendable () -> Void
  ) throws(Failure) {
    var (signals, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    // Before the thread starts: one that comes in between would end the process.
    unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
    let awaited = signals
    do throws(Failure) {
      try start {
        var signals = awaited
        var number: CInt = 0
        while unsafe sigwait(&signals, &number) != 0 {}
        handler()
      }
    } catch {
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
      throw error
    }
  }
}
