import Foundation

#if canImport(Glibc)
import CCurl
#endif

/// The list of hosts that are reached without a proxy, as this system's libcurl reads it (`CURLOPT_NOPROXY`).
///
/// Versions of libcurl differ: 7.88 compares no IPv6 prefixes, and takes `0.0.0.0/0` for an address.
enum CurlProxyList {
  /// Whether a list exempts a URL from its proxy; `nil` if libcurl's functions cannot be called here.
  ///
  /// libcurl makes a request to this machine, through a proxy that it cannot read and from an interface that cannot
  /// exist. Which of the two it rejects is the answer; it looks nothing up and sends nothing.
  static func exempts(_ url: URL, by list: String) -> Bool? {
    #if canImport(Glibc)
    guard let curl = Curl.loaded, let easy = unsafe curl.easyInit(),
      let names = unsafe curl.append(
        nil, "*:\(url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)):127.0.0.1")
    else { return nil }
    defer {
      unsafe curl.easyCleanup(easy)
      unsafe curl.freeAll(names)
    }
    func set(_ option: CurlOption, _ value: String) -> Bool {
      unsafe ccurl_set_pointer(curl.setopt, easy, option.rawValue, value) == 0
    }
    guard set(.url, url.absoluteString), set(.noProxy, list), set(.proxy, "http://no proxy"),
      set(.interface, "if!no interface"),
      unsafe ccurl_set_pointer(curl.setopt, easy, CurlOption.resolve.rawValue, names) == 0,
      unsafe ccurl_set_long(curl.setopt, easy, CurlOption.noSignal.rawValue, 1) == 0
    else { return nil }
    switch CurlCode(rawValue: unsafe curl.performEasy(easy)) {
    case .proxyNotResolved: return false
    case .interfaceFailed: return true
    default: return nil
    }
    #else
    return nil
    #endif
  }
}
