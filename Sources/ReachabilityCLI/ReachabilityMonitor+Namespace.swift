import ReachabilityKit

extension ReachabilityMonitor {
  /// Returns a monitor of a network namespace, or the shared monitor of the command's own.
  ///
  /// The shared monitor lasts until the process ends, which frees everything at once and faster than a monitor does.
  static func monitor(of namespace: ReachabilityNamespace?) throws(ReachabilityMonitorError)
    -> ReachabilityMonitor
  {
    if let namespace { try ReachabilityMonitor(in: namespace) } else { try .shared }
  }
}
