import Foundation

extension ReachabilityVerification.Report.State: CustomStringConvertible {
  /// Such as `verified` or `captive portal at http://portal.test/login`.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .verified: "verified"
    case .captivePortal(let url): "captive portal" + (url.map { " at \($0.absoluteString)" } ?? "")
    case .failed: "failed"
    }
  }
}

extension ReachabilityVerification.Outcome: CustomStringConvertible {
  /// One line, such as `http://a.test/ expected status 200 to 299, found status 404`.
  public var description: String { "\(endpoint) \(verdict)" }
}

extension ReachabilityVerification.Outcome.Verdict: CustomStringConvertible {
  /// Such as `passed`, `timed out` or `not connected: Connection refused`.
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
