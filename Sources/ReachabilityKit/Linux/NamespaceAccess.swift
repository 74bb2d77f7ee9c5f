/// The access to another network namespace from outside.
struct NamespaceAccess {
  /// The source of the namespace's network; its sockets are open, so it needs no further privileges.
  let source: any NetworkSource

  #if os(Linux)
  /// The lookup of names in the namespace; `nil` if it is unknown how they are resolved there.
  let names: NameAccess?

  /// Enters the namespace on a dedicated thread and opens the sockets there.
  init(_ namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    let threads = try NamespaceThreads(in: namespace)
    let names = NameAccess(in: threads)
    source = try threads.call { () throws(ReachabilityMonitorError) -> LinuxNetworkSource in
      try LinuxNetworkSource(names: names, threads: threads.start)
    }
    self.names = names
  }
  #else
  /// Always throws: only Linux has network namespaces.
  init(_ namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    throw ReachabilityMonitorError(
      .namespaceNotFound, description: "there is no \(namespace): only Linux has network namespaces")
  }
  #endif
}
