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

  /// Notes that the process ran.
  mutating func note(_ line: RecordLine, limit: Int) {
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
