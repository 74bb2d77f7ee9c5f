public import Foundation

extension ReachabilityVerification {
  /// What came of verifying.
  ///
  /// Two reports are equal if they mean the same, however long it took.
  public struct Report: Hashable, Sendable {
    /// The answer in one word.
    public enum State: Hashable, Sendable {
      /// Not verified yet, or not since the network changed; never to be shown as *failed*.
      case unknown
      /// Enough endpoints are as expected.
      case verified
      /// Somebody between here and there holds this machine captive until its user did something, at the address of a page if
      /// that is known.
      case captivePortal(URL?)
      /// Too few endpoints are as expected, and nothing says that there is a portal.
      case failed
    }

    /// The answer in one word.
    public var state: State
    /// What came of each endpoint that was finished, in the order of the endpoints; the others did not matter any more.
    public var outcomes: [ReachabilityVerification.Outcome]
    /// What came of asking the network's own interface for it, if there was one to ask.
    public var portalOutcome: ReachabilityVerification.Outcome?
    /// What the network's own interface said, if it did.
    public var portal: ReachabilityVerification.CaptivePortal?

    /// Makes a report.
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

extension ReachabilityVerification {
  /// What came of one endpoint.
  ///
  /// Two outcomes are equal if they mean the same, however long it took.
  public struct Outcome: Hashable, Sendable {
    /// How an attempt ended.
    public enum Verdict: Hashable, Sendable {
      /// It is as expected.
      case passed
      /// Somebody else answered: a portal, with the address of its page if that is known.
      ///
      /// The address comes without its query if the endpoint's own has user information or a query, which may be secret and
      /// which portals repeat.
      ///
      /// Over `http` that is a redirect to a host which is neither the endpoint's nor above or below it in the tree of names;
      /// `https` would tell if it were not the endpoint itself. A status of 511 (RFC 6585) says so wherever it comes from, the
      /// network's own interface and, on Linux with glibc, a proxy among them, unless it is what was expected.
      case captivePortal(URL?)
      /// Somebody answered, but not as expected: what was, and what came in place of it. The latter may have words of the server.
      case unexpected(expected: String, found: String)
      /// Nobody answered, and why.
      case notConnected(Failure)
      /// Nobody answered in time, or not all of it came in time.
      case timedOut
    }

    /// The number of the endpoint from 0, or `nil` for the network's own interface.
    public var index: Int?
    /// The endpoint, as it describes itself.
    public var endpoint: String
    /// How it ended.
    public var verdict: Verdict
    /// How long it took.
    public var duration: Duration

    /// Makes an outcome.
    public init(index: Int?, endpoint: String, _ verdict: Verdict, duration: Duration = .zero) {
      self.index = index
      self.endpoint = endpoint
      self.verdict = verdict
      self.duration = duration
    }

    /// Whether it is as expected.
    public var isPassed: Bool { verdict == .passed }

    /// Whether both mean the same.
    public static func == (one: Self, other: Self) -> Bool {
      one.index == other.index && one.endpoint == other.endpoint && one.verdict == other.verdict
    }

    /// Adds what it means.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(index)
      hasher.combine(endpoint)
      hasher.combine(verdict)
    }
  }

  /// Why nobody answered.
  public struct Failure: Hashable, Sendable {
    /// Whose error it is.
    public enum Code: Hashable, Sendable {
      /// One of `URLSession`, or the one of them that means the same as libcurl's.
      case url(URLError.Code)
      /// One of the system, such as `ECONNREFUSED`.
      case system(errorNumber: Int32)
      /// A host's name has no address that could be tried.
      case name
      /// Anything else.
      case other
    }

    /// Whose error it is.
    public var code: Code
    /// What the system says of it.
    public var text: String

    /// Makes a failure.
    public init(_ code: Code, text: String) {
      self.code = code
      self.text = text
    }
  }
}
