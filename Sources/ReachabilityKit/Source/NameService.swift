/// The seam between the engine and the system's resolver.
package protocol NameService: Sendable {
  /// Whether this network's resolver settings are known, so that names can be looked up.
  var canLookUp: Bool { get }

  /// Whether packets for a configured name server can leave; also if that is not known.
  var canReachServer: Bool { get }

  /// Looks up a name; blocks until the system's resolver returns.
  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer

  /// Runs a closure on a new thread for lookups.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if no thread can be started.
  func startThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError)
}

extension NameService {
  package var canLookUp: Bool { true }

  package var canReachServer: Bool { true }
}
