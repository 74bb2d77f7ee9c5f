public import ReachabilityKit

extension ReachabilityVerification {
  /// Two results side by side: the path that packets would take, and the report of the last verification.
  ///
  /// Neither implies the other: a path may be satisfied while no endpoint answers, and endpoints that need no default
  /// route may answer.
  public struct VerifiedStatus: Hashable, Sendable {
    /// The current path.
    public var path: ReachabilityPath
    /// The report of the last verification; `nil` before the first one completes.
    public var report: ReachabilityVerification.Report?
    /// Whether the report describes the current network; `false` from a change until the next verification completes.
    public var isCurrent: Bool

    /// Creates a status.
    public init(
      path: ReachabilityPath, report: ReachabilityVerification.Report? = nil, isCurrent: Bool = false
    ) {
      self.path = path
      self.report = report
      self.isCurrent = isCurrent && report != nil
    }

    /// The state of the report if it is current, otherwise unknown.
    public var state: ReachabilityVerification.Report.State {
      guard isCurrent, let report else { return .unknown }
      return report.state
    }
  }
}

extension ReachabilityVerification.VerifiedStatus: CustomStringConvertible {
  /// One line, for example `verified; path satisfied eth0 (wired) via 10.1.0.254, ipv4, dns`.
  public var description: String { "\(state); path \(path)" }
}
