extension ReachabilityMonitor {
  /// Starts a thread in this monitor's network, which looks names up as processes there do.
  ///
  /// - Throws: ``ReachabilityMonitorError`` with code `systemUnavailable` if no thread can be created, or in a forked
  ///   child.
  package func startNetworkThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    let engine = handle.engine
    guard engine.isAtHome else {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "cannot send requests: this monitor was created by another process")
    }
    try engine.source.startLookupThread(named: name, body)
  }

  /// Whether the name lookup configuration of that network is known.
  package var canLookUp: Bool { handle.engine.source.names?.canLookUp ?? true }
}
