import CommandLineSupport

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

  /// Creates a line; throws if the time since the machine started is none.
  init(time: Int, uptime: Int, version: Int, content: Content) throws(RecordProblem.Kind) {
    // Neither beyond 10,000 years nor before the start of the machine.
    guard (0...315_576_000_000_000_000).contains(uptime) else { throw .foreign }
    (self.time, self.uptime, self.version, self.content) = (time, uptime, version, content)
  }

  /// Decodes a line; a fault says why it is not one.
  init(_ text: ArraySlice<UInt8>) throws(RecordProblem.Kind) {
    let members: Members
    do throws(DecodingError) {
      members = try JSONText.decode(Members.self, from: text)
    } catch {
      // Foundation does not tell a fraction in place of an integer from what is no JSON.
      if case .dataCorrupted = error { throw .notJSON }
      throw .foreign
    }
    guard let time = Timestamp(rfc3339: members.time), let content = members.content else {
      throw .foreign
    }
    try self.init(
      time: time.milliseconds, uptime: members.uptimeMicroseconds, version: members.version ?? 1,
      content: content)
  }
}

/// The members of a line that a report needs.
private struct Members: Decodable {
  /// The outcome of the endpoint in the line about its verification.
  struct Outcome: Decodable {
    var outcome: String?
    var found: String?
    var error: String?
    var portal: String?
  }

  struct Interface: Decodable {
    var name: String
    var reason: String?
    var addresses: [String]?
    var gateways: [String]?

    var value: Observation.Interface {
      Observation.Interface(
        name: name, reason: reason, addresses: addresses ?? [], gateways: gateways ?? [])
    }
  }

  var version: Int?
  var time: String
  var uptimeMicroseconds: Int
  var event: String
  var machine: String?
  var machineID: String?
  var boot: String?
  var run: String?
  var heartbeatSeconds: Int?
  var from: String?
  var mark: Int?
  var namespace: String?
  var lost: Int?
  var target: String?
  var status: String?
  var path: String?
  var endpoint: String?
  var verification: String?
  var endpoints: [Outcome]?
  var reason: String?
  var interface: String?
  var gateway: String?
  var interfaces: [Interface]?
  var unusableInterfaces: [Interface]?

  /// The options in words.
  private var constraints: String {
    let words = [
      interface.map { "interface \($0)" }, from.map { "from \($0)" },
      mark.map { "mark 0x\(String($0, radix: 16))" },
    ]
    return words.compactMap(\.self).joined(separator: ", ")
  }

  /// What the line says; `nil` if members are missing.
  var content: RecordLine.Content? {
    switch event {
    case "start", "continue":
      guard let machine, let run else { return nil }
      let (names, options) = ([machine, machineID ?? ""], [namespace ?? "", constraints])
      guard names.allSatisfy({ $0.utf8.count <= RunIdentity.nameLimit }),
        options.allSatisfy({ $0.utf8.count <= LaneKey.nameLimit })
      else { return nil }
      let seconds = heartbeatSeconds.map { min(max($0, 1), 86400) } ?? 60
      return .start(
        RunIdentity(
          machine: machine, machineID: machineID, boot: boot ?? run, run: run, namespace: namespace,
          constraints: constraints),
        heartbeat: seconds * 1_000_000)
    case "resume":
      // Sums of any number of them fit.
      return .resume(lost: min(max(lost ?? 0, 0), 1 << 32))
    case "initial", "change":
      if let target, let status {
        guard target.utf8.count <= LaneKey.nameLimit else { return nil }
        let states: [String: LaneState] = ["reachable": .reachable, "notReachable": .unreachable]
        return .target(
          target,
          Observation(
            state: states[status] ?? .unknown, reason: reason, interface: interface, gateway: gateway))
      }
      guard let path else { return nil }
      let states: [String: LaneState] = [
        "satisfied": .reachable, "unsatisfied": .unreachable, "requiresConnection": .unreachable,
      ]
      let all = ((interfaces ?? []) + (unusableInterfaces ?? [])).map(\.value)
      let usable = all.first { $0.reason == nil }
      return .path(
        Observation(
          state: states[path] ?? .unknown, reason: reason, interface: usable?.name,
          gateway: usable?.gateways.first, interfaces: all))
    case "verification":
      guard let endpoint, let verification, endpoint.utf8.count <= LaneKey.nameLimit else { return nil }
      let states: [String: LaneState] = [
        "verified": .reachable, "failed": .unreachable, "captivePortal": .unreachable,
      ]
      // The other reason is that of the path.
      var observation = Observation(state: states[verification] ?? .unknown)
      if observation.state == .unreachable, let found = endpoints?.last {
        (observation.reason, observation.detail) = (found.outcome, found.found ?? found.error ?? found.portal)
      }
      return .verification(endpoint, observation)
    default: return .other
    }
  }
}

/// The beginning of a line as `record` writes it: the version 1 of the schema, and the two times.
///
/// Members of the same names in the rest do not count, as the first ones do.
struct LineStart {
  static let beginning = Array(#"{"version":1,"time":""#.utf8)
  private static let middle = Array(#"","uptimeMicroseconds":"#.utf8)

  /// The time of the wall clock, in milliseconds since 1970.
  var time: Int
  /// Microseconds since the machine started, including suspension.
  var uptime: Int
  /// The text after the comma.
  var rest: ArraySlice<UInt8>

  /// Reads the beginning of a line; `nil` if it has another form.
  init?(_ line: ArraySlice<UInt8>) {
    guard line.starts(with: Self.beginning) else { return nil }
    rest = line.dropFirst(Self.beginning.count)
    // What is a time has no escapes.
    guard let time = Timestamp(rfc3339: Self.text(&rest, before: "\"")),
      rest.starts(with: Self.middle)
    else { return nil }
    rest = rest.dropFirst(Self.middle.count)
    let digits = Self.text(&rest, before: ",")
    // JSON has only this form of an integer.
    guard let uptime = Int(digits), String(uptime) == digits else { return nil }
    (self.time, self.uptime, rest) = (time.milliseconds, uptime, rest.dropFirst())
  }

  /// Takes the text before a character, or to the end.
  private static func text(_ rest: inout ArraySlice<UInt8>, before end: Unicode.Scalar) -> String {
    let text = rest.prefix { $0 != UInt8(ascii: end) }
    rest = rest.dropFirst(text.count)
    return String(decoding: text, as: UTF8.self)
  }
}

/// Decodes the lines of a record, and what repeats in them only once.
///
/// The lines differ in their two times, which `record` writes first, and hardly in what follows them. A line that begins
/// in another way, or goes on in a new one, is decoded as a whole.
struct LineDecoder {
  private static let countLimit = 1024
  private static let lengthLimit = 4096

  /// What the lines say, by their text after the times.
  private var contents: [ArraySlice<UInt8>: RecordLine.Content] = [:]

  /// Decodes a line; a fault says why it is not one.
  mutating func line(_ text: ArraySlice<UInt8>) throws(RecordProblem.Kind) -> RecordLine {
    guard let start = LineStart(text), start.rest.count <= Self.lengthLimit else {
      return try RecordLine(text)
    }
    if let content = contents[start.rest] {
      return try RecordLine(time: start.time, uptime: start.uptime, version: 1, content: content)
    }
    let line = try RecordLine(text)
    if contents.count == Self.countLimit { contents = [:] }
    // A copy, as the slice keeps the whole block of the file.
    contents[ArraySlice(Array(start.rest))] = line.content
    return line
  }
}
