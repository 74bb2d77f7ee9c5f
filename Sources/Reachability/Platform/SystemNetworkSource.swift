/// Makes the source for the operating system that this is.
func systemNetworkSource() throws(NetworkMonitorError) -> any NetworkSource {
  #if os(Linux)
  try LinuxNetworkSource()
  #elseif canImport(Darwin)
  AppleNetworkSource()
  #else
  throw NetworkMonitorError(
    .systemUnavailable, description: "this operating system can't be asked, only Linux and Apple's can")
  #endif
}
