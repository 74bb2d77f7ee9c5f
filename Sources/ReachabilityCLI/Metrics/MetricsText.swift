// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport

/// Metrics in the text format of Prometheus, version 0.0.4, as node_exporter reads it: without times.
struct MetricsText {
  /// A time series with its value.
  struct Sample {
    var labels: KeyValuePairs<String, String>
    var value: String

    init(_ labels: KeyValuePairs<String, String>, _ value: String) {
      self.labels = labels
      self.value = value
    }
  }

  /// A label with its value.
  struct Label: Equatable {
    var name: String
    var value: String
  }

  /// Complete lines.
  private(set) var text = ""
  /// The labels of all time series, each with a comma after it.
  private let common: String

  /// Creates a text without metrics, all of whose time series will have some labels.
  init(_ labels: [Label]) {
    common = labels.map { Self.text($0.name, $0.value) + "," }.joined()
  }

  /// Adds a metric with all its time series; one without any is left out.
  mutating func add(_ metric: Metric, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
    for sample in samples {
      text += metric.name
      let labels = common + sample.labels.map { Self.text($0.key, $0.value) + "," }.joined()
      if !labels.isEmpty { text += "{\(labels.dropLast())}" }
      text += " \(sample.value)\n"
    }
  }

  private static func text(_ name: String, _ value: String) -> String { "\(name)=\"\(escaped(value))\"" }

  /// The value with the format's own three escapes, and with code points as on a terminal: `\u{1b}`.
  ///
  /// Different values stay different, or the file would have a series twice: a backslash that would begin such a code
  /// point is one itself, `\u{5c}`.
  private static func escaped(_ value: String) -> String {
    var result = ""
    let scalars = value.unicodeScalars
    for index in scalars.indices {
      switch scalars[index] {
      case "\\" where scalars[index...].starts(with: "\\u{".unicodeScalars): result += "\\\\u{5c}"
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case let scalar:
        let text = String(scalar).escapedForTerminal
        result += text.hasPrefix("\\") ? "\\" + text : text
      }
    }
    return result
  }
}

/// A family of time series, as Prometheus names and describes it.
struct Metric {
  enum Kind: String {
    case counter
    case gauge
  }

  let name: String
  let kind: Kind
  /// The same text in the file of each process, since node_exporter drops families whose texts differ.
  let help: String

  private init(_ name: String, _ kind: Kind, help: String) {
    self.name = "reachability_" + name
    self.kind = kind
    self.help = help
  }

  static let targetStatus = Metric(
    "target_status", .gauge,
    help: "Whether the target has this status: 1 for the present one, 0 for the others.")
  static let targetStatusSeconds = Metric(
    "target_status_seconds_total", .counter,
    help: "Seconds in which the target had this status, since the monitor started.")
  static let targetChanges = Metric(
    "target_changes_total", .counter, help: "Changes of the target's status since the monitor started.")
  static let targetLastChange = Metric(
    "target_last_change_timestamp_seconds", .gauge,
    help: "Unix time at which the present status of the target began, or the monitor started.")
  static let targetReason = Metric(
    "target_reason_info", .gauge, help: "The reason why the target is not reachable, or unknown.")
  static let targetRoute = Metric(
    "target_route_info", .gauge, help: "The route of packets for the target; without one, the last route.")
  static let targetTraffic = Metric(
    "target_traffic", .gauge,
    help: "What TCP connections tell of the target: 1 for the present verdict, 0 for the others.")
  static let targetFault = Metric(
    "target_fault_info", .gauge, help: "Where the fault lies while connections to the target stall.")
  static let targetStalls = Metric(
    "target_stalls_total", .counter,
    help: "Times that connections to the target began to stall since the monitor started.")
  static let pathStatus = Metric(
    "path_status", .gauge,
    help: "Whether the path of the default route has this status: 1 for the present one, 0 for the others.")
  static let pathFamily = Metric(
    "path_family", .gauge,
    help: "Whether the path of the default route leads packets of this address family: 1 or 0.")
  static let verificationStatus = Metric(
    "verification_status", .gauge,
    help: "Whether the verification of the endpoint has this result: 1 for the present one, 0 for the others."
  )
  static let verificationLastChange = Metric(
    "verification_last_change_timestamp_seconds", .gauge,
    help: "Unix time at which the present result of the endpoint was first found.")
  static let overruns = Metric(
    "monitor_overruns_total", .counter,
    help: "Times that announcements of the kernel were lost, after which the monitor read everything again.")
  static let heartbeat = Metric(
    "monitor_heartbeat_timestamp_seconds", .gauge, help: "Unix time at which the monitor wrote these values.")
  static let build = Metric("build_info", .gauge, help: "The version of the monitor; the value is 1.")
}

/// One instant on two clocks.
struct ClockReading {
  /// Microseconds since the machine started, including suspension; no change of the time affects it.
  var uptime: Int
  /// Milliseconds since 1970, in UTC.
  var time: Int

  private static let start = ContinuousClock.now

  /// The uptime as an instant; only the differences of such instants mean something.
  var uptimeInstant: ContinuousClock.Instant { Self.start.advanced(by: .microseconds(uptime)) }
}

extension ClockReading {
  /// Creates a reading from the time of a line of a record.
  init(_ time: LineTime) {
    self.init(uptime: time.uptime ?? 0, time: time.wall.milliseconds)
  }
}
