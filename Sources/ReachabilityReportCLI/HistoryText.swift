// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityHistory

/// A report for people: what happened in one line, bars and sums of each lane, then the events.
struct HistoryText {
  /// The most events in text, the newest, and the most lanes of an event.
  private static let limit = (events: 50, lanes: 8)
  private static let widthLimit = 400

  private let history: History
  private let width: Int
  private let output: StandardOutput
  /// The number of incidents of each lane.
  private let counts: [Int]
  private let hasMachines: Bool

  init(_ history: History, width: Int, _ output: StandardOutput) {
    self.history = history
    self.width = min(width, Self.widthLimit)
    self.output = output
    counts = history.incidentCounts
    hasMachines = Set(history.lanes.map(\.machine)).count > 1
  }

  var text: String {
    let period = (history.until - history.from).durationText
    var lines = ["\(history.from.localText) to \(history.until.localText), \(period)", summary]
    var machine = nil as String?
    for position in history.lanes.indices {
      let lane = history.lanes[position]
      if lane.machine != machine {
        machine = lane.machine
        lines += ["", lane.machine.escapedForTerminal]
      }
      lines += self.lines(about: lane, at: position)
    }
    return (lines + eventLines).map { $0 + "\n" }.joined()
  }

  // MARK: - Lanes

  private func lines(about lane: Lane, at position: Int) -> [String] {
    let totals = lane.totals
    // Interfaces that no packet could leave by would only fill the screen.
    if lane.kind == .interface, totals[.reachable] == 0 { return [] }
    let cells = LaneBar(lane, from: history.from, until: history.until, width: max(width - 2, 1)).cells
    var lines = ["", lane.title.escapedForTerminal]
    if !cells.isEmpty { lines.append("  " + bar(cells)) }
    let shares = totals.thousandthsOfPercent
    let times = LaneState.allCases.map { totals[$0].durationText }
    let column = times.map(\.count).max() ?? 0
    for (state, time) in zip(LaneState.allCases, times) where totals[state] > 0 {
      let share = (shares[state] ?? 0).decimal(places: 3).leftPadded(to: 7)
      let words = state.words(for: lane.kind).padded(to: 13)
      lines.append("  \(words)  \(time.leftPadded(to: column))  \(share)%")
    }
    let count = counts[position]
    guard lane.kind != .interface, let mean = totals.meanTime(between: count) else { return lines }
    // A family fails with the path, too.
    let rest =
      lane.kind == .family ? " besides those of the path" : ", mean time between outages \(mean.durationText)"
    lines.append("  \(count) \(count == 1 ? "incident" : "incidents")\(rest)")
    if let longest = lane.longestOutage {
      lines.append("  longest outage \(longest.duration.durationText) from \(longest.start.localText)")
    }
    return lines
  }

  /// The cells, coloured in runs of one symbol.
  private func bar(_ cells: [LaneBar.Cell]) -> String {
    var text = ""
    var rest = cells[...]
    while let first = rest.first {
      let run = rest.prefix { $0.symbol == first.symbol }
      rest = rest.dropFirst(run.count)
      let characters = String(run.map(\.character))
      text += first.symbol.colour.map { output.coloured(characters, $0) } ?? characters
    }
    return text
  }

  // MARK: - Events

  /// How many events there were, and the worst one.
  private var summary: String {
    guard let worst = history.worstEvent else { return "no events" }
    let count = history.events.count
    let length = worst.duration.durationText + (worst.family.map { ", \($0) only" } ?? "")
    return count == 1 ? "1 event, \(length)" : "\(count) events, the worst \(length)"
  }

  private var eventLines: [String] {
    let events = history.events
    guard !events.isEmpty else { return [] }
    var lines = ["", "Events, the oldest first"]
    let left = events.count - Self.limit.events
    if left > 0 {
      lines += ["", "\(left) earlier \(left == 1 ? "one is" : "ones are") left out; --json prints all."]
    }
    for event in events.suffix(Self.limit.events) {
      lines += ["", headline(event), "  " + history.incidents[event.lead].cause.text.escapedForTerminal]
      if let fault = event.fault { lines.append("  fault: \(fault.text)") }
    }
    return lines
  }

  private func headline(_ event: OutageEvent) -> String {
    let lanes = event.incidents.map { history.lanes[history.incidents[$0].lane] }
    var text = "\(event.start.localText)  \(history.words(for: event)) for \(event.duration.durationText)"
    if let family = event.family { text += ", \(family) only" }
    if event.flaps > 1 {
      let end = event.end ?? history.until
      text += " in \(event.flaps) outages within \((end - event.start).durationText)"
    }
    if event.gap > 0 { text += ", and not monitored for \(event.gap.durationText) in it" }
    if event.end == nil {
      text += ", and at the end of the report"
    } else if !event.isEndRecorded {
      text += ", then not monitored"
    }
    var titles: [String] = []
    for title in lanes.lazy.map(\.title) where !titles.contains(title) {
      titles.append(title)
      if titles.count == Self.limit.lanes { break }
    }
    text += ": " + titles.joined(separator: ", ").escapedForTerminal
    let more = Set(lanes.map(\.title)).count - titles.count
    if more > 0 { text += ", and \(more) more" }
    return hasMachines ? text + ", on \(lanes[0].machine.escapedForTerminal)" : text
  }
}

extension String {
  /// The text, preceded by spaces up to the width of a column.
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(width - count, 0)) + self
  }
}

/// The states of a lane as a row of characters, each for an equal part of the period.
struct LaneBar {
  /// What a lane did in one part of the period.
  struct Cell: Equatable {
    var character: Character
    var symbol: BarSymbol

    init(_ totals: StateTotals) {
      let (reachable, unreachable) = (totals[.reachable], totals[.unreachable])
      if unreachable > 0 {
        // Any outage lowers the column, and any connectivity shows.
        let eighths = (reachable * 8 / (reachable + unreachable))
        let heights: [Character] = ["▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇"]
        symbol = reachable == 0 ? .notReachable : .partly
        character = symbol == .partly ? heights[eighths] : symbol.character
        return
      }
      if totals[.notMonitored] * 2 > totals.sum || totals[.unknown] + reachable == 0 {
        symbol = .notMonitored
      } else {
        symbol = totals[.unknown] > reachable ? .unknown : .reachable
      }
      character = symbol.character
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

extension Int {
  /// Milliseconds since 1970 as a time in the user's zone.
  fileprivate var localText: String { Timestamp(milliseconds: self).localText }

  /// Milliseconds as a duration in words, for example `2d 3h 0m 12.345s`.
  var durationText: String {
    let seconds = self / 1000
    let units = [(seconds / 86400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m")]
    let shown = units.drop { $0.0 == 0 }.map { "\($0.0)\($0.1) " }.joined()
    return "\(shown)\((self % 60_000).decimal(places: 3))s"
  }
}
