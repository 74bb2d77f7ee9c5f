// SPDX-License-Identifier: Apache-2.0
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ReachabilityVerification {
  /// The expectation for an HTTP answer.
  ///
  /// ```swift
  /// let expectation = ReachabilityVerification.Expectation.status(200)
  ///   .and(.header("Server", equals: "ours"))
  ///   .and(.body(contains: "ready"))
  /// ```
  public struct Expectation: Sendable {
    /// One condition.
    struct Check: Sendable {
      var description: String
      /// Whether the condition depends on the body; otherwise the body is not read.
      var needsBody = true
      /// Returns a description of the answer if it does not match, or `nil`.
      var mismatch: @Sendable (HTTPURLResponse, Data) -> String?
    }

    /// The limit in bytes of a body; the rest is discarded.
    public static let bodyLimit = 1 << 20

    var checks: [Check]

    /// Whether a condition depends on the body; otherwise the body is not read.
    package var needsBody: Bool { checks.contains(where: \.needsBody) }

    /// Returns an expectation that both are met.
    public func and(_ other: ReachabilityVerification.Expectation) -> ReachabilityVerification.Expectation {
      ReachabilityVerification.Expectation(checks: checks + other.checks)
    }

    /// Returns the first condition that is not met, with a description of the answer; `nil` if all are met.
    package func mismatch(_ response: HTTPURLResponse, _ body: Data) -> (expected: String, found: String)? {
      for check in checks {
        if let found = check.mismatch(response, body) { return (check.description, found) }
      }
      return nil
    }
  }
}

extension ReachabilityVerification.Expectation {
  /// Any status from 200 to 299.
  public static var success: ReachabilityVerification.Expectation { status(200...299) }

  /// A single status.
  public static func status(_ code: Int) -> ReachabilityVerification.Expectation { status(code...code) }

  /// Any status in a range.
  public static func status(_ codes: ClosedRange<Int>) -> ReachabilityVerification.Expectation {
    let text =
      codes.count == 1 ? "status \(codes.lowerBound)" : "status \(codes.lowerBound) to \(codes.upperBound)"
    return ReachabilityVerification.Expectation(text, needsBody: false) { response, _ in
      codes.contains(response.statusCode) ? nil : response.statusText
    }
  }

  /// A header field with a value.
  ///
  /// The value is compared exactly, the name without regard to case.
  public static func header(_ name: String, equals value: String) -> ReachabilityVerification.Expectation {
    ReachabilityVerification.Expectation("header \(name) '\(value)'", needsBody: false) { response, _ in
      guard let found = response.value(forHTTPHeaderField: name) else { return "no such header" }
      return found == value ? nil : "'\(found.excerpt)'"
    }
  }

  /// A body that contains a text, compared byte by byte in UTF-8.
  public static func body(contains text: String) -> ReachabilityVerification.Expectation {
    ReachabilityVerification.Expectation("a body with '\(text)'") { _, body in
      text.isEmpty || body.range(of: Data(text.utf8)) != nil ? nil : body.excerpt
    }
  }

  /// A body that equals a text, compared byte by byte in UTF-8.
  public static func body(equals text: String) -> ReachabilityVerification.Expectation {
    ReachabilityVerification.Expectation("the body '\(text)'") { _, body in
      body == Data(text.utf8) ? nil : body.excerpt
    }
  }

  /// A body that matches a pattern somewhere, read as UTF-8.
  ///
  /// A search that takes longer than a second ends, and then the pattern does not match.
  ///
  /// - Parameter pattern: A regular expression of `NSRegularExpression`; `^` and `$` match the ends of the body.
  /// - Throws: The error of `NSRegularExpression` if the pattern is invalid.
  public static func body(matches pattern: String) throws -> ReachabilityVerification.Expectation {
    let expression = try NSRegularExpression(pattern: pattern)
    return ReachabilityVerification.Expectation("a body that matches '\(pattern)'") { _, body in
      expression.hasMatch(in: String(decoding: body, as: UTF8.self), within: .seconds(1)) ? nil : body.excerpt
    }
  }

  /// A condition that a closure decides.
  ///
  /// The closure is called on any thread, and must not block for long.
  ///
  /// - Parameters:
  ///   - description: A description of the condition.
  ///   - isMet: Returns whether an answer meets the condition. It receives at most ``bodyLimit`` bytes of the body.
  public static func satisfying(
    _ description: String, _ isMet: @escaping @Sendable (HTTPURLResponse, Data) -> Bool
  ) -> ReachabilityVerification.Expectation {
    ReachabilityVerification.Expectation(description) { response, body in
      isMet(response, body) ? nil : "\(response.statusText), \(body.excerpt)"
    }
  }

  private init(
    _ description: String, needsBody: Bool = true,
    mismatch: @escaping @Sendable (HTTPURLResponse, Data) -> String?
  ) {
    checks = [Check(description: description, needsBody: needsBody, mismatch: mismatch)]
  }
}

extension ReachabilityVerification.Expectation: CustomStringConvertible {
  /// All conditions, for example `status 200 to 299 and a body with 'ready'`.
  public var description: String { checks.map(\.description).joined(separator: " and ") }
}

extension HTTPURLResponse {
  /// A description, for example `status 302 to http://portal.test/login`.
  fileprivate var statusText: String {
    let location =
      value(forHTTPHeaderField: "Location").map {
        " to \($0.withoutSecrets.prefix { !"?#".contains($0) }.description.excerpt)"
      } ?? ""
    return "status \(statusCode)" + ((300...399).contains(statusCode) ? location : "")
  }
}

extension Data {
  /// A description, for example `a body of 12 bytes: 'hello, world'`.
  fileprivate var excerpt: String {
    guard !isEmpty else { return "no body" }
    // 81 scalars of at most four bytes: a scalar that is cut off is never among the first 80.
    let text = String(decoding: prefix(4 * 81), as: UTF8.self)
    return "a body of \(count == 1 ? "1 byte" : "\(count) bytes"): '\(text.excerpt)'"
  }
}

extension String {
  /// The first 80 characters of a text from outside.
  var excerpt: String { unicodeScalars.count > 80 ? String(unicodeScalars.prefix(80)) + "…" : self }
}
