extension ReachabilityMonitor {
  /// The monitor that Apple's functions and the classic managers use for targets that this task creates, instead of the
  /// shared one: that of a simulated network or of another network namespace.
  @TaskLocal package static var substitute: ReachabilityMonitor?
}
