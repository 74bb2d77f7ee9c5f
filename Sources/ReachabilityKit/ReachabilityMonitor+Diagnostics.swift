extension ReachabilityMonitor {
  /// Counters of the exchange between this monitor and the system since the monitor was created.
  ///
  /// On Linux these count the monitor's netlink sockets; elsewhere all counters are zero.
  public var diagnostics: ReachabilityDiagnostics { handle.engine.diagnostics }
}
