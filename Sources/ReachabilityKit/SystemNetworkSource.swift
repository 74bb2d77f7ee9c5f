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
