// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// The lines that show the last minutes of each target, for a terminal of a certain size.
struct HistoryBlock {
  /// The time that the block covers, in microseconds.
  static let window = 600_000_000

  private let names: [String]
  /// What a target is whose bar is full.
  private let word: String
  private var histories: [StateHistory]
  private var statuses: [ReachabilityStatus.State]
  /// The targets that are reachable, and did not answer.
  private var silent: Set<Int> = []

  /// Creates a block without states.
  ///
  /// - Parameters:
  ///   - names: The targets.
  ///   - connects: Whether a target is also down if it does not answer.
  init(_ names: [String], connects: Bool = false) {
    self.names = names
    word = connects ? "connected" : "reachable"
    histories = names.map { _ in StateHistory() }
    statuses = names.map { _ in .unknown }
  }

  mutating func add(_ position: Int, _ state: ReachabilityStatus.State, at time: Int) {
    statuses[position] = state
    add(position, at: time)
  }

  /// Notes whether a target has answered; `nil` if that is not known.
  mutating func add(_ position: Int, isConnected: Bool?, at time: Int) {
    if isConnected == false { silent.insert(position) } else { silent.remove(position) }
    add(position, at: time)
  }

  private mutating func add(_ position: Int, at time: Int) {
    let isDown = statuses[position] == .reachable && silent.contains(position)
    histories[position].add(isDown ? .notReachable : statuses[position], at: time, within: Self.window)
  }

  /// The lines of the block, or `nil` if the terminal has no room for it.
  ///
  /// If the terminal has too few rows, a line counts the targets, and only some of them have bars.
  ///
  /// - Parameter time: The present time, in microseconds.
  func lines(
    _ size: TerminalSize, at time: Int, in characters: CharacterRepertoire,
    coloured: (String, TerminalColour) -> String
  ) -> [String]? {
    // Two to five rows remain for the latest changes and the cursor.
    let room = size.rows - max(2, min(5, size.rows / 4))
    let isWhole = names.count + 1 <= room
    let nameWidth = min(names.map(\.count).max() ?? 0, size.columns / 3)
    // A terminal may wrap a line that fills its last column.
    let width = size.columns - nameWidth - 3
    guard width >= Self.leastWidth, isWhole || room >= 3 else { return nil }
    let ellipsis = characters.spelling("…")
    let order = isWhole ? Array(names.indices) : mostImportant
    let bars = order.prefix(isWhole ? order.count : room - 2).sorted().map { position in
      let name = names[position]
      let bar = histories[position].cells(width, within: Self.window, at: time)
      let shown = name.count > nameWidth ? name.prefix(nameWidth - ellipsis.count) + ellipsis : name
      return shown.padded(to: nameWidth + 2) + text(bar, coloured)
    }
    let sum = isWhole ? [] : [summary(order, width: size.columns - 1)]
    let lines = sum + bars + ["".padded(to: nameWidth + 2) + scale(width)]
    return lines.map(characters.spelling)
  }

  /// The positions of all targets: first those that are not reachable, and among equals those that changed last.
  private var mostImportant: [Int] {
    func isDown(_ position: Int) -> Bool { histories[position].state == .notReachable }
    return names.indices.sorted { left, right in
      if isDown(left) != isDown(right) { return isDown(left) }
      let times = (histories[left].lastChange ?? .min, histories[right].lastChange ?? .min)
      return times.0 == times.1 ? left < right : times.0 > times.1
    }
  }

  /// How many targets are reachable, and the names of those that are not, as far as they fit.
  private func summary(_ order: [Int], width: Int) -> String {
    func positions(_ state: ReachabilityStatus.State) -> [Int] {
      order.filter { histories[$0].state == state }
    }
    var counts = "\(positions(.reachable).count) of \(names.count) \(word)"
    let unknown = positions(.unknown).count
    if unknown > 0 { counts += ", \(unknown) unknown" }
    let down = positions(.notReachable).map { names[$0] }
    // Each name takes a column and its separator at least.
    for count in stride(from: min(down.count, width / 3), to: 0, by: -1) {
      let more = count < down.count ? ["\(down.count - count) more"] : []
      let text = "\(counts); not \(word): \((down.prefix(count) + more).inWords("and"))"
      if text.count <= width { return text }
    }
    return String(counts.prefix(width))
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
  private func scale(_ width: Int) -> String {
    let (start, end) = ("10 min ago", "now")
    let room = width - start.count - end.count
    let symbols: [(BarSymbol, String)] = [
      (.reachable, word), (.partly, "partly"), (.unknown, "unknown"), (.notReachable, "not \(word)"),
    ]
    let meanings = symbols.map { "\($0.character) \($1)  " }
    // What is left out first explains itself best.
    let legends = meanings.indices.map { "  " + meanings[$0...].joined() }
    let legend = legends.first { $0.count <= room } ?? ""
    let left = (room - legend.count) / 2
    return (start + "".padded(to: left) + legend).padded(to: width - end.count) + end
  }
}

/// The states of a target in the last minutes.
struct StateHistory {
  private var changes: [(time: Int, state: ReachabilityStatus.State)] = []

  /// The present state; `nil` before the first one.
  var state: ReachabilityStatus.State? { changes.last?.state }
  /// The time of the last change; `nil` if there was none since the first state.
  var lastChange: Int? { changes.count > 1 ? changes.last?.time : nil }

  /// Adds a state that begins now, and forgets what ended before the window.
  ///
  /// - Parameters:
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
