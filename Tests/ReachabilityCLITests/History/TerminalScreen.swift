// SPDX-License-Identifier: Apache-2.0
/// A terminal that understands the few control sequences of the commands.
struct TerminalScreen {
  /// The rows from the first on, also those that have scrolled away.
  private var cells: [[Character]] = [[]]
  private(set) var row = 0
  private(set) var column = 0
  private var wraps = true
  private let columns: Int
  private let height: Int
  /// The sequences that it does not understand.
  private(set) var unknown: [String] = []

  init(columns: Int, rows: Int, _ output: String) {
    self.columns = columns
    height = rows
    var rest = output[...]
    while let character = rest.popFirst() {
      switch character {
      case "\u{1b}":
        let body = rest.dropFirst().prefix { !$0.isLetter }
        let end = rest[body.endIndex...].first.map(String.init) ?? ""
        control(rest.first == "[" ? String(body) : "not a sequence ", end)
        rest = rest[body.endIndex...].dropFirst()
      case "\n": moveDown()
      case "\r": column = 0
      default: put(character)
      }
    }
  }

  /// The rows with text, without spaces at their ends.
  var rows: [String] {
    cells.map { row in
      let text = String(row)
      return String(text.prefix(text.count - text.reversed().prefix { $0 == " " }.count))
    }
  }

  private mutating func put(_ character: Character) {
    if column == columns {
      if wraps { moveDown() } else { column -= 1 }
    }
    while cells[row].count <= column { cells[row].append(" ") }
    cells[row][column] = character
    column += 1
  }

  private mutating func moveDown() {
    (row, column) = (row + 1, 0)
    if row == cells.count { cells.append([]) }
  }

  private mutating func control(_ body: String, _ end: String) {
    switch (body, end) {
    case (_, "m"): break
    case ("", "J"):
      cells.removeSubrange((row + 1)...)
      cells[row] = Array(cells[row].prefix(column))
    case (_, "A"): row = max(row - (Int(body) ?? 1), cells.count - height, 0)
    case ("?7", "l"): wraps = false
    case ("?7", "h"): wraps = true
    default: unknown.append(body + end)
    }
  }
}
