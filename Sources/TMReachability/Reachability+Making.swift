#if !os(watchOS)
import ClassicReachability
public import Foundation
public import SystemConfiguration

extension Reachability {
  /// Creates an instance for a host.
  ///
  /// - Parameter hostname: The host's name, not a URL. It is looked up while the notifier runs.
  /// - Returns: `nil` if the name is empty.
  ///
  /// The original is `+reachabilityWithHostname:`.
  public convenience init!(hostname: String) {
    guard let target = SystemTarget(name: hostname) else { return nil }
    self.init(target)
  }

  /// Creates an instance for a host; the same as ``init(hostname:)``.
  ///
  /// The original is `+reachabilityWithHostName:`.
  public convenience init!(hostName: String) {
    self.init(hostname: hostName)
  }

  /// Creates an instance for a URL's host: a name, an IPv4 address or an IPv6 address.
  ///
  /// The original treats an IPv6 address as a name.
  ///
  /// - Returns: `nil` if the URL has no host.
  ///
  /// The original is `+reachabilityWithURL:`.
  public convenience init!(url: URL) {
    guard let host = url.host(percentEncoded: false) else { return nil }
    self.init(hostname: host)
  }

  /// Creates an instance for an address.
  ///
  /// - Parameter hostAddress: A `sockaddr_in` or `sockaddr_in6`. It is copied; its port is ignored.
  /// - Returns: `nil` if the address is neither IPv4 nor IPv6.
  ///
  /// The original is `+reachabilityWithAddress:`.
  public convenience init!(address hostAddress: UnsafeMutableRawPointer) {
    let address = unsafe UnsafePointer(hostAddress.assumingMemoryBound(to: sockaddr.self))
    guard let target = unsafe SystemTarget(address) else { return nil }
    self.init(target)
  }

  /// Creates an instance for an existing `SCNetworkReachability`.
  ///
  /// Only one of several instances with the same target runs at a time. The original is `-initWithReachabilityRef:`.
  public convenience init!(reachabilityRef: SCNetworkReachability) {
    self.init(SystemTarget(reachabilityRef))
  }

  /// Creates an instance for the default route, over IPv4 or IPv6.
  ///
  /// The original is `+reachabilityForInternetConnection`.
  public static func forInternetConnection() -> Reachability! {
    SystemTarget(ipv4: 0).map { Reachability($0) }
  }

  /// Creates an instance for the local network, over Wi-Fi or a cable.
  ///
  /// It has no flags while there is none: a tunnel or a cellular link alone is no local network. The original is `+reachabilityForLocalWiFi`.
  public static func forLocalWiFi() -> Reachability! {
    SystemTarget(ipv4: 0xa9fe_0000).map { Reachability($0, isLocalWiFi: true) }
  }
}
#endif
