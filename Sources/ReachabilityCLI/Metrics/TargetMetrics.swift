// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
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
        MetricsText.millionths(duration.microseconds))
    }
  }

  var changesSample: Sample { Sample(["target": name], String(statistics.changes)) }

  var lastChangeSample: Sample { Sample(["target": name], MetricsText.thousandths(lastChange)) }

  var reasonSample: Sample? {
    reason.map { Sample(["target": name, "reason": $0.rawValue], "1") }
  }

  var routeSample: Sample? {
    route.map {
      Sample(["target": name, "device": $0.device, "gateway": $0.gateway, "source": $0.source], "1")
    }
  }
}

/// What is counted about all targets and the path.
struct MonitorMetrics {
  private let names: [String]
  private let labels: [MetricsText.Label]
  /// The targets by their positions, from their first statuses on.
  private var targets: [Int: TargetMetrics] = [:]
  private var path: ReachabilityPath.Status?

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

  mutating func record(_ status: ReachabilityPath.Status) {
    path = status
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
    text.add(
      .pathStatus,
      ReachabilityPath.Status.allCases.map { status in
        MetricsText.Sample(["status": status.rawValue], status == path ? "1" : "0")
      })
    text.add(.overruns, [MetricsText.Sample([:], String(overruns))])
    text.add(.heartbeat, [MetricsText.Sample([:], MetricsText.thousandths(instant.time))])
    text.add(.build, [MetricsText.Sample(["version": packageVersion], "1")])
    return text.text
  }
}
