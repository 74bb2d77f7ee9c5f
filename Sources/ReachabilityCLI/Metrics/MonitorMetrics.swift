import CommandLineSupport
import ReachabilityKit

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
  mutating func note(_ position: Int, _ status: ReachabilityStatus, at instant: ClockReading) {
    if targets[position]?.note(status, at: instant) == nil {
      targets[position] = TargetMetrics(names[position], status, at: instant)
    }
  }

  mutating func note(_ status: ReachabilityPath.Status) {
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
