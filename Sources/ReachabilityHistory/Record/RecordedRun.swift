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
