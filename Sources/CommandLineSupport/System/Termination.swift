import Dispatch

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
  package static func handle(_ handler: @escaping @Sendable () -> Void) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let awaited = signals
    DispatchQueue(label: "reachability.termination").async {
      var signals = awaited
      var number: CInt = 0
      while unsafe sigwait(&signals, &number) != 0 {}
      handler()
    }
  }
}
