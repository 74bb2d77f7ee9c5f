public import Foundation

extension ReachabilityTarget {
  /// The host that requests for a URL connect to, or the proxy that they go through.
  ///
  /// For use with `withReachability` around requests of your own. On Linux the environment names the proxy, as
  /// libcurl reads it (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`); it is read on each call. On Apple
  /// platforms this is always the host.
  ///
  /// Returns `nil` unless the URL is an `http` or `https` URL with a host.
  public init?(ofRequestsTo url: URL) {
    guard let target = ProxySettings.current.target(of: url) else { return nil }
    self = target
  }
}
