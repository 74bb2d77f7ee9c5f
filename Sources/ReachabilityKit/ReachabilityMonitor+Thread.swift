extension ReachabilityMonitor {
  /// Starts a thread in the network that this monitor is of, which looks names up as there.
  ///
  /// - Throws: ``ReachabilityMonitorError`` with code `systemUnavailable` if there is none to be had, or in a forked child.
  package func startNetworkThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    let engine = handle.engine
    guard engine.isAtHome else {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "a monitor of another process can't request anything")
    }
    try engine.source.startThread(named: name, body)
  }

  /// Whether it is known how names are looked up in that network.
  package var canLookUp: Bool { handle.engine.source.names?.canLookUp ?? true }
}
