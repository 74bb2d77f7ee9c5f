// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// The lines that show the last minutes of each target, for a terminal of a certain size.
struct HistoryBlock {
  /// The time that the block covers, in microseconds.
  static let window = 600_000_000

  private let names: [String]
  private var histories: [StateHistory]

  init(_ names: [String]) {
    self.names = names
    histories = names.map { _ in StateHistory() }
  }

  mutating func add(_ position: Int, _ state: ReachabilityStatus.State, at time: Int) {
    histories[position].add(state, at: time, within: Self.window)
  }

  /// The lines of the block, or `nil` if the terminal has no room for it.
  ///
  /// - Parameters:
  ///   - size: The size of the terminal.
  ///   - time: The present time, in microseconds.
  ///   - coloured: Returns a text in a colour.
  func lines(
    _ size: TerminalSize, at time: Int, coloured: (String, TerminalColour) -> String
  ) -> [String]? {
    // Two rows remain for the latest change and the cursor.
    guard names.count + 3 <= size.rows else { return nil }
    let nameWidth = min(names.map(\.count).max() ?? 0, size.columns / 3)
    // A terminal may wrap a line that fills its last column.
    let width = size.columns - nameWidth - 3
    guard width >= Self.leastWidth else { return nil }
    let bars = zip(names, histories).map { name, history in
      let bar = history.cells(width, within: Self.window, at: time)
      let shown = name.count > nameWidth ? name.prefix(nameWidth - 1) + "…" : name[...]
      return String(shown).padded(to: nameWidth + 2) + text(bar, coloured)
    }
    return bars + ["".padded(to: nameWidth + 2) + Self.scale(width)]
  }

  private static var leastWidth: Int { 16 }

  private func text(_ cells: [BarSymbol?], _ coloured: (String, TerminalColour) -> String) -> String {
    var text = ""
    var rest = cells[...]
    while let cell = rest.first {
      let run = rest.prefix { $0 == cell }
      let characters = String(repeating: cell?.character ?? " ", count: run.count)
      text += cell?.colour.map { coloured(characters, $0) } ?? characters
      rest = rest.dropFirst(run.count)
    }
    return text
  }

  /// The ends of the time and, if there is room, the meaning of the symbols.
  private static func scale(_ width: Int) -> String {
    let (start, end) = ("10 min ago", "now")
    let room = width - start.count - end.count
    let symbols: [(BarSymbol, String)] = [
      (.reachable, "reachable"), (.partly, "partly"), (.notReachable, "not reachable"), (.unknown, "unknown"),
    ]
    let legends = ["  " + symbols.map { "\($0.character) \($1)  " }.joined(), ""]
    let legend = legends.first { $0.count <= room } ?? ""
    let left = (room - legend.count) / 2
    return (start + "".padded(to: left) + legend).padded(to: width - end.count) + end
  }
}

/// The states of a target in the last minutes.
struct StateHistory {
  private var changes: [(time: Int, state: ReachabilityStatus.State)] = []

  /// Adds a state that begins now, and forgets what ended before the window.
  ///
  /// - Parameters:
  ///   - state: The new state.
  ///   - time: The present time, in microseconds.
  ///   - window: The time that the history covers, in microseconds.
  mutating func add(_ state: ReachabilityStatus.State, at time: Int, within window: Int) {
    guard changes.last?.state != state else { return }
    changes.append((time, state))
    let first = changes.lastIndex { $0.time <= time - window } ?? 0
    changes.removeFirst(first)
  }

  /// The history in pieces of equal length, of which the last contains the present; `nil` where nothing was observed.
  ///
  /// Pieces begin at multiples of their length, so that a piece never changes when it is over.
  func cells(_ count: Int, within window: Int, at time: Int) -> [BarSymbol?] {
    let length = max(1, window / count)
    let end = (time / length + 1) * length
    return (0..<count).map { index in
      let start = end - (count - index) * length
      return cell(start..<(start + length))
    }
  }

  private func cell(_ period: Range<Int>) -> BarSymbol? {
    var states: Set<ReachabilityStatus.State> = []
    for (index, change) in changes.enumerated() {
      let next = index + 1 < changes.count ? changes[index + 1].time : .max
      if change.time < period.upperBound, next > period.lowerBound { states.insert(change.state) }
    }
    if states.contains(.notReachable) { return states.contains(.reachable) ? .partly : .notReachable }
    if states.contains(.unknown) { return .unknown }
    return states.isEmpty ? nil : .reachable
  }
}
