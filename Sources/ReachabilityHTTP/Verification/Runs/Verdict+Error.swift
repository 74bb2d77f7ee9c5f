import Foundation
import POSIX
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ReachabilityVerification.Outcome.Verdict {
  /// Creates the verdict for an error in place of an HTTP answer.
  init(_ error: any Error) {
    if let error = error as? ReachabilityMonitorError {
      self = .notConnected(.init(.other, text: error.description))
      return
    }
    guard let error = error as? URLError else {
      self = .notConnected(.init(.other, text: error.localizedDescription))
      return
    }
    if error.code == .timedOut {
      self = .timedOut
    } else {
      self = .notConnected(.init(.url(error.code), text: error.text))
    }
  }
}

extension URLError {
  /// The system's text without durations, so that equal failures have equal texts.
  fileprivate var text: String {
    switch code {
    // Not `unsupportedURL`, which also stands for answers that are not HTTP.
    case .badURL: "the system does not accept this URL in requests"
    default: localizedDescription.withoutTime
    }
  }
}

extension ReachabilityConnectionReport {
  /// The verdict on an endpoint.
  package var verdict: ReachabilityVerification.Outcome.Verdict {
    if isConnected { return .passed }
    guard !attempts.isEmpty else {
      guard let reason = status.reason, reason != .resolving else { return .timedOut }
      return .notConnected(.init(.name, text: reason.description))
    }
    // An error for one address says more than silence from another.
    for case .failed(let number) in attempts.map(\.outcome) where number != ETIMEDOUT {
      return attempts.contains { $0.outcome == .refused }
        ? .refused : .notConnected(.init(errorNumber: number))
    }
    return attempts.contains { $0.outcome == .refused } ? .refused : .timedOut
  }
}

extension ReachabilityVerification.Outcome.Verdict {
  fileprivate static var refused: Self { .notConnected(.init(errorNumber: ECONNREFUSED)) }
}

extension ReachabilityVerification.Failure {
  fileprivate init(errorNumber: Int32) {
    self.init(.system(errorNumber: errorNumber), text: Errno(rawValue: errorNumber).description)
  }
}
