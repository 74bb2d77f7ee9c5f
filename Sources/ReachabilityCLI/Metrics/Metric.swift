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

  private init(_ name: String, _ kind: Kind, _ help: String) {
    self.name = "reachability_" + name
    self.kind = kind
    self.help = help
  }

  static let targetStatus = Metric(
    "target_status", .gauge, "Whether the target has this status: 1 for the present one, 0 for the others.")
  static let targetStatusSeconds = Metric(
    "target_status_seconds_total", .counter,
    "Seconds in which the target had this status, since the monitor started.")
  static let targetChanges = Metric(
    "target_changes_total", .counter, "Changes of the target's status since the monitor started.")
  static let targetLastChange = Metric(
    "target_last_change_timestamp_seconds", .gauge,
    "Unix time at which the present status of the target began, or the monitor started.")
  static let targetReason = Metric(
    "target_reason_info", .gauge, "The reason why the target is not reachable, or unknown.")
  static let targetRoute = Metric(
    "target_route_info", .gauge, "The route of packets for the target; without one, the last route.")
  static let pathStatus = Metric(
    "path_status", .gauge,
    "Whether the path of the default route has this status: 1 for the present one, 0 for the others.")
  static let overruns = Metric(
    "monitor_overruns_total", .counter,
    "Times that announcements of the kernel were lost, after which the monitor read everything again.")
  static let heartbeat = Metric(
    "monitor_heartbeat_timestamp_seconds", .gauge, "Unix time at which the monitor wrote these values.")
  static let build = Metric("build_info", .gauge, "The version of the monitor; the value is 1.")
}
