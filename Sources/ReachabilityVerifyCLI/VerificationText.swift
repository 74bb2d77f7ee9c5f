// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityHTTP

/// Writes verified statuses, for people or for programs.
struct VerificationText: Sendable {
  private let isJSON: Bool
  /// Whether the portal API is queried that the network announces.
  private let usesAnnouncement: Bool
  private let output: StandardOutput

  init(_ invocation: VerifyInvocation, _ output: StandardOutput) {
    isJSON = invocation.isJSON
    usesAnnouncement = invocation.verification.portalAPI == .announced
    self.output = output
  }

  /// Writes the state, the path and each endpoint in one call; returns the result of writing.
  func write(_ status: ReachabilityVerification.VerifiedStatus, _ event: RecordSchema.Event) -> WriteResult {
    output.write(isJSON ? status.jsonObject(event).text + "\n" : lines(status, event))
  }

  /// The state and the path on a line each, then the endpoints.
  private func lines(
    _ status: ReachabilityVerification.VerifiedStatus, _ event: RecordSchema.Event
  ) -> String {
    var lines = [
      (event == .verify ? "" : Timestamp.now.localText + "  ") + verdict(status.state),
      "  path \(status.path.description.escapedForTerminal)",
    ]
    if status.isCurrent, let report = status.report {
      if usesAnnouncement, report.portalOutcome == nil {
        lines.append("  portal API: the network announces none, as far as this machine knows")
      }
      let outcomes = [report.portalOutcome].compactMap(\.self) + report.outcomes
      let width = outcomes.map(\.endpoint.escapedForTerminal.count).max() ?? 0
      for outcome in outcomes {
        let name = outcome.endpoint.escapedForTerminal.padded(to: width)
        lines.append("  \(name)  \(outcome.verdict.description.escapedForTerminal)")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func verdict(_ state: ReachabilityVerification.Report.State) -> String {
    let (word, colour): (String, TerminalColour) =
      switch state {
      case .verified: ("verified", .green)
      case .captivePortal: (state.description.escapedForTerminal, .red)
      case .failed: ("not verified", .red)
      case .unknown: ("unknown", .yellow)
      }
    return output.coloured(word, colour)
  }
}

// MARK: - JSON

extension ReachabilityVerification.VerifiedStatus {
  fileprivate func jsonObject(_ event: RecordSchema.Event) -> JSONObject {
    var object = JSONObject(at: .now)
    object.addVerification(
      state.recorded, portal: state.page, path: (path.status.rawValue, path.reason?.rawValue),
      isCurrent: isCurrent, portalAPI: [report?.portalOutcome].compactMap(\.self).map(\.jsonObject),
      endpoints: (report?.outcomes ?? []).map(\.jsonObject))
    object.add(event: event)
    return object
  }
}

extension ReachabilityVerification.Report.State {
  fileprivate var recorded: RecordSchema.VerificationState {
    switch self {
    case .unknown: .unknown
    case .verified: .verified
    case .captivePortal: .captivePortal
    case .failed: .failed
    }
  }

  fileprivate var page: String? {
    if case .captivePortal(let url) = self { url?.absoluteString } else { nil }
  }
}

extension ReachabilityVerification.Outcome {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    var outcome = RecordSchema.VerificationOutcome.passed
    var (page, expected, found, error) = (nil as String?, nil as String?, nil as String?, nil as String?)
    switch verdict {
    case .passed: break
    case .captivePortal(let url): (outcome, page) = (.captivePortal, url?.absoluteString)
    case .unexpected(let wanted, let came): (outcome, expected, found) = (.unexpected, wanted, came)
    case .notConnected(let failure): (outcome, error) = (.notConnected, failure.text)
    case .timedOut: outcome = .timedOut
    }
    object.addOutcome(
      outcome, of: endpoint, portal: page, expected: expected, found: found, error: error, duration: duration)
    return object
  }
}
