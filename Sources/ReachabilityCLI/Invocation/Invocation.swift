import CommandLineSupport
import InternetProtocol
import ReachabilityKit

/// A command line of `reachability`.
struct Invocation: Equatable {
  enum Command: String, CaseIterable {
    case check
    case watch
    case record
    case wait
    case path
    case explain
    case export
  }

  /// A target, with its text on the command line without secrets.
  struct NamedTarget: Equatable {
    var text: String
    var target: ReachabilityTarget
  }

  var command: Command = .check
  var targets: [NamedTarget] = []
  /// The network namespace to query; `nil` for the command's own.
  var namespace: ReachabilityNamespace?
  var isJSON = false
  var settling: Duration = .zero
  var count: Int?
  var timeout: Duration?
  /// The port that an explanation connects to.
  var probedPort: UInt16?
  /// Whether `wait` ends when the targets are reachable, or when they are unreachable.
  var isWaitingForReachable = true
  /// Whether `wait` needs only one of the targets.
  var needsOnlyOne = false
  /// The endpoints that must answer before `wait` ends, or whose verification `record` writes.
  var endpoints: [String] = []
  /// The interface kinds that a path may use.
  var requirements = ReachabilityPath.Requirements.none
  /// Whether `path` prints changes.
  var isWatching = false
  /// Whether `watch`, `record` and `path` show the evidence of whether anything answers.
  var showsEvidence = false
  var recording = Recording(path: "")
  /// The file of metrics that `export` writes, and `record` if one is given.
  var metrics: Metrics?

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    var operands = parsed.arguments[...]
    if let named = operands.first.flatMap({ Command(rawValue: $0.text) }) {
      command = named
      operands.removeFirst()
    }
    try Self.check(parsed, fit: command)

    isJSON = parsed.has("json")
    namespace = try parsed.value("namespace", argument: { ReachabilityNamespace($0) })
    settling = try parsed.duration("settle") ?? .zero
    timeout = try parsed.duration("timeout")
    count = try parsed.value("count") { Int(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
    isWaitingForReachable =
      try parsed.value("until") { ["reachable": true, "unreachable": false][$0] } ?? true
    showsEvidence = parsed.has("evidence")
    if showsEvidence, parsed.has("mark") {
      throw UsageError(
        "--evidence does not fit --mark, which cannot be read from connections",
        hint: "remove one of the two options")
    }
    if command == .path {
      try readPath(parsed)
      return
    }
    if command == .explain, operands.count > 1 {
      throw UsageError(
        "'explain' takes one target, got \(operands.count)", hint: "use 'check' for several targets")
    }
    targets = try Self.targets(operands.isEmpty ? [Argument("default")] : Array(operands), parsed)
    if command == .explain { try readProbe(parsed) }
    if command == .wait || command == .record { try readEndpoints(parsed) }
    if command == .wait { try readWait(parsed) }
    if command == .record { try readRecord(parsed) }
    if command == .export || command == .record { try readMetrics(parsed) }
  }

  private mutating func readWait(_ parsed: ParsedOptions) throws(UsageError) {
    needsOnlyOne = parsed.has("any")
    if !endpoints.isEmpty, !isWaitingForReachable {
      throw UsageError("--verify does not fit --until unreachable", hint: "remove one of the two options")
    }
  }

  private mutating func readEndpoints(_ parsed: ParsedOptions) throws(UsageError) {
    endpoints = try parsed.values("verify") { text in
      let isEndpoint = URLParts(text).map {
        ["http", "https", "tcp"].contains($0.scheme.lowercased()) && !$0.host.isEmpty
      }
      return isEndpoint == true ? text : nil
    }
    guard !endpoints.isEmpty else { return }
    // The request is a program's own: it takes the route that the system gives it.
    for name in ["interface", "from", "mark", "namespace"] where parsed.has(name) {
      throw UsageError(
        "--verify does not fit --\(name), which requests do not follow", hint: "remove one of the two options"
      )
    }
  }

  private mutating func readProbe(_ parsed: ParsedOptions) throws(UsageError) {
    probedPort = try parsed.value("probe") { UInt16(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
    if probedPort == nil, timeout != nil {
      throw UsageError("'explain' accepts --timeout only with --probe", hint: "add --probe PORT")
    }
    if probedPort != nil, targets.contains(where: { $0.target.destination == .defaultRoute }) {
      throw UsageError(
        "--probe cannot connect to the default route", hint: "give an address, a host name or a URL")
    }
  }

  /// Whether the command runs until an event, and so observes changes.
  var observes: Bool {
    switch command {
    case .watch, .record, .wait, .export: true
    case .path: isWatching
    case .check, .explain: false
    }
  }
}
