// SPDX-License-Identifier: Apache-2.0
import Foundation
import POSIX
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One run of a verification.
package struct VerificationRun: Sendable {
  /// The maximum number of concurrent attempts.
  private static let width = 16

  private let verification: ReachabilityVerification
  private let transport: any VerificationTransport
  /// The address of the portal API to query.
  private let portalAddress: URL?

  /// - Parameter path: The path of the requests; needed only to query what its network announces.
  package init(
    _ verification: ReachabilityVerification, on path: @autoclosure () -> ReachabilityPath?,
    over transport: any VerificationTransport
  ) {
    self.verification = verification
    self.transport = transport
    portalAddress = verification.portalAPI?.address(on: path())
  }

  /// Contacts the endpoints until the result is decided, and reports each outcome as soon as it is known.
  package func callAsFunction(
    isolation: isolated (any Actor)? = #isolation,
    reporting progress: (ReachabilityVerification.Outcome) -> Void
  ) async throws -> ReachabilityVerification.Report {
    try Task.checkCancellation()
    var report = ReachabilityVerification.Report(.unknown)
    if let address = portalAddress {
      (report.portalOutcome, report.portal) = try await queryPortal(at: address)
      if let outcome = report.portalOutcome {
        progress(outcome)
        if case .captivePortal(let page) = outcome.verdict {
          report.state = .captivePortal(page)
          return report
        }
        // Without endpoints the portal API alone decides.
        if verification.endpoints.isEmpty { report.state = outcome.isPassed ? .verified : .failed }
      }
    }
    if verification.endpoints.isEmpty { return report }
    let (isVerified, outcomes) = try await contactEndpoints(reporting: progress)
    report.outcomes = outcomes
    report.state = isVerified ? .verified : outcomes.portal ?? .failed
    return report
  }

  private func contactEndpoints(
    isolation: isolated (any Actor)? = #isolation,
    reporting progress: (ReachabilityVerification.Outcome) -> Void
  ) async throws -> (isVerified: Bool, [ReachabilityVerification.Outcome]) {
    var tally = Tally(verification.threshold, of: verification.endpoints.count)
    var outcomes: [ReachabilityVerification.Outcome] = []
    try await withThrowingTaskGroup(of: ReachabilityVerification.Outcome.self) { group in
      var rest = verification.endpoints.enumerated().makeIterator()
      func startNext() {
        guard let (index, endpoint) = rest.next() else { return }
        group.addTask { try await outcome(of: endpoint, at: index) }
      }
      for _ in 0..<Self.width { startNext() }
      defer { group.cancelAll() }
      while let outcome = try await group.next() {
        outcomes.append(outcome)
        tally.add(isPassed: outcome.isPassed)
        progress(outcome)
        guard tally.decision == nil else { return }
        startNext()
      }
    }
    return (tally.decision ?? false, outcomes.sorted { $0.index ?? 0 < $1.index ?? 0 })
  }

  private func queryPortal(at address: URL) async throws -> (
    ReachabilityVerification.Outcome, ReachabilityVerification.CaptivePortal?
  ) {
    let noPortal = ReachabilityPath.Interface.noPortal
    if address.absoluteString.lowercased() == noPortal {
      let outcome = ReachabilityVerification.Outcome(index: nil, endpoint: noPortal, .passed)
      return (outcome, ReachabilityVerification.CaptivePortal(isCaptive: false))
    }
    var portal: ReachabilityVerification.CaptivePortal?
    var request = URLRequest(url: address)
    request.setValue(ReachabilityVerification.CaptivePortal.mediaType, forHTTPHeaderField: "Accept")
    let begin = ContinuousClock.now
    let verdict: ReachabilityVerification.Outcome.Verdict
    switch try await answer(to: request, bodyLimit: ReachabilityVerification.Expectation.bodyLimit) {
    case .success(let answer):
      (portal, verdict) = ReachabilityVerification.CaptivePortal.judge(answer, from: address)
    case .failure(let missing): verdict = missing.verdict
    }
    let outcome = ReachabilityVerification.Outcome(
      index: nil, endpoint: address.absoluteString.withoutSecrets, verdict, duration: begin.duration(to: .now)
    )
    return (outcome, portal)
  }

  private func outcome(
    of endpoint: ReachabilityVerification.Endpoint, at index: Int
  ) async throws -> ReachabilityVerification.Outcome {
    let begin = ContinuousClock.now
    let verdict: ReachabilityVerification.Outcome.Verdict
    switch endpoint.kind {
    case .connection(let target, let port):
      verdict = try await connectionVerdict(target, port)
    case .request(let request, let expectation):
      let limit = expectation.needsBody ? ReachabilityVerification.Expectation.bodyLimit : 0
      switch try await answer(to: request, bodyLimit: limit) {
      case .success(let answer):
        let url = answer.response.url ?? request.url
        verdict = url.map { expectation.verdict(on: answer, from: $0) } ?? .timedOut
      case .failure(let missing): verdict = missing.verdict
      }
    }
    return ReachabilityVerification.Outcome(
      index: index, endpoint: endpoint.description, verdict, duration: begin.duration(to: .now))
  }

  private func connectionVerdict(
    _ target: ReachabilityTarget, _ port: UInt16
  ) async throws -> ReachabilityVerification.Outcome.Verdict {
    do {
      return try await transport.connect(to: target, port: port, timeout: verification.timeout).verdict
    } catch  where error.isCancellation {
      throw CancellationError()
    } catch let error as ReachabilityMonitorError {
      return .notConnected(.init(.other, text: error.description))
    }
  }

  /// Sends a request, whose time limit the transport enforces.
  private func answer(to request: URLRequest, bodyLimit: Int) async throws -> Result<HTTPAnswer, NoAnswer> {
    do {
      return .success(
        try await transport.answer(to: request, bodyLimit: bodyLimit, timeout: verification.timeout))
    } catch  where error.isCancellation {
      throw CancellationError()
    } catch let error as NoAnswer {
      return .failure(error)
    } catch {
      return .failure(NoAnswer(.init(error)))
    }
  }
}

