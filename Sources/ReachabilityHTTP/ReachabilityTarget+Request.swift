// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension ReachabilityTarget {
  /// Creates the target of requests for a URL: the host that they connect to, or the proxy that they go through.
  ///
  /// For use with `withReachability` around requests of your own. On Linux the environment names the proxy, as
  /// libcurl reads it (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`); it is read on each call. On Apple
  /// platforms this is always the host.
  ///
  /// Returns `nil` unless the URL is an `http` or `https` URL with a host.
  public init?(_ url: URL) {
    guard let target = ProxySettings.current.target(of: url) else { return nil }
    self = target
  }
}

extension URL {
  /// Reads the address of a web page; `nil` for other addresses, for example of scripts.
  init?(forBrowsers text: String) {
    self.init(forBrowsers: text, relativeTo: nil)
  }

  /// Reads the address of a web page, relative to a base if there is one.
  ///
  /// Returns `nil` for other addresses, for example of scripts.
  init?(forBrowsers text: String, relativeTo base: URL?) {
    guard let url = URL(string: text, relativeTo: base)?.absoluteURL, url.isForBrowsers else { return nil }
    self = url
  }

  /// Whether this is an `http` or `https` URL with a host.
  package var isForBrowsers: Bool {
    ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false
  }
}
