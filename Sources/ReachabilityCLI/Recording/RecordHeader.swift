import CommandLineSupport

/// What identifies a run of `record`: the members of the line that each file of it begins with.
struct RecordHeader {
  /// The text that each file begins with.
  static let beginning = #"{"version":1,"#

  /// The host name.
  var machine: String
  /// What tells machines with one host name from each other.
  var machineID: String?
  var boot: String?
  /// A random identifier.
  var run: String
  var targets: [String]
  var constraints = Invocation.Recording.Constraints()
  var heartbeat: Duration

  /// The members, for the first file of the run or for another one.
  func object(_ event: Record.Event, at time: LineTime) -> JSONObject {
    var object = JSONObject(at: time)
    object.add("machine", machine)
    object.add("machineID", machineID)
    object.add("boot", boot)
    object.add("run", run)
    object.add("program", packageVersion)
    object.add("targets", targets)
    object.add("interface", constraints.interface)
    object.add("from", constraints.source)
    object.add("mark", constraints.mark.map(Int.init))
    object.add("namespace", constraints.namespace)
    object.add("heartbeatSeconds", Int(heartbeat.components.seconds))
    object.add("event", event.rawValue)
    return object
  }
}
