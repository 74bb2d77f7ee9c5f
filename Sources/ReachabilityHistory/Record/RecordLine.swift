// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// A line of a record.
struct RecordLine: Equatable {
  enum Content: Equatable {
    /// The first line of a run, or of another file of it.
    case start(RunIdentity, heartbeat: Int)
    case target(String, Observation)
    case path(Observation)
    /// The evidence of whether a target answers.
    case traffic(String, Observation)
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
      time: time.milliseconds, uptime: members.uptimeMicroseconds, version: members.version, content: content)
  }
}

/// The members of a line that a report needs.
private struct Members: Decodable {
  /// The outcome of the endpoint in the line about its verification.
  struct Outcome: Decodable {
    var outcome: String?
    var detail: String?

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: RecordSchema.Key.self)
      outcome = try members.decodeIfPresent(String.self, forKey: .outcome)
      let details: [RecordSchema.Key] = [.found, .error, .portal]
      detail = try details.map { try members.decodeIfPresent(String.self, forKey: $0) }
        .compactMap(\.self).first
    }
  }

  /// The evidence of whether a target answers.
  struct Evidence: Decodable {
    var verdict: String?
    var fault: String?

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: RecordSchema.Key.self)
      verdict = try members.decodeIfPresent(String.self, forKey: .verdict)
      fault = try members.decodeIfPresent(String.self, forKey: .fault)
    }
  }

  struct Interface: Decodable {
    var value: Observation.Interface

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: RecordSchema.Key.self)
      value = Observation.Interface(
        name: try members.decode(String.self, forKey: .name),
        reason: try members.decodeIfPresent(String.self, forKey: .reason),
        addresses: try members.decodeIfPresent([String].self, forKey: .addresses) ?? [],
        gateways: try members.decodeIfPresent([String].self, forKey: .gateways) ?? [])
    }
  }

  private static let textKeys: [RecordSchema.Key] = [
    .machine, .machineID, .boot, .run, .from, .family, .namespace, .target, .status, .path, .endpoint,
    .verification,
    .reason, .interface, .gateway,
  ]
  private static let numberKeys: [RecordSchema.Key] = [.heartbeatSeconds, .mark, .lost]

  let version: Int
  let time: String
  let uptimeMicroseconds: Int
  private let event: RecordSchema.Event?
  private var texts: [RecordSchema.Key: String] = [:]
  private var numbers: [RecordSchema.Key: Int] = [:]
  private let endpoints: [Outcome]
  private let evidence: Evidence?
  private var families: Set<ReachabilityAddress.Family> = []
  private var familyReasons: [ReachabilityAddress.Family: String] = [:]
  /// The usable ones first.
  private let interfaces: [Observation.Interface]

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: RecordSchema.Key.self)
    version = try members.decodeIfPresent(Int.self, forKey: .version) ?? RecordSchema.version
    time = try members.decode(String.self, forKey: .time)
    uptimeMicroseconds = try members.decode(Int.self, forKey: .uptimeMicroseconds)
    event = RecordSchema.Event(rawValue: try members.decode(String.self, forKey: .event))
    for key in Self.textKeys { texts[key] = try members.decodeIfPresent(String.self, forKey: key) }
    for key in Self.numberKeys { numbers[key] = try members.decodeIfPresent(Int.self, forKey: key) }
    endpoints = try members.decodeIfPresent([Outcome].self, forKey: .endpoints) ?? []
    evidence = event == .evidence ? try members.decodeIfPresent(Evidence.self, forKey: .evidence) : nil
    let keys: [(ReachabilityAddress.Family, flag: RecordSchema.Key, reason: RecordSchema.Key)] = [
      (.v4, .supportsIPv4, .reasonAgainstIPv4), (.v6, .supportsIPv6, .reasonAgainstIPv6),
    ]
    for (family, flag, reason) in keys {
      if try members.decodeIfPresent(Bool.self, forKey: flag) ?? false { families.insert(family) }
      familyReasons[family] = try members.decodeIfPresent(String.self, forKey: reason)
    }
    let lists: [RecordSchema.Key] = [.interfaces, .unusableInterfaces]
    interfaces = try lists.flatMap { try members.decodeIfPresent([Interface].self, forKey: $0) ?? [] }
      .map(\.value)
  }

  /// The options in words.
  private var constraints: String {
    let words = [
      texts[.interface].map { "interface \($0)" }, texts[.from].map { "from \($0)" },
      numbers[.mark].map { "mark 0x\(String($0, radix: 16))" }, texts[.family],
    ]
    return words.compactMap(\.self).joined(separator: ", ")
  }

  /// What the line says; `nil` if members are missing.
  var content: RecordLine.Content? {
    switch event {
    case .start, .continue:
      guard let machine = texts[.machine], let run = texts[.run] else { return nil }
      let (machineID, namespace) = (texts[.machineID], texts[.namespace])
      let (names, options) = ([machine, machineID ?? ""], [namespace ?? "", constraints])
      guard names.allSatisfy({ $0.utf8.count <= RunIdentity.nameLimit }),
        options.allSatisfy({ $0.utf8.count <= LaneKey.nameLimit })
      else { return nil }
      let seconds = numbers[.heartbeatSeconds].map { min(max($0, 1), 86400) } ?? 60
      return .start(
        RunIdentity(
          machine: machine, machineID: machineID, boot: texts[.boot] ?? run, run: run, namespace: namespace,
          constraints: constraints),
        heartbeat: seconds * 1_000_000)
    case .resume:
      // Sums of any number of them fit.
      return .resume(lost: min(max(numbers[.lost] ?? 0, 0), 1 << 32))
    case .initial, .change:
      if let target = texts[.target], let status = texts[.status] {
        guard target.utf8.count <= LaneKey.nameLimit else { return nil }
        let states: [ReachabilityStatus.State: LaneState] = [
          .reachable: .reachable, .notReachable: .unreachable,
        ]
        let state = ReachabilityStatus.State(rawValue: status).flatMap { states[$0] } ?? .unknown
        return .target(
          target,
          Observation(
            state: state, reason: texts[.reason], interface: texts[.interface], gateway: texts[.gateway]))
      }
      guard let path = texts[.path] else { return nil }
      let states: [ReachabilityPath.Status: LaneState] = [
        .satisfied: .reachable, .unsatisfied: .unreachable, .requiresConnection: .unreachable,
      ]
      let state = ReachabilityPath.Status(rawValue: path).flatMap { states[$0] } ?? .unknown
      let usable = interfaces.first { $0.reason == nil }
      return .path(
        Observation(
          state: state, reason: texts[.reason], interface: usable?.name, gateway: usable?.gateways.first,
          interfaces: interfaces, families: families, familyReasons: familyReasons))
    case .verification:
      guard let endpoint = texts[.endpoint], let verification = texts[.verification],
        endpoint.utf8.count <= LaneKey.nameLimit
      else { return nil }
      // The other reason is that of the path.
      let states: [RecordSchema.VerificationState: LaneState] = [
        .verified: .reachable, .failed: .unreachable, .captivePortal: .unreachable,
      ]
      var observation = Observation(
        state: RecordSchema.VerificationState(rawValue: verification).flatMap { states[$0] } ?? .unknown)
      if observation.state == .unreachable, let last = endpoints.last {
        (observation.reason, observation.detail) = (last.outcome, last.detail)
      }
      return .verification(endpoint, observation)
    case .evidence:
      // The line about a path has no target.
      guard let target = texts[.target], let verdict = evidence?.verdict else { return .other }
      guard target.utf8.count <= LaneKey.nameLimit else { return nil }
      let states: [TrafficEvidence.Verdict: LaneState] = [.answering: .reachable, .stalled: .unreachable]
      let state = TrafficEvidence.Verdict(rawValue: verdict).flatMap { states[$0] } ?? .unknown
      let isStalled = state == .unreachable
      return .traffic(
        target,
        Observation(
          state: state, reason: isStalled ? ReasonText.stall : nil, fault: isStalled ? evidence?.fault : nil))
    case .heartbeat, .stop, .check, .explain, .rehearsal, .repairs, .verify, .trace, nil: return .other
    }
  }
}

/// The beginning of a line as `record` writes it: the version of the schema, and the two times.
///
/// Members of the same names in the rest do not count, as the first ones do.
struct LineStart {
  static let beginning = Array(RecordSchema.beginning.utf8)
  private static let middle = Array(RecordSchema.middle.utf8)

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
      return try RecordLine(
        time: start.time, uptime: start.uptime, version: RecordSchema.version, content: content)
    }
    let line = try RecordLine(text)
    if contents.count == Self.countLimit { contents = [:] }
    // A copy, as the slice keeps the whole block of the file.
    contents[ArraySlice(Array(start.rest))] = line.content
    return line
  }
}
