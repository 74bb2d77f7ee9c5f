// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import Foundation
import ReachabilityHTTP
import ReachabilityKit

/// The arguments of the command.
struct VerifyInvocation: Sendable {
  enum Command {
    case verify
    case watch
  }

  var command = Command.verify
  var verification = ReachabilityVerification([])
  var isJSON = false
  /// The time from the end of one verification to the next.
  var pause: Duration?
  var count: Int?

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    isJSON = parsed.has(.json)
    if parsed.has(Self.watch) { command = .watch }
    try parsed.require(Self.watch, with: Self.every, Self.count, in: Self.description)
    pause = try parsed.duration(Self.every, in: .milliseconds(100)...)
    count = try parsed.count(Self.count)
    verification.threshold = try Self.threshold(parsed)
    verification.timeout =
      try parsed.value(Self.timeout) { text in
        Duration(text: text).flatMap { $0 > .zero ? $0 : nil }
      } ?? verification.timeout
    verification.portalAPI = try parsed.value(Self.portalAPI, ReachabilityVerification.PortalAPI.init(text:))
    verification.endpoints = try Self.endpoints(parsed.operands, expecting: Self.expectation(parsed))
  }

  private static let targetForms = "an http or https URL such as http://example.com/, or tcp://HOST:PORT"

  private static let any = Option("any", "verified if at least one target answers as expected")
  private static let all = Option("all", "verified if all targets answer as expected (the default)")
  private static let share = Option(
    "share", takes: Option.Value("N%", "a whole number from 1 to 100, with or without a percent sign"),
    "verified if at least this share of the targets answers as expected")
  private static let expectStatus = Option(
    "expect-status", takes: Option.Value("N", "a status from 100 to 999, or a range such as 200-299"),
    "expect this HTTP status from URLs, or one of a range", default: "200-299")
  private static let expectBody = Option(
    "expect-body", takes: Option.Value("TEXT", "a non-empty text"),
    "expect this text in the first MiB of a response"
  )
  private static let timeout = Option(
    "timeout", takes: .duration("\(Duration.acceptedTexts), not zero"), "the time limit of each attempt",
    default: "10s")
  private static let portalAPI = Option(
    "portal-api",
    takes: Option.Value("URL", "auto, an http or https URL, or urn:ietf:params:capport:unrestricted"),
    "query the network's captive portal API first (RFC 8908)",
    detail: """
      With auto, the address that the network announces (RFC 8910), as 'path' shows it: an https URL of the first \
      interface. The value urn:ietf:params:capport:unrestricted states that the network has no captive portal.
      """)
  private static let watch = Option(
    "watch", "print the current state, then each change; verify again when the network changes")
  private static let every = Option(
    "every", takes: .duration("\(Duration.acceptedTexts), from 100ms"),
    "with --watch: also verify again this long after each verification")
  private static let count = Option("count", takes: .count, "with --watch: end after this many states")

  static let description: CommandDescription = {
    var description = CommandDescription(
      .verify, takes: .endpoints,
      """
      Sends requests to URLs or TCP ports, and reports whether the answers are as expected; detects captive portals. \
      A target is an http or https URL, or tcp://HOST:PORT for a connection. Only the given targets are contacted, and \
      redirects are not followed.
      """,
      options: [any, all, share, expectStatus, expectBody, timeout, portalAPI, watch, every, count, .json],
      statuses: [
        0:
          "enough targets answer as expected; with --watch: the command has ended, also on SIGINT or SIGTERM",
        1: "a captive portal, no answer, or an unexpected answer",
      ],
      examples: [
        .init("reachability verify https://example.com/ tcp://10.9.0.1:22", "Do both servers answer?"),
        .init(
          "reachability verify --expect-body ok http://10.9.0.1/health",
          "Does the service say that it is well?"),
        .init(
          "reachability verify --any --watch https://one.example/ https://two.example/",
          "Print a line when neither answers any longer, and when one does again."),
      ], page: "RequestsAndVerification")
    description.isSeparate = true
    return description
  }()

  private static func threshold(_ parsed: ParsedOptions) throws(UsageError)
    -> ReachabilityVerification.Threshold
  {
    let given = [any, all, share].filter(parsed.has)
    guard given.count < 2 else {
      let names = given.map { "--\($0.name)" }.inWords("and")
      throw UsageError(
        "\(names) cannot be combined", hint: "remove \(given.count == 2 ? "one" : "all but one") of them")
    }
    let part = try parsed.value(share) { text in
      Int(digits: text.hasSuffix("%") ? text.dropLast() : text[...]).flatMap {
        (1...100).contains($0) ? $0 : nil
      }
    }
    if let part { return .share(of: Double(part) / 100) }
    return parsed.has(any) ? .any : .all
  }

  private static func expectation(_ parsed: ParsedOptions) throws(UsageError)
    -> ReachabilityVerification.Expectation
  {
    var expectation = ReachabilityVerification.Expectation.success
    if let codes = try parsed.value(expectStatus, ClosedRange<Int>.init(statusText:)) {
      expectation = .status(codes)
    }
    if let text = try parsed.value(expectBody, { $0.isEmpty ? nil : $0 }) {
      expectation = expectation.and(.body(contains: text))
    }
    return expectation
  }

  private static func endpoints(
    _ texts: [String], expecting expectation: ReachabilityVerification.Expectation
  ) throws(UsageError) -> [ReachabilityVerification.Endpoint] {
    guard !texts.isEmpty else {
      throw UsageError("no target was given", hint: "give at least one: \(targetForms)")
    }
    var endpoints: [ReachabilityVerification.Endpoint] = []
    var problems: [String] = []
    for text in texts {
      do throws(EndpointError) {
        endpoints.append(try ReachabilityVerification.Endpoint(text: text, expecting: expectation))
      } catch {
        problems.append(error.problem)
      }
    }
    guard problems.isEmpty else { throw UsageError(problems, hint: "a target is \(targetForms)") }
    return endpoints
  }
}

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

/// The reason why a text is not an endpoint.
struct EndpointError: Error {
  var problem: String
}

extension ReachabilityVerification.PortalAPI {
  /// Reads `auto`, the address of a captive portal API (RFC 8908), or the URN of RFC 8910 for a network without a portal.
  init?(text: String) {
    if text == "auto" {
      self = .announced
      return
    }
    guard let url = URL(string: text) else { return nil }
    guard url.isForBrowsers || text.lowercased() == ReachabilityPath.Interface.noPortal else { return nil }
    self = .url(url)
  }
}

extension ClosedRange<Int> {
  /// Reads an HTTP status, or a range of them.
  init?(statusText text: String) {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { part in
      part.count == 3 && part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) ?? 0 : 0
    }
    guard let first = numbers.first, let last = numbers.last, numbers.count <= 2, first >= 100, first <= last
    else { return nil }
    self = first...last
  }
}
