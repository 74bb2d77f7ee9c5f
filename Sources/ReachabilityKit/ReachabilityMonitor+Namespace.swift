extension ReachabilityMonitor {
  /// Makes a monitor of another network namespace, watched from outside.
  ///
  /// The namespace is entered once, by a thread that starts those that look names up or connect there, and sleeps
  /// otherwise; the calling thread stays where it is. Entering takes `CAP_SYS_ADMIN` in the namespace and in this process's user namespace;
  /// afterwards no rights are needed, and they may be given up. Whoever is in the namespace already needs none.
  ///
  /// The monitor keeps the namespace alive, as every socket does: its name and its processes may go, and its network
  /// is still watched.
  ///
  /// - Throws: ``ReachabilityMonitorError`` with code `namespaceNotFound` if there is no such network namespace,
  ///   `notPermitted` if this process may not enter it, or `systemUnavailable`.
  public convenience init(in namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    self.init(source: try NamespaceAccess(namespace).source)
  }
}
