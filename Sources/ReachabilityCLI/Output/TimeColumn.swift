// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import Synchronization

/// The time in front of each line of a watch, in the user's zone.
///
/// A terminal shows the time of day, which leaves room for the status, and a line with the date when it changes. Each line
/// of a pipe or a file has the whole date with its offset from UTC, since programs read lines alone.
final class TimeColumn: Sendable {
  private let isShort: Bool
  /// The date and the offset of the last line.
  private let date = Mutex<String?>(nil)

  init(isShort: Bool) { self.isShort = isShort }

  /// The columns of the time and of the two spaces after it.
  var width: Int { isShort ? 14 : 31 }

  /// Appends the time and two spaces, below a line with the date if that has changed.
  func append(_ time: Timestamp = .now, to lines: inout OutputText) {
    guard isShort else {
      time.appendLocal(to: &lines)
      return lines.append("  ")
    }
    // The date, and 12 characters of the time of day with the offset behind them.
    let parts = time.localText.split(separator: " ")
    let newDate = "\(parts[0]) UTC\(parts[1].dropFirst(12))"
    let isNew = date.withLock { date in
      defer { date = newDate }
      return date.map { $0 != newDate } ?? false
    }
    if isNew { lines.append("\(newDate)\n") }
    lines.append("\(parts[1].prefix(12))  ")
  }
}
