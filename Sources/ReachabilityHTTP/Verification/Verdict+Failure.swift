import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ReachabilityVerification.Outcome.Verdict {
  /// What it means that there was no answer of HTTP.
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
  /// What the system says, without the time that it took, so that the same failure is the same text.
  fileprivate var text: String {
    switch code {
    // Not `unsupportedURL`, which stands for answers that are no HTTP, too.
    case .badURL: "the system's requests do not take this address"
    default: localizedDescription.withoutTime
    }
  }
}

extension ReachabilityConnectionReport {
  /// What it means for an endpoint.
  package var verdict: ReachabilityVerification.Outcome.Verdict {
    if isConnected { return .passed }
    guard !attempts.isEmpty else {
      guard let reason = status.reason, reason != .resolving else { return .timedOut }
      return .notConnected(.init(.name, text: reason.description))
    }
    // What somebody said about an address says more than that nobody said anything.
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
    self.init(.system(errorNumber: errorNumber), text: systemErrorText(errorNumber))
  }
}
