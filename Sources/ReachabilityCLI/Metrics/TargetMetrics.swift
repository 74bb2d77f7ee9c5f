// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit

/// What is counted about one target.
struct TargetMetrics {
  typealias State = ReachabilityStatus.State
  typealias Sample = MetricsText.Sample

  private struct Route {
    var device = ""
    var gateway = ""
    var source = ""
  }

  private let name: String
  private var statistics = ReachabilityStatistics()
  private var reason: ReachabilityStatus.Reason?
  /// The route of the last status that had one, so that a failure can be assigned to a gateway.
  private var route: Route?
  private var lastChange: Int
  /// The present evidence; `nil` if it is not followed.
  private var evidence: TrafficEvidence?
  private var stalls = 0

  /// Begins to count with the first status.
  init(_ name: String, _ status: ReachabilityStatus, at instant: ClockReading) {
    self.name = name
    lastChange = instant.time
    record(status, at: instant)
  }

  /// Counts a status from its instant on.
  mutating func record(_ status: ReachabilityStatus, at instant: ClockReading) {
    if status.state != statistics.state { lastChange = instant.time }
    statistics.record(status, at: instant.uptimeInstant)
    reason = status.reason
    guard status.isReachable else { return }
    route = Route(
      device: status.interface?.name ?? "", gateway: status.gateway?.description ?? "",
      source: status.source?.description ?? "")
  }

  mutating func record(_ evidence: TrafficEvidence) {
    if evidence.verdict == .stalled, self.evidence?.verdict != .stalled { stalls += 1 }
    self.evidence = evidence
  }

  var statusSamples: [Sample] {
    State.allCases.map {
      Sample(["target": name, "status": $0.rawValue], $0 == statistics.state ? "1" : "0")
    }
  }

  /// The seconds in each state, up to an instant.
  func secondsSamples(at instant: ClockReading) -> [Sample] {
    State.allCases.map {
      let duration = statistics.duration(in: $0, at: instant.uptimeInstant)
      return Sample(
        ["target": name, "status": $0.rawValue],
        duration.microseconds.decimal(places: 6))
    }
  }

  var changesSample: Sample { Sample(["target": name], String(statistics.changes)) }

  var lastChangeSample: Sample { Sample(["target": name], lastChange.decimal(places: 3)) }

  var reasonSample: Sample? {
    reason.map { Sample(["target": name, "reason": $0.rawValue], "1") }
  }

  var routeSample: Sample? {
    route.map {
      Sample(["target": name, "device": $0.device, "gateway": $0.gateway, "source": $0.source], "1")
    }
  }
}

extension TargetMetrics {
  var trafficSamples: [Sample] {
    guard let evidence else { return [] }
    return TrafficEvidence.Verdict.allCases.map {
      Sample(["target": name, "verdict": $0.rawValue], $0 == evidence.verdict ? "1" : "0")
    }
  }

  /// The fault of a stall; connections that stall beside others that answer are none of the target.
  var faultSample: Sample? {
    guard let evidence, evidence.verdict == .stalled else { return nil }
    return evidence.fault.map { Sample(["target": name, "fault": $0.rawValue], "1") }
  }

  var stallsSample: Sample? { evidence.map { _ in Sample(["target": name], String(stalls)) } }
}

/// What is counted about an endpoint that is verified, or connected to.
struct VerificationMetrics {
  typealias State = RecordSchema.VerificationState
  typealias Sample = MetricsText.Sample

  fileprivate let name: String
  private var state: State
  private var lastChange: Int

  /// Begins to count with the first result.
  init(_ name: String, _ state: State, at instant: ClockReading) {
    (self.name, self.state, lastChange) = (name, state, instant.time)
  }

  /// Counts a result from its instant on.
  mutating func record(_ state: State, at instant: ClockReading) {
    if state != self.state { lastChange = instant.time }
    self.state = state
  }

  var statusSamples: [Sample] {
    State.allCases.map { Sample(["endpoint": name, "status": $0.rawValue], $0 == state ? "1" : "0") }
  }

  var lastChangeSample: Sample { Sample(["endpoint": name], lastChange.decimal(places: 3)) }
}

/// What is counted about all targets and the path.
struct MonitorMetrics {
  private let names: [String]
  private let labels: [MetricsText.Label]
  /// The targets by their positions, from their first statuses on.
  private var targets: [Int: TargetMetrics] = [:]
  /// The endpoints in the order of their first results.
  private var verifications: [VerificationMetrics] = []
  private var path: ReachabilityPath?

  /// Creates metrics without values.
  ///
  /// - Parameters:
  ///   - names: The name of each target; all are different.
  ///   - labels: The labels of all time series.
  init(_ names: [String], _ labels: [MetricsText.Label] = []) {
    self.names = names
    self.labels = labels
  }

  /// Whether the path and all targets have a first status.
  var isComplete: Bool { path != nil && targets.count == names.count }

  /// Counts a status of the target at a position.
  mutating func record(_ position: Int, _ status: ReachabilityStatus, at instant: ClockReading) {
    if targets[position]?.record(status, at: instant) == nil {
      targets[position] = TargetMetrics(names[position], status, at: instant)
    }
  }

  /// Counts evidence about the target at a position, which has a status.
  mutating func record(_ position: Int, _ evidence: TrafficEvidence) {
    targets[position]?.record(evidence)
  }

  /// Counts a result about an endpoint.
  mutating func record(
    _ endpoint: String, _ state: RecordSchema.VerificationState, at instant: ClockReading
  ) {
    if let position = verifications.firstIndex(where: { $0.name == endpoint }) {
      verifications[position].record(state, at: instant)
    } else {
      verifications.append(VerificationMetrics(endpoint, state, at: instant))
    }
  }

  mutating func record(_ path: ReachabilityPath) {
    self.path = path
  }

  /// All metrics at an instant, in a constant order, the build last.
  func text(at instant: ClockReading, overruns: Int) -> String {
    let targets = names.indices.compactMap { self.targets[$0] }
    var text = MetricsText(labels)
    text.add(.targetStatus, targets.flatMap(\.statusSamples))
    text.add(.targetStatusSeconds, targets.flatMap { $0.secondsSamples(at: instant) })
    text.add(.targetChanges, targets.map(\.changesSample))
    text.add(.targetLastChange, targets.map(\.lastChangeSample))
    text.add(.targetReason, targets.compactMap(\.reasonSample))
    text.add(.targetRoute, targets.compactMap(\.routeSample))
    text.add(.targetTraffic, targets.flatMap(\.trafficSamples))
    text.add(.targetFault, targets.compactMap(\.faultSample))
    text.add(.targetStalls, targets.compactMap(\.stallsSample))
    text.add(.verificationStatus, verifications.flatMap(\.statusSamples))
    text.add(.verificationLastChange, verifications.map(\.lastChangeSample))
    text.add(
      .pathStatus,
      ReachabilityPath.Status.allCases.map { status in
        MetricsText.Sample(["status": status.rawValue], status == path?.status ? "1" : "0")
      })
    let families = [(ReachabilityAddress.Family.v4, path?.supportsIPv4), (.v6, path?.supportsIPv6)]
    text.add(
      .pathFamily,
      families.map { MetricsText.Sample(["family": $0.description], $1 == true ? "1" : "0") })
    text.add(.overruns, [MetricsText.Sample([:], String(overruns))])
    text.add(.heartbeat, [MetricsText.Sample([:], instant.time.decimal(places: 3))])
    text.add(.build, [MetricsText.Sample(["version": packageVersion], "1")])
    return text.text
  }
}
