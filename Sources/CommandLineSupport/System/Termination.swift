import CLibrary

/// The signals that request the end of a process.
package enum Termination {
  /// Calls a handler on `SIGINT` or `SIGTERM`, which then do not end the process.
  ///
  /// Call it before other threads exist, because they must block these signals too. It replaces Dispatch's signal
  /// sources, which are registered after a delay and lose a signal that arrives before.
  ///
  /// - Parameters:
  ///   - start: Starts a thread. If it throws, the signals end the process as before.
  ///   - handler: The handler, called on that thread.
  package static func handle<Failure: Error>(
    startingThread start: (@escaping @Sendable () -> Void) throws(Failure) -> Void,
    _ handler: @escaping @Sendable () -> Void
  ) throws(Failure) {
    var (signals, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    // Blocked before the thread starts, since a signal in between would end the process.
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
