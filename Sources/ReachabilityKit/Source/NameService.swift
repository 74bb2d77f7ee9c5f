/// The seam between the engine and the system's resolver.
package protocol NameService: Sendable {
  /// Whether it is known how names are looked up in this network.
  var canLookUp: Bool { get }

  /// Looks a name up; blocks for as long as the system's resolver takes.
  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer

  /// Runs a closure on a thread of its own, from which names are looked up.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if there is no thread for it.
  func startThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError)
}

extension NameService {
  package var canLookUp: Bool { true }
}

/// How many lookups of names run concurrently.
package enum NameLookups {
  /// The highest number of them.
  package static var limit: Int { 6 }
}
