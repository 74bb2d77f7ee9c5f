import Foundation
import ReachabilityHTTP
import ReachabilityKit

extension ReachabilityVerification.Endpoint {
  /// Reads an `http` or `https` URL, or `tcp://HOST:PORT`.
  init(text: String, expecting expectation: ReachabilityVerification.Expectation) throws(EndpointError) {
    guard let separator = text.range(of: "://") else {
      throw EndpointError(problem: "'\(text.redacted)' has no scheme such as 'http://'")
    }
    switch text[..<separator.lowerBound].lowercased() {
    case "http", "https":
      // The error of a target is more precise than that of a URL.
      _ = try Self.target(text, in: text)
      guard let url = URL(string: text), url.isForBrowsers else {
        throw EndpointError(problem: "'\(text.redacted)' is not a URL")
      }
      self = .url(url, expecting: expectation)
    case "tcp":
      let authority = text[separator.upperBound...]
      guard !authority.contains(where: { "/?#@".contains($0) }) else {
        throw EndpointError(problem: "'\(text.redacted)' has more than a host and a port")
      }
      guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]"),
        let port = UInt16(digits: authority[authority.index(after: colon)...]), port > 0
      else { throw EndpointError(problem: "'\(text.redacted)' has no port from 1 to 65535") }
      let target =
        colon == authority.startIndex ? nil : try Self.target(String(authority[..<colon]), in: text)
      guard let target, target.destination != .defaultRoute else {
        throw EndpointError(problem: "'\(text.redacted)' has no host")
      }
      self = .connection(to: target, port: port)
    default:
      throw EndpointError(
        problem: "'\(text.redacted)' has a scheme that is not one of 'http', 'https' and 'tcp'")
    }
  }

  private static func target(_ text: String, in whole: String) throws(EndpointError) -> ReachabilityTarget {
    do throws(ReachabilityTargetError) {
      return try ReachabilityTarget(text)
    } catch {
      let named = ReachabilityTargetError(error.code, text: whole, detail: error.detail)
      throw EndpointError(problem: named.description)
    }
  }
}
