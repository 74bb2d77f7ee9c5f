import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ReachabilityVerification.Expectation {
  /// Judges an answer to a request for a URL.
  package func verdict(on answer: HTTPAnswer, from url: URL) -> ReachabilityVerification.Outcome.Verdict {
    let response = answer.response
    guard let mismatch = mismatch(response, answer.body) else { return .passed }
    let location = response.value(forHTTPHeaderField: "Location").flatMap {
      URL(forBrowsers: $0, relativeTo: url)
    }
    let page = url.hasSecrets ? location?.withoutQuery : location
    if response.statusCode == 511 { return .captivePortal(page) }
    // Over https only the host itself can redirect, because its certificate was checked.
    if (300...399).contains(response.statusCode), url.scheme?.lowercased() == "http", let location,
      !location.isRelated(to: url)
    {
      return .captivePortal(page)
    }
    return .unexpected(expected: mismatch.expected, found: mismatch.found)
  }
}

extension URL {
  /// Whether the URL has parts that may be secret, and that the query of a portal's page may repeat.
  fileprivate var hasSecrets: Bool { user() != nil || query() != nil || fragment() != nil }

  fileprivate var withoutQuery: URL? { URL(string: absoluteString.withoutSecrets) }

  /// Whether both have the same host, or one host is below the other, as `www.example.com` is below `example.com`.
  fileprivate func isRelated(to other: URL) -> Bool {
    guard let one = name, let other = other.name else { return false }
    return one == other || one.hasSuffix("." + other) || other.hasSuffix("." + one)
  }

  /// The host's name in lower case, without a final dot.
  private var name: String? {
    host().map { $0.lowercased() }.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
  }
}
