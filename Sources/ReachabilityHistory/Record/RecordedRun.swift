// SPDX-License-Identifier: Apache-2.0
/// A run of `record`: one process, whose lines may stand in several files, and in copies of them.
struct RecordedRun {
  var identity: RunIdentity
  /// The longest time without a line while the process runs, in microseconds: one and a half heartbeats.
  var limit: Int
  var pieces: [RunPiece] = []

  /// The wall clock at the latest moment of uptime.
  var clock: (uptime: Int, time: Int) {
    pieces.map(\.clock).max { $0.uptime < $1.uptime } ?? (0, 0)
  }

  /// The number of lines that could not be written.
  var lostCount: Int {
    pieces.reduce(into: [:]) { $0.merge($1.losses) { max($0, $1) } }.values.reduce(0, +)
  }

  /// The times in which the process ran, in order and without overlap.
  var spans: [RunPiece.Span] {
    var joined: [RunPiece.Span] = []
    let all = pieces.flatMap(\.spans).sorted {
      ($0.start, $0.followsLoss ? 0 : 1) < ($1.start, $1.followsLoss ? 0 : 1)
    }
    for span in all {
      if let last = joined.last,
        span.start <= last.end || (!span.followsLoss && span.start - last.end <= limit)
      {
        joined[joined.count - 1].end = max(last.end, span.end)
      } else {
        joined.append(span)
      }
    }
    return joined
  }

  /// The values of each lane in order, each only once although copies of a file repeat them.
  var changes: [LaneKey: [RunPiece.Change]] {
    var lists: [LaneKey: [[RunPiece.Change]]] = [:]
    for piece in pieces {
      for (lane, changes) in piece.changes { lists[lane, default: []].append(changes) }
    }
    return lists.mapValues(Self.joined)
  }

  private static func joined(_ lists: [[RunPiece.Change]]) -> [RunPiece.Change] {
    let isOrdered = lists.allSatisfy { list in
      zip(list, list.dropFirst()).allSatisfy { $0.uptime <= $1.uptime }
    }
    if lists.count < 2, isOrdered { return lists.first ?? [] }
    // Two copies have the same values at the same moment; a shortened one has fewer.
    var moments: [Int: [RunPiece.Change]] = [:]
    for list in lists.sorted(by: { ($0.first?.uptime ?? 0) < ($1.first?.uptime ?? 0) }) {
      for (uptime, changes) in Dictionary(grouping: list, by: \.uptime)
      where changes.count >= moments[uptime]?.count ?? 0 { moments[uptime] = changes }
    }
    return moments.sorted { $0.key < $1.key }.flatMap(\.value)
  }
}

/// What tells one run of `record` from others.
struct RunIdentity: Hashable, Sendable {
  /// The longest name of a machine in bytes: the most that POSIX allows (`_POSIX_HOST_NAME_MAX`), four times Linux's.
  static let nameLimit = 255

  /// The host name.
  var machine: String
  /// What tells machines with one host name from each other; `nil` in records of machines and versions without it.
  var machineID: String?
  /// The boot of the machine; runs of one boot share the clock that counts from it.
  var boot: String
  var run: String
  /// The network namespace that was recorded; `nil` for that of the process.
  var namespace: String?
  /// The options of `record` that its statuses depend on, in words, for example `interface eth0, mark 0x42`.
  var constraints = ""

  /// The name of the lane of a target, which differs from that of other options.
  func name(of target: String) -> String { constraints.isEmpty ? target : "\(target) (\(constraints))" }
}

extension [RecordedRun] {
  /// The microseconds between the clock of each boot and the wall clock, by host name: the latest line of the boot counts.
  var clockOffsets: [String: [String: Int]] {
    Dictionary(grouping: self, by: \.identity.machine).mapValues { runs in
      Dictionary(grouping: runs, by: \.identity.boot).mapValues { runs in
        let clock = runs.map(\.clock).max { $0.uptime < $1.uptime } ?? (0, 0)
        return clock.time * 1000 - clock.uptime
      }
    }
  }

  /// The runs of each machine and network namespace, by name.
  ///
  /// A run without an identifier belongs to the machine of its name that had the same boot, or to the only one.
  var machines: [(name: String, runs: [RecordedRun])] {
    var machines: [(name: String, runs: [RecordedRun])] = []
    for (name, runs) in Dictionary(grouping: self, by: \.identity.machine) {
      let known = runs.filter { $0.identity.machineID != nil }
      let boots = Dictionary(known.map { ($0.identity.boot, $0.identity.machineID) }) { first, _ in first }
      let identifiers = Set(known.map(\.identity.machineID))
      let sole = identifiers.count == 1 ? known.first?.identity.machineID : nil
      let all = Dictionary(grouping: runs) { run in
        run.identity.machineID ?? boots[run.identity.boot].flatMap(\.self) ?? sole
      }
      for (identifier, runs) in all {
        let distinction = all.count > 1 ? identifier.map { "machine \($0)" } : nil
        for (namespace, runs) in Dictionary(grouping: runs, by: \.identity.namespace) {
          let words = [distinction, namespace.map { "namespace \($0)" }].compactMap(\.self)
          machines.append((words.isEmpty ? name : "\(name) (\(words.joined(separator: ", ")))", runs))
        }
      }
    }
    return machines.sorted { $0.name < $1.name }
  }
}

/// A run, as far as the lines of one file show it.
struct RunPiece {
  /// A time in which lines followed each other as often as the heartbeat requires, in microseconds of uptime.
  struct Span: Equatable {
    var start: Int
    var end: Int
    /// Whether lines before it were lost, so that the time before is not known.
    var followsLoss = false
  }

  /// A new value of a lane.
  struct Change: Equatable {
    /// The uptime in microseconds.
    var uptime: Int
    /// The index in the table of observations.
    var value: Int32
  }

  private(set) var spans: [Span] = []
  private(set) var changes: [LaneKey: [Change]] = [:]
  /// The number of lines lost before each moment of uptime.
  private(set) var losses: [Int: Int] = [:]
  /// The wall clock, in milliseconds since 1970, at the latest moment of uptime.
  private(set) var clock = (uptime: Int.min, time: 0)

  /// Extends the piece: the process ran.
  mutating func extend(_ line: RecordLine, limit: Int) {
    if line.uptime >= clock.uptime { clock = (line.uptime, line.time) }
    if case .resume(let lost) = line.content {
      losses[line.uptime] = lost
      spans.append(Span(start: line.uptime, end: line.uptime, followsLoss: true))
    } else if let last = spans.last, line.uptime - last.end <= limit, line.uptime >= last.start {
      spans[spans.count - 1].end = max(last.end, line.uptime)
    } else {
      spans.append(Span(start: line.uptime, end: line.uptime))
    }
  }

  /// Adds a value of a lane; one that equals the last is left out.
  mutating func add(_ value: Int32, to lane: LaneKey, at uptime: Int) {
    if changes[lane]?.last?.value == value { return }
    changes[lane, default: []].append(Change(uptime: uptime, value: value))
  }
}
