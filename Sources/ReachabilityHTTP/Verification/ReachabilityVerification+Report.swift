public import Foundation

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
