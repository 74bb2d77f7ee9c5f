/// Returns the source for this operating system.
func systemNetworkSource() throws(ReachabilityMonitorError) -> any NetworkSource {
  #if os(Linux)
  try LinuxNetworkSource()
  #elseif canImport(Darwin)
  AppleNetworkSource()
  #else
  throw ReachabilityMonitorError(
    .systemUnavailable,
    description: "this operating system is not supported; only Linux and Apple platforms are")
  #endif
}

#if os(Linux)
extension ReachabilityMonitor {
  /// Makes a monitor for tests of the kernel's filter for announcements.
  ///
  /// - Parameter unrelatedRouteLimit: The number of unrelated routes after which the filter is attached at the latest.
  package convenience init(unrelatedRouteLimit: Int) throws(ReachabilityMonitorError) {
    self.init(source: try LinuxNetworkSource(unrelatedRouteLimit: unrelatedRouteLimit))
  }
}
#endif
