// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension ReachabilityVerification {
  /// The outcome of one endpoint.
  ///
  /// Equality ignores the duration.
  public struct Outcome: Hashable, Sendable {
    /// The judgement on an endpoint.
    public enum Verdict: Hashable, Sendable {
      /// The endpoint answered as expected.
      case passed
      /// A captive portal answered in place of the endpoint, with the address of its page if it is known.
      ///
      /// The address has no query if the endpoint's URL has user information, a query or a fragment: these may be
      /// secret, and portals repeat them.
      ///
      /// Over `http` the sign is a redirect to a host that is neither the endpoint's nor above or below it in the
      /// domain tree. Over `https` only the endpoint itself can redirect. A status of 511 (RFC 6585) is a sign from
      /// any source, unless it was expected: also from the network's portal API and, on Linux with glibc, from a
      /// proxy.
      case captivePortal(URL?)
      /// The endpoint answered, but not as expected. The description of what was found may contain text of the server.
      case unexpected(expected: String, found: String)
      /// No answer arrived, with the reason.
      case notConnected(Failure)
      /// No answer arrived in time, or not all of it.
      case timedOut
    }

    /// The index of the endpoint from 0, or `nil` for the network's portal API.
    public var index: Int?
    /// The description of the endpoint.
    public var endpoint: String
    /// The judgement on the endpoint.
    public var verdict: Verdict
    /// The time that the attempt took.
    public var duration: Duration

    /// Creates an outcome.
    public init(index: Int?, endpoint: String, _ verdict: Verdict, duration: Duration = .zero) {
      self.index = index
      self.endpoint = endpoint
      self.verdict = verdict
      self.duration = duration
    }

    /// Whether the endpoint answered as expected.
    public var isPassed: Bool { verdict == .passed }

    /// Whether both are equal apart from the duration.
    public static func == (one: Self, other: Self) -> Bool {
      one.index == other.index && one.endpoint == other.endpoint && one.verdict == other.verdict
    }

    /// Hashes everything but the duration.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(index)
      hasher.combine(endpoint)
      hasher.combine(verdict)
    }
  }
}

extension ReachabilityVerification.Outcome: CustomStringConvertible {
  /// One line, for example `http://a.test/ expected status 200 to 299, found status 404`.
  public var description: String { "\(endpoint) \(verdict)" }
}

extension ReachabilityVerification.Outcome.Verdict: CustomStringConvertible {
  /// A description, for example `passed`, `timed out` or `not connected: Connection refused`.
  public var description: String {
    switch self {
    case .passed: "passed"
    case .captivePortal(let url): ReachabilityVerification.Report.State.captivePortal(url).description
    case .unexpected(let expected, let found): "expected \(expected), found \(found)"
    case .notConnected(let failure): "not connected: \(failure.text)"
    case .timedOut: "timed out"
    }
  }
}

extension ReachabilityVerification {
  /// The result of a verification.
  ///
  /// Equality ignores durations.
  public struct Report: Hashable, Sendable {
    /// The overall state.
    public enum State: Hashable, Sendable {
      /// Not verified yet, or not since the network changed; never show this as *failed*.
      case unknown
      /// Enough endpoints answered as expected.
      case verified
      /// A portal on the path holds this machine captive until its user acts.
      ///
      /// The value is the address of the page for the user, if it is known.
      case captivePortal(URL?)
      /// Too few endpoints answered as expected, and nothing indicates a portal.
      case failed
    }

    /// The overall state.
    public var state: State
    /// The outcomes of the endpoints that completed, in the order of the endpoints.
    ///
    /// The others no longer affected the state.
    public var outcomes: [ReachabilityVerification.Outcome]
    /// The outcome of the request to the network's portal API, if it was queried.
    public var portalOutcome: ReachabilityVerification.Outcome?
    /// The answer of the network's portal API, if it gave a valid one.
    public var portal: ReachabilityVerification.CaptivePortal?

    /// Creates a report.
    public init(
      _ state: State, outcomes: [ReachabilityVerification.Outcome] = [],
      portalOutcome: ReachabilityVerification.Outcome? = nil,
      portal: ReachabilityVerification.CaptivePortal? = nil
    ) {
      self.state = state
      self.outcomes = outcomes
      self.portalOutcome = portalOutcome
      self.portal = portal
    }
  }
}

extension ReachabilityVerification.Report.State: CustomStringConvertible {
  /// A description, for example `verified` or `captive portal at http://portal.test/login`.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .verified: "verified"
    case .captivePortal(let url): "captive portal" + (url.map { " at \($0.absoluteString)" } ?? "")
    case .failed: "failed"
    }
  }
}

extension ReachabilityVerification {
  /// The reason why no answer arrived.
  public struct Failure: Hashable, Sendable {
    /// The source and code of the error.
    public enum Code: Hashable, Sendable {
      /// An error of `URLSession`, or the counterpart there of an error of libcurl.
      case url(URLError.Code)
      /// An error number of the system, for example `ECONNREFUSED`.
      case system(errorNumber: Int32)
      /// The host's name has no address to try.
      case name
      /// Any other error.
      case other
    }

    /// The source and code of the error.
    public var code: Code
    /// The system's text for the error.
    public var text: String

    /// Creates a failure.
    public init(_ code: Code, text: String) {
      self.code = code
      self.text = text
    }
  }
}
