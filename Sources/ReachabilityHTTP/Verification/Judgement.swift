import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer of HTTP, as much of it as was waited for.
package struct HTTPAnswer: Sendable {
  package var response: HTTPURLResponse
  package var body: Data

  package init(_ response: HTTPURLResponse, body: Data = Data()) {
    self.response = response
    self.body = body
  }
}

extension ReachabilityVerification.Expectation {
  /// Decides what an answer to the request for an address means.
  package func verdict(on answer: HTTPAnswer, from url: URL) -> ReachabilityVerification.Outcome.Verdict {
    let response = answer.response
    guard let mismatch = mismatch(response, answer.body) else { return .passed }
    let location = response.value(forHTTPHeaderField: "Location").flatMap {
      URL(forBrowsers: $0, relativeTo: url)
    }
    let page = url.hasSecrets ? location?.withoutQuery : location
    if response.statusCode == 511 { return .captivePortal(page) }
    // Nobody but the host itself redirects where its certificate was checked.
    if (300...399).contains(response.statusCode), url.scheme?.lowercased() == "http", let location,
      !location.isRelated(to: url)
    {
      return .captivePortal(page)
    }
    return .unexpected(expected: mismatch.expected, found: mismatch.found)
  }
}

extension URL {
  /// Whether parts may be secret, which a page's own query may repeat.
  fileprivate var hasSecrets: Bool { user() != nil || query() != nil || fragment() != nil }

  fileprivate var withoutQuery: URL? { URL(string: absoluteString.withoutSecrets) }

  /// Whether both are of one host, or of hosts of which one is below the other, as `www.example.com` is below `example.com`.
  fileprivate func isRelated(to other: URL) -> Bool {
    guard let one = name, let other = other.name else { return false }
    return one == other || one.hasSuffix("." + other) || other.hasSuffix("." + one)
  }

  /// The host's name in lower case, without the dot that may stand at its end.
  private var name: String? {
    host().map { $0.lowercased() }.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
  }
}

extension ReachabilityVerification.CaptivePortal {
  /// Reads an answer of the network's own interface: what it says and what that means.
  static func read(
    _ answer: HTTPAnswer, from url: URL
  ) -> (portal: ReachabilityVerification.CaptivePortal?, verdict: ReachabilityVerification.Outcome.Verdict) {
    let type = answer.response.value(forHTTPHeaderField: "Content-Type") ?? ""
    let essence = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    if answer.response.statusCode == 511 {
      return (nil, ReachabilityVerification.Expectation.success.verdict(on: answer, from: url))
    }
    let status = ReachabilityVerification.Expectation.status(200)
    if let mismatch = status.mismatch(answer.response, answer.body) {
      return (nil, .unexpected(expected: mismatch.expected, found: mismatch.found))
    }
    guard essence == mediaType else {
      return (nil, .unexpected(expected: "the type \(mediaType)", found: "'\(type.excerpt)'"))
    }
    guard let portal = ReachabilityVerification.CaptivePortal(json: answer.body) else {
      return (nil, .unexpected(expected: "a JSON object as in RFC 8908", found: "something else"))
    }
    return (portal, portal.isCaptive ? .captivePortal(portal.userPortalURL) : .passed)
  }
}
