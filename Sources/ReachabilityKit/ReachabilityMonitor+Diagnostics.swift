extension ReachabilityMonitor {
  /// What went on between this monitor and the system, as far as it was read by now.
  ///
  /// On Linux these are the monitor's netlink sockets; elsewhere there is nothing to count.
  public var diagnostics: ReachabilityDiagnostics { handle.engine.diagnostics }
}
