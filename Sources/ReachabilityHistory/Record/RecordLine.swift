/// A line of a record.
struct RecordLine: Equatable {
  enum Content: Equatable {
    /// The first line of a run, or of another file of it.
    case start(RunIdentity, heartbeat: Int)
    case target(String, Observation)
    case path(Observation)
    /// What the verification of an endpoint says.
    case verification(String, Observation)
    /// The first line after some that could not be written.
    case resume(lost: Int)
    /// A heartbeat, the end of a run, or an event that this version does not know.
    case other
  }

  /// The time of the wall clock, in milliseconds since 1970.
  var time: Int
  /// Microseconds since the machine started, including suspension.
  var uptime: Int
  /// The version of the schema.
  var version: Int
  var content: Content

  /// Reads a line; a fault says why it is not one.
  init(_ bytes: [UInt8], in range: Range<Int>) throws(RecordProblem.Kind) {
    var scanner = JSONScanner(bytes, in: range)
    var members = Members()
    guard scanner.readObject({ members.read($1, &$0) }), scanner.isAtEnd else { throw .notJSON }
    guard let time = members.time.flatMap(CalendarTime.milliseconds(rfc3339:)), let uptime = members.uptime,
      // Neither beyond 10,000 years nor before the start of the machine.
      (0...315_576_000_000_000_000).contains(uptime), let event = members.event,
      let content = members.content(event)
    else { throw .foreign }
    (self.time, self.uptime, self.content) = (time, uptime, content)
    version = members.version ?? 1
  }
}

/// The outcome of the endpoint in the line about its verification.
private struct Outcome {
  private var word: String?
  private var found: String?
  private var error: String?
  private var portal: String?

  /// Reads the object.
  mutating func read(_ scanner: inout JSONScanner) -> Bool {
    self = Outcome()
    return scanner.readObject { scanner, key in
      switch key {
      case "outcome": scanner.read(&word)
      case "found": scanner.read(&found)
      case "error": scanner.read(&error)
      case "portal": scanner.read(&portal)
      default: scanner.skip()
      }
    }
  }

  /// The reason why the endpoint is not verified, and what was found in its place.
  var cause: (reason: String?, detail: String?) { (word, found ?? error ?? portal) }
}

/// The members of a line that a report needs.
private struct Members {
  var version: Int?
  var time: String?
  var uptime: Int?
  var event: String?
  private var machine: String?
  private var boot: String?
  private var run: String?
  private var heartbeat: Int?
  private var lost: Int?
  private var target: String?
  private var status: String?
  private var path: String?
  private var endpoint: String?
  private var verification: String?
  private var outcome = Outcome()
  private var observation = Observation()
  private var unusable: [Observation.Interface] = []

  /// Reads the value of a member.
  mutating func read(_ key: String, _ scanner: inout JSONScanner) -> Bool {
    switch key {
    case "version": scanner.read(&version)
    case "time": scanner.read(&time)
    case "uptimeMicroseconds": scanner.read(&uptime)
    case "event": scanner.read(&event)
    case "machine": scanner.read(&machine)
    case "boot": scanner.read(&boot)
    case "run": scanner.read(&run)
    case "heartbeatSeconds": scanner.read(&heartbeat)
    case "lost": scanner.read(&lost)
    case "target": scanner.read(&target)
    case "status": scanner.read(&status)
    case "path": scanner.read(&path)
    case "endpoint": scanner.read(&endpoint)
    case "verification": scanner.read(&verification)
    case "endpoints": scanner.readArray { outcome.read(&$0) }
    case "reason": scanner.read(&observation.reason)
    case "interface": scanner.read(&observation.interface)
    case "gateway": scanner.read(&observation.gateway)
    case "interfaces": Self.readInterfaces(&observation.interfaces, &scanner)
    case "unusableInterfaces": Self.readInterfaces(&unusable, &scanner)
    default: scanner.skip()
    }
  }

  private static func readInterfaces(
    _ interfaces: inout [Observation.Interface], _ scanner: inout JSONScanner
  ) -> Bool {
    interfaces = []
    return scanner.readArray { scanner in
      var interface = Observation.Interface()
      var name: String?
      guard
        scanner.readObject({ scanner, key in
          switch key {
          case "name": scanner.read(&name)
          case "reason": scanner.read(&interface.reason)
          case "addresses": scanner.read(&interface.addresses)
          case "gateways": scanner.read(&interface.gateways)
          default: scanner.skip()
          }
        }), let name
      else { return false }
      interface.name = name
      interfaces.append(interface)
      return true
    }
  }

  /// What the line says; `nil` if members are missing.
  func content(_ event: String) -> RecordLine.Content? {
    switch event {
    case "start", "continue":
      guard let machine, let run else { return nil }
      let seconds = heartbeat.map { min(max($0, 1), 86400) } ?? 60
      return .start(
        RunIdentity(machine: machine, boot: boot ?? run, run: run), heartbeat: seconds * 1_000_000)
    case "resume":
      // Sums of any number of them fit.
      return .resume(lost: min(max(lost ?? 0, 0), 1 << 32))
    case "initial", "change":
      if let target, let status {
        return .target(target, value(["reachable": .reachable, "notReachable": .unreachable][status]))
      }
      guard let path else { return nil }
      let states: [String: LaneState] = [
        "satisfied": .reachable, "unsatisfied": .unreachable, "requiresConnection": .unreachable,
      ]
      var observation = value(states[path])
      observation.interfaces += unusable
      observation.interface = observation.interfaces.first { $0.reason == nil }?.name
      observation.gateway = observation.interfaces.first { $0.reason == nil }?.gateways.first
      return .path(observation)
    case "verification":
      guard let endpoint, let verification else { return nil }
      let states: [String: LaneState] = [
        "verified": .reachable, "failed": .unreachable, "captivePortal": .unreachable,
      ]
      // The other reason is that of the path.
      var observation = Observation(state: states[verification] ?? .unknown)
      if observation.state == .unreachable { (observation.reason, observation.detail) = outcome.cause }
      return .verification(endpoint, observation)
    default: return .other
    }
  }

  private func value(_ state: LaneState?) -> Observation {
    var observation = observation
    observation.state = state ?? .unknown
    return observation
  }
}
