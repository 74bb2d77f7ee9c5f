/// Makes the source for the operating system that this is.
func systemNetworkSource() throws(ReachabilityMonitorError) -> any NetworkSource {
  #if os(Linux)
  try LinuxNetworkSource()
  #elseif canImport(Darwin)
  AppleNetworkSource()
  #else
  throw ReachabilityMonitorError(
    .systemUnavailable, description: "this operating system can't be asked, only Linux and Apple's can")
  #endif
}
