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
