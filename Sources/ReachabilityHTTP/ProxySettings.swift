public import Foundation

extension ReachabilityTarget {
  /// What requests of a URL are connected to: its host, or the proxy that they go by.
  ///
  /// For `withReachability` around requests of your own. On Linux the environment names the proxy, as libcurl reads it
  /// (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`); on Apple platforms this is always the host. It is asked each time.
  ///
  /// Returns `nil` for what is no `http` or `https` URL with a host.
  public init?(ofRequestsTo url: URL) {
    guard let target = ProxySettings.current.target(of: url) else { return nil }
    self = target
  }
}

/// By which proxy a request goes, as libcurl reads it from the environment.
///
/// The rules are those of `CURLOPT_PROXY` and `CURLOPT_NOPROXY` in libcurl's documentation.
struct ProxySettings {
  private let environment: [String: String]

  init(environment: [String: String]) {
    self.environment = environment.filter { !$0.value.isEmpty }
  }

  /// The settings that requests follow now.
  static var current: ProxySettings {
    #if canImport(FoundationNetworking)
    ProxySettings(environment: ProcessInfo.processInfo.environment)
    #else
    // The system's proxies are set elsewhere.
    ProxySettings(environment: [:])
    #endif
  }

  /// What a connection for a URL is made to: the proxy, or the URL's host; `nil` for what is no request to a host.
  func target(of url: URL) -> ReachabilityTarget? {
    guard url.isForBrowsers else { return nil }
    return proxyText(of: url).map(Self.target(ofProxy:)) ?? (try? ReachabilityTarget(url.absoluteString))
  }

  /// The proxy that requests of a URL go through; `nil` without one that can be a target.
  func proxy(of url: URL) -> ReachabilityTarget? { proxyText(of: url).flatMap(Self.target(ofProxy:)) }

  private func proxyText(of url: URL) -> String? {
    guard url.isForBrowsers, let scheme = url.scheme?.lowercased(), let host = url.host(), !isExempt(host)
    else {
      return nil
    }
    return proxy(for: scheme)
  }

  /// The proxies' default ports are not those of the schemes, but for `https`: see `CURLOPT_PROXYPORT`.
  private static func target(ofProxy text: String) -> ReachabilityTarget? {
    let start = text.firstRange(of: "://")
    guard var target = try? ReachabilityTarget("tcp://\(text[(start?.upperBound ?? text.startIndex)...])")
    else {
      return nil
    }
    let scheme = text[..<(start?.lowerBound ?? text.startIndex)].lowercased()
    if target.port == nil { target.port = scheme == "https" ? 443 : 1080 }
    return target
  }

  private func proxy(for scheme: String) -> String? {
    // Not `HTTP_PROXY`, which a client of a CGI program could set by the header 'Proxy'.
    let names = scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    return (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first
  }

  /// Whether connections to a host are made without a proxy.
  private func isExempt(_ host: String) -> Bool {
    guard let list = environment["no_proxy"] ?? environment["NO_PROXY"] else { return false }
    if list == "*" { return true }
    let address = IPAddress(host)
    return list.split { [",", " ", "\t"].contains($0) }.contains { entry in
      if let address { return Self.covers(entry, address) }
      let name = Self.bare(entry)
      let host = Self.bare(host[...])
      return host == name || host.hasSuffix("." + name)
    }
  }

  /// Whether an entry is an address or a prefix of one (`10.0.0.0/8`).
  private static func covers(_ entry: Substring, _ address: IPAddress) -> Bool {
    let parts = entry.split(separator: "/", maxSplits: 1)
    guard let first = parts.first, let network = IPAddress(first.filter { !"[]".contains($0) }) else {
      return false
    }
    guard parts.count == 2 else { return network == address }
    guard let length = Int(parts[1]) else { return false }
    return IPPrefix(network, length: length)?.contains(address) ?? false
  }

  /// A name without the dots that may stand around it, in small letters.
  private static func bare(_ name: Substring) -> String {
    var name = name.lowercased()[...]
    if name.hasPrefix(".") { name = name.dropFirst() }
    if name.hasSuffix(".") { name = name.dropLast() }
    return String(name)
  }
}
