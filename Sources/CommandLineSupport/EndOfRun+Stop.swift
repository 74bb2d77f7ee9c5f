extension EndOfRun {
  /// Ends the run, with success, on `SIGINT` or `SIGTERM`.
  ///
  /// Call it before other threads exist; see ``Termination``.
  ///
  /// - Parameters:
  ///   - hangUp: What `SIGHUP` requests while the terminal exists; `nil` if it ends the process.
  ///   - start: Starts a thread with a name.
  package func reachWhenTerminated<Failure: Error>(
    hangUp: (@Sendable () -> Void)? = nil,
    startingThread start: (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    try Termination.handle(hangUp: hangUp) { body throws(Failure) in
      try start("signals", body)
    } _: {
      self.reach(ExitStatus.success)
    }
  }

  /// Ends the run, with success, on `SIGINT` or `SIGTERM`, or when the reader of the output closes it.
  ///
  /// Call it before other threads exist; see ``Termination``.
  ///
  /// - Parameters:
  ///   - output: The stream whose reader may close it.
  ///   - start: Starts a thread with a name.
  package func reachWhenStopped<Failure: Error>(
    reading output: StandardOutput,
    startingThread start: (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    try reachWhenTerminated(startingThread: start)
    // A pipe without a reader ends the run even if nothing changes.
    try start("reader") {
      output.waitUntilClosed()
      self.reach(ExitStatus.success)
    }
  }
}
