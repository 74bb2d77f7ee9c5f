// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The proxies that requests go through, as libcurl reads them from the environment.
///
/// The rules are those of `CURLOPT_PROXY` and `CURLOPT_NOPROXY` in libcurl's documentation.
struct ProxySettings {
  /// Whether a list exempts a URL from the proxy; `nil` if only this type can read the list.
  typealias List = @Sendable (_ list: String, _ url: URL) -> Bool?

  private let environment: [String: String]
  private let list: List

  init(environment: [String: String], list: @escaping List = { CurlProxyList.exempts($1, by: $0) }) {
    self.list = list
    self.environment = environment.filter { !$0.value.isEmpty }
  }

  /// The current settings of this process.
  static var current: ProxySettings {
    #if canImport(FoundationNetworking)
    ProxySettings(environment: ProcessInfo.processInfo.environment)
    #else
    // The system's proxies are not in the environment.
    ProxySettings(environment: [:])
    #endif
  }

  /// The proxy or host that a request for a URL connects to; `nil` unless it is a web URL with a host.
  func target(of url: URL) -> ReachabilityTarget? {
    guard url.isForBrowsers else { return nil }
    return proxyText(of: url).map(Self.target(ofProxy:)) ?? (try? ReachabilityTarget(url.absoluteString))
  }

  /// The proxy that requests for a URL go through; `nil` without a proxy that can be a target.
  func proxy(of url: URL) -> ReachabilityTarget? { proxyText(of: url).flatMap(Self.target(ofProxy:)) }

  /// Whether requests for a URL look up a name: of the proxy, or of the host.
  func looksUpName(for url: URL) -> Bool {
    func isName(_ target: ReachabilityTarget?) -> Bool {
      if case .host = target?.destination { true } else { false }
    }
    let host = try? ReachabilityTarget(url.absoluteString)
    guard let proxy = proxyText(of: url) else { return isName(host) }
    // These proxies receive addresses; others look the host up themselves.
    let isLookedUpHere = ["socks4://", "socks5://"].contains { proxy.lowercased().hasPrefix($0) }
    return isName(Self.target(ofProxy: proxy)) || isLookedUpHere && isName(host)
  }

  /// libcurl's text for a failed request, without what may be a password.
  ///
  /// libcurl quotes a proxy that it cannot read. Of one that it reads, it names the host; if the password has a
  /// character such as `/`, that is a part of the user information.
  func withoutCredentials(_ text: String, for url: URL) -> String {
    if text.hasPrefix("Unsupported proxy") {
      return "libcurl cannot read the proxy that the environment names"
    }
    guard let proxy = proxyText(of: url), let at = proxy.lastIndex(of: "@"), let name = text.failedProxy,
      !proxy[proxy.index(after: at)...].lowercased().hasPrefix(name.lowercased())
    else { return text }
    return "Could not resolve the proxy that the environment names"
  }

  private func proxyText(of url: URL) -> String? {
    guard url.isForBrowsers, let scheme = url.scheme?.lowercased(), let host = url.host(),
      let proxy = proxy(for: scheme), !isExempt(url, host)
    else { return nil }
    return proxy
  }

  /// Reads a proxy.
  ///
  /// Its default port is 1080, and 443 with the scheme `https`: see `CURLOPT_PROXYPORT`.
  private static func target(ofProxy text: String) -> ReachabilityTarget? {
    let start = text.firstRange(of: "://")
    let rest = text[(start?.upperBound ?? text.startIndex)...]
    // What precedes a later "@" is a part of a user name or password.
    guard rest.firstIndex(where: { "/?#".contains($0) }).map({ rest[$0...].contains("@") }) != true,
      var target = try? ReachabilityTarget("tcp://\(rest)")
    else { return nil }
    let scheme = text[..<(start?.lowerBound ?? text.startIndex)].lowercased()
    if target.port == nil { target.port = scheme == "https" ? 443 : 1080 }
    return target
  }

  private func proxy(for scheme: String) -> String? {
    // Not `HTTP_PROXY`, which a client of a CGI program could set by the header 'Proxy'.
    let names = scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    return (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first
  }

  /// Whether connections to a host use no proxy.
  private func isExempt(_ url: URL, _ host: String) -> Bool {
    guard let list = environment["no_proxy"] ?? environment["NO_PROXY"] else { return false }
    if let isExempt = self.list(list, url) { return isExempt }
    if list == "*" { return true }
    let address = ReachabilityAddress(host)
    return list.split { [",", " ", "\t"].contains($0) }.contains { entry in
      if let address { return Self.covers(entry, address) }
      let name = Self.bare(entry)
      let host = Self.bare(host[...])
      return host == name || host.hasSuffix("." + name)
    }
  }

  /// Whether an entry is the address, or a prefix that contains it (`10.0.0.0/8`).
  private static func covers(_ entry: Substring, _ address: ReachabilityAddress) -> Bool {
    let parts = entry.split(separator: "/", maxSplits: 1)
    guard let first = parts.first, let network = ReachabilityAddress(first.filter { !"[]".contains($0) })
    else {
      return false
    }
    guard parts.count == 2 else { return network == address }
    guard let length = Int(parts[1]) else { return false }
    return IPPrefix(network, length: length)?.contains(address) ?? false
  }

  /// A name in lower case, without a dot at either end.
  private static func bare(_ name: Substring) -> String {
    var name = name.lowercased()[...]
    if name.hasPrefix(".") { name = name.dropFirst() }
    if name.hasSuffix(".") { name = name.dropLast() }
    return String(name)
  }
}

extension String {
  /// The proxy that libcurl could not resolve, in its text for that (`CURLE_COULDNT_RESOLVE_PROXY`).
  fileprivate var failedProxy: Substring? {
    for words in ["Could not resolve proxy: ", "Couldn't resolve proxy: ", "Couldn't resolve proxy '"]
    where hasPrefix(words) {
      return dropFirst(words.count).prefix { $0 != "'" }
    }
    return nil
  }
}