extension ReachabilityVerification.PortalAPI {
  /// The address to query on a path; `nil` if its network announces none.
  package func address(on path: @autoclosure () -> ReachabilityPath?) -> URL? {
    switch self {
    case .url(let url): url
    case .announced: path()?.interfaces.first?.captivePortalAPI.flatMap { URL(string: $0) }
    }
  }
}

extension [ReachabilityVerification.Outcome] {
  /// The state that follows from outcomes at a portal, with the first address among them; `nil` without any.
  fileprivate var portal: ReachabilityVerification.Report.State? {
    let portals = compactMap { outcome -> URL?? in
      if case .captivePortal(let url) = outcome.verdict { url } else { nil }
    }
    return portals.isEmpty ? nil : .captivePortal(portals.lazy.compactMap(\.self).first)
  }
}

/// Counts outcomes until the threshold is met, or can no longer be met.
struct Tally {
  private let threshold: ReachabilityVerification.Threshold
  private let count: Int
  private var passed = 0
  private var failed = 0

  init(_ threshold: ReachabilityVerification.Threshold, of count: Int) {
    self.threshold = threshold
    self.count = count
  }

  /// Whether enough endpoints passed; `nil` while missing outcomes can still decide.
  var decision: Bool? {
    if isEnough(passed) { return true }
    return isEnough(count - failed) ? nil : false
  }

  mutating func add(isPassed: Bool) {
    if isPassed { passed += 1 } else { failed += 1 }
  }

  private func isEnough(_ number: Int) -> Bool {
    guard number > 0 else { return false }
    switch threshold {
    case .any: return true
    case .all: return number >= count
    // The quotient is rounded like a literal, so 7 of 100 is the share 0.07.
    case .share(let share): return number >= count || Double(number) / Double(count) >= share
    }
  }
}

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
  var verdict: ReachabilityVerification.Outcome.Verdict {
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
