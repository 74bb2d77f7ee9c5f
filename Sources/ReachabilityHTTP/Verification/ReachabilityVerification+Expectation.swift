public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ReachabilityVerification {
  /// What is expected of an answer of HTTP.
  ///
  /// ```swift
  /// let expectation = ReachabilityVerification.Expectation.status(200).and(.header("Server", equals: "ours")).and(.body(contains: "ready"))
  /// ```
  public struct Expectation: Sendable {
    /// One thing that is expected.
    struct Check: Sendable {
      var description: String
      /// Whether the body decides; otherwise it is not waited for.
      var needsBody = true
      /// What came in place of it; `nil` if it is met.
      var mismatch: @Sendable (HTTPURLResponse, Data) -> String?
    }

    /// How many bytes of a body count; what comes after them is dropped.
    public static let bodyLimit = 1 << 20

    var checks: [Check]

    /// Whether the body decides; otherwise it is not waited for.
    package var needsBody: Bool { checks.contains(where: \.needsBody) }

    /// Expects both.
    public func and(_ other: ReachabilityVerification.Expectation) -> ReachabilityVerification.Expectation {
      ReachabilityVerification.Expectation(checks: checks + other.checks)
    }

    /// Returns what was expected and what came in place of it, for the first thing that is not met; `nil` if all are.
    package func mismatch(_ response: HTTPURLResponse, _ body: Data) -> (expected: String, found: String)? {
      for check in checks {
        if let found = check.mismatch(response, body) { return (check.description, found) }
      }
      return nil
    }
  }
}

extension ReachabilityVerification.Expectation {
  /// A status from 200 to 299.
  public static var success: ReachabilityVerification.Expectation { status(200...299) }

  /// One status.
  public static func status(_ code: Int) -> ReachabilityVerification.Expectation { status(code...code) }

  /// A status of a range.
  public static func status(_ codes: ClosedRange<Int>) -> ReachabilityVerification.Expectation {
    let text =
      codes.count == 1 ? "status \(codes.lowerBound)" : "status \(codes.lowerBound) to \(codes.upperBound)"
    return ReachabilityVerification.Expectation(text, needsBody: false) { response, _ in
      codes.contains(response.statusCode) ? nil : response.statusText
    }
  }

  /// A header with a value, which is compared as it is; the name's case does not count.
  public static func header(_ name: String, equals value: String) -> ReachabilityVerification.Expectation {
    ReachabilityVerification.Expectation("header \(name) '\(value)'", needsBody: false) { response, _ in
      guard let found = response.value(forHTTPHeaderField: name) else { return "no such header" }
      return found == value ? nil : "'\(found.excerpt)'"
    }
  }

  /// A body in which a text stands, byte by byte in UTF-8.
  public static func body(contains text: String) -> ReachabilityVerification.Expectation {
    ReachabilityVerification.Expectation("a body with '\(text)'") { _, body in
      text.isEmpty || body.range(of: Data(text.utf8)) != nil ? nil : body.excerpt
    }
  }

  /// A body that is a text and nothing more, byte by byte in UTF-8.
  public static func body(equals text: String) -> ReachabilityVerification.Expectation {
    ReachabilityVerification.Expectation("the body '\(text)'") { _, body in
      body == Data(text.utf8) ? nil : body.excerpt
    }
  }

  /// A body in which something matches a pattern, read as UTF-8.
  ///
  /// A search that takes longer than a second is given up, and the pattern does not match then.
  ///
  /// - Parameter pattern: A regular expression as `NSRegularExpression` takes it; `^` and `$` stand for the body's ends.
  /// - Throws: The error of `NSRegularExpression` if it is none.
  public static func body(matches pattern: String) throws -> ReachabilityVerification.Expectation {
    let expression = try NSRegularExpression(pattern: pattern)
    return ReachabilityVerification.Expectation("a body that matches '\(pattern)'") { _, body in
      expression.hasMatch(in: String(decoding: body, as: UTF8.self), within: .seconds(1)) ? nil : body.excerpt
    }
  }

  /// Whatever a closure says, which is called on any thread, and must not block for long.
  ///
  /// - Parameters:
  ///   - description: What is expected, in words.
  ///   - isMet: Whether an answer is so; it gets ``bodyLimit`` bytes of the body at most.
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
  /// All that is expected, such as `status 200 to 299 and a body with 'ready'`.
  public var description: String { checks.map(\.description).joined(separator: " and ") }
}

extension HTTPURLResponse {
  /// Such as `status 302 to http://portal.test/login`.
  fileprivate var statusText: String {
    let location =
      value(forHTTPHeaderField: "Location").map {
        " to \($0.withoutSecrets.prefix { !"?#".contains($0) }.description.excerpt)"
      } ?? ""
    return "status \(statusCode)" + ((300...399).contains(statusCode) ? location : "")
  }
}

extension String {
  /// As much of a text from outside as a person needs to know what it is.
  package var excerpt: String { unicodeScalars.count > 80 ? String(unicodeScalars.prefix(80)) + "…" : self }
}

extension Data {
  /// Such as `a body of 12 bytes: 'hello, world'`.
  fileprivate var excerpt: String {
    guard !isEmpty else { return "no body" }
    // A scalar has four bytes at most, and the first of them is never cut short.
    let text = String(decoding: prefix(4 * 81), as: UTF8.self)
    return "a body of \(count == 1 ? "1 byte" : "\(count) bytes"): '\(text.excerpt)'"
  }
}
