#if !os(watchOS)
public import Foundation
public import SystemConfiguration

extension Reachability {
  /// Makes an instance for a host.
  ///
  /// - Parameter hostname: The host's name, not a URL. It is looked up once the notifier runs.
  /// - Returns: `nil` if the name is empty.
  ///
  /// The original is `+reachabilityWithHostname:`.
  public convenience init!(hostname: String) {
    guard let target = SystemTarget(name: hostname) else { return nil }
    self.init(target)
  }

  /// Makes an instance for a host; the same as ``init(hostname:)``.
  ///
  /// The original is `+reachabilityWithHostName:`.
  public convenience init!(hostName: String) {
    self.init(hostname: hostName)
  }

  /// Makes an instance for a URL's host, be it a name or an IPv4 or IPv6 address.
  ///
  /// The original takes an IPv6 address for a name.
  ///
  /// - Returns: `nil` if the URL has no host.
  ///
  /// The original is `+reachabilityWithURL:`.
  public convenience init!(url: URL) {
    guard let host = url.host(percentEncoded: false) else { return nil }
    self.init(hostname: host)
  }

  /// Makes an instance for a target of the system's.
  ///
  /// Of several instances with one target only one can run at a time. The original is `-initWithReachabilityRef:`.
  public convenience init!(reachabilityRef: SCNetworkReachability) {
    self.init(SystemTarget(reachabilityRef))
  }

  /// Makes an instance for the default route, by IPv4 or IPv6.
  ///
  /// The original is `+reachabilityForInternetConnection`.
  public static func forInternetConnection() -> Reachability! {
    SystemTarget(ipv4: 0).map { Reachability($0) }
  }

  /// Makes an instance for the local network.
  ///
  /// The original is `+reachabilityForLocalWiFi`.
  public static func forLocalWiFi() -> Reachability! {
    SystemTarget(ipv4: 0xa9fe_0000).map { Reachability($0) }
  }
}
#endif
