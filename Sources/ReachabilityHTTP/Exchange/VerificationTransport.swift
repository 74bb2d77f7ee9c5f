// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends the requests and makes the connections of a verification.
///
/// Each call ends with `CancellationError` as soon as its task is cancelled.
package protocol VerificationTransport: Sendable {
  /// Sends a request, and returns the answer with the beginning of its body. Redirects are not followed.
  ///
  /// - Parameter timeout: The only time limit, from the moment at which the request begins. It does not run while the
  ///   request waits for other requests of this process.
  /// - Throws: ``NoAnswer``, or another error.
  func answer(to request: URLRequest, bodyLimit: Int, timeout: Duration) async throws -> HTTPAnswer

  /// Connects, and closes the connection.
  func connect(to target: ReachabilityTarget, port: UInt16, timeout: Duration) async throws
    -> ReachabilityConnectionReport
}

/// A request in the form that libcurl accepts: text without line breaks, and a body of bytes.
struct PlainRequest: Sendable {
  var url: String
  var method: String
  var body: Data?
  /// The header fields, in libcurl's notation (`CURLOPT_HTTPHEADER`).
  var lines: [String]

  init(_ request: URLRequest) throws(NoAnswer) {
    guard let url = request.url, url.isForBrowsers else {
      throw .invalidRequest(.unsupportedURL, "only http and https URLs can be requested")
    }
    self.url = url.absoluteString
    method = request.httpMethod ?? "GET"
    guard method.isToken else { throw .invalidRequest(.badURL, "the request's method is not an HTTP token") }
    guard request.httpBodyStream == nil else {
      // A stream can be read only once, and the same request is made repeatedly.
      throw .invalidRequest(.requestBodyStreamExhausted, "the request's body is a stream; provide it as data")
    }
    body = request.httpBody
    // These methods have a body even if it is empty: servers expect its length.
    if body == nil, ["PATCH", "POST", "PUT"].contains(method) { body = Data() }
    let fields = request.allHTTPHeaderFields ?? [:]
    var names: Set<String> = []
    lines = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard name.isToken, !value.utf8.contains(where: { [0, 10, 13].contains($0) }) else {
        throw .invalidRequest(
          .badURL, "a header field of the request contains a line break, or its name is not an HTTP token")
      }
      names.insert(name.lowercased())
      // libcurl omits a field whose value after the colon is empty; a semicolon sends it.
      lines.append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
    }
    // The body is sent without waiting for 100 (Continue).
    if !names.contains("expect") { lines.append("Expect:") }
    if !names.contains("user-agent") {
      let program = ProcessInfo.processInfo.processName.filter { $0.isASCII && ("!"..."~").contains($0) }
      if !program.isEmpty { lines.append("User-Agent: \(program)") }
    }
  }
}

extension String {
  /// Whether this is a token of HTTP (RFC 9110, section 5.6.2).
  fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isOfToken) }
}

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

extension ReachabilityVerification.CaptivePortal {
  /// Reads an answer of the network's portal API, and judges it.
  static func judge(
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
      return (nil, .unexpected(expected: "a JSON object as in RFC 8908", found: "other content"))
    }
    return (portal, portal.isCaptive ? .captivePortal(portal.userPortalURL) : .passed)
  }
}

extension String {
  /// The text without durations, for example ` after 7 ms`, so that equal failures have equal texts.
  var withoutTime: String { replacing(/\ after [0-9]+ (ms|milliseconds)/, with: "") }
}
