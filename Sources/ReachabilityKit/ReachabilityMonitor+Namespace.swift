extension ReachabilityMonitor {
  /// Creates a monitor of another network namespace, without moving the calling thread.
  ///
  /// A thread of the library enters the namespace once. It starts the threads that look names up or connect there,
  /// and sleeps otherwise. Entering requires `CAP_SYS_ADMIN` in the namespace and in this process's user namespace,
  /// unless the process is in the namespace already. Afterwards no privileges are needed, and the process may drop
  /// them.
  ///
  /// The monitor keeps the namespace alive, as every socket does: its network is observed even after its name is
  /// deleted and its processes have exited.
  ///
  /// - Parameter namespace: The namespace to observe.
  /// - Throws: ``ReachabilityMonitorError`` with code `namespaceNotFound` if there is no such network namespace,
  ///   `notPermitted` if this process may not enter it, or `systemUnavailable`.
  public convenience init(in namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    self.init(source: try NamespaceAccess(namespace).source)
  }
}
