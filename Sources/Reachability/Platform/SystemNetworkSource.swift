/// Makes the source for the operating system that this is.
func systemNetworkSource() throws(NetworkMonitorError) -> any NetworkSource {
  #if os(Linux)
  try LinuxNetworkSource()
  #elseif canImport(SystemConfiguration) && canImport(Darwin)
  AppleNetworkSource()
  #else
  throw NetworkMonitorError(.systemUnavailable, description: "there is no way to ask this operating system")
  #endif
}
