public import ReachabilityKit

extension ReachabilityVerification {
  /// Two levels side by side: the path, which is what this machine would do with packets, and what verifying found.
  ///
  /// Neither stands for the other: a path may be satisfied while nobody answers, and endpoints may answer that need no default route.
  public struct VerifiedStatus: Hashable, Sendable {
    /// The path now.
    public var path: ReachabilityPath
    /// What verifying found last; `nil` until it was done for the first time.
    public var report: ReachabilityVerification.Report?
    /// Whether the report is about the network as it is; `false` from the moment at which it changed until it was verified again.
    public var isCurrent: Bool

    /// Makes a status.
    public init(
      path: ReachabilityPath, report: ReachabilityVerification.Report? = nil, isCurrent: Bool = false
    ) {
      self.path = path
      self.report = report
      self.isCurrent = isCurrent && report != nil
    }

    /// What is verified now: what the report says, or unknown while it is not about the network as it is.
    public var state: ReachabilityVerification.Report.State {
      guard isCurrent, let report else { return .unknown }
      return report.state
    }
  }
}

extension ReachabilityVerification.VerifiedStatus: CustomStringConvertible {
  /// One line, such as `verified; path satisfied eth0 (wired) via 10.1.0.254, ipv4, dns`.
  public var description: String { "\(state); path \(path)" }
}
