/// What there is of another network namespace from outside.
struct NamespaceAccess {
  /// The namespace's network; its sockets are open, and using them needs no rights.
  let source: any NetworkSource

  #if os(Linux)
  /// How names are looked up there; `nil` where that is not known.
  let names: NameAccess?

  /// Enters the namespace on a thread of its own, and opens there all that is needed.
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
