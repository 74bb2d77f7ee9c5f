import ReachabilityHistory

/// The states of a lane as a row of characters, each for an equal part of the period.
struct LaneBar {
  /// What a lane did in one part of the period.
  struct Cell: Equatable {
    var character: Character
    var state: LaneState

    init(_ totals: StateTotals) {
      let (reachable, unreachable) = (totals[.reachable], totals[.unreachable])
      if unreachable > 0 {
        // Any outage lowers the column, and any connectivity shows.
        let eighths = (reachable * 8 / (reachable + unreachable))
        let heights: [Character] = ["▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇"]
        (character, state) = (reachable == 0 ? "x" : heights[eighths], .unreachable)
      } else if totals[.notMonitored] * 2 > totals.sum {
        (character, state) = ("░", .notMonitored)
      } else if totals[.unknown] > reachable {
        (character, state) = ("?", .unknown)
      } else {
        (character, state) = reachable > 0 ? ("█", .reachable) : ("░", .notMonitored)
      }
    }
  }

  var cells: [Cell]

  /// Divides the period of a lane into equal parts.
  init(_ lane: Lane, from: Int, until: Int, width: Int) {
    let length = until - from
    let count = min(width, length)
    var totals = [StateTotals](repeating: StateTotals(), count: count)
    for (position, step) in lane.steps.enumerated() where count > 0 {
      let end = position + 1 < lane.steps.count ? lane.steps[position + 1].start : until
      var start = step.start
      while start < end {
        // The last cell that begins at or before the moment.
        let cell = min(((start - from + 1) * count - 1) / length, count - 1)
        let boundary = from + ((cell + 1) * length) / count
        let part = max(min(end, boundary), start + 1)
        totals[cell][step.state] += part - start
        start = part
      }
    }
    cells = totals.map(Cell.init)
  }
}
