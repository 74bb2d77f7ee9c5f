// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc

/// A process that reports changes of routes, in a network of its own, where it is the only receiver of announcements.
final class Contender {
  private let network = Network()
  private let changer: CInt
  private let child: Child
  private let printsTime: Bool
  private let lines: Int
  private let change: (CInt, CInt) -> Int64
  private var isChanged = false
  /// The number of lines so far.
  private var received = 0

  /// Starts a process, and waits until it listens.
  ///
  /// - Parameters:
  ///   - printsTime: Whether it prints the time of receipt; otherwise the arrival of its line counts.
  ///   - isSilent: Whether it prints nothing before the first change; otherwise the given number of lines.
  ///   - lines: The number of lines for each change.
  ///   - change: Makes a change (1) or reverts it (0), and returns the time immediately before the request.
  init(
    printsTime: Bool, isSilent: Bool = false, lines: Int = 1,
    change: @escaping (CInt, CInt) -> Int64 = raw_change, _ start: () -> Child
  ) {
    (changer, child) = network.inside { (raw_open_changer(), start()) }
    self.printsTime = printsTime
    self.lines = lines
    self.change = change
    if isSilent {
      repeat {
        _ = change(changer, 1)
        _ = change(changer, 0)
      } while !child.hasMore(within: 20)
    } else {
      readLines(lines)
    }
  }

  deinit {
    child.stop()
    close(changer)
  }

  /// Times changes, each of them after a rest, from the request to the last line.
  func time(_ count: Int, rest milliseconds: Int) -> [Int64] {
    (0..<count).map { _ in
      var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
      nanosleep(&rest, nil)
      while child.hasMore(within: 0) { readLines(1) }
      isChanged.toggle()
      let sent = change(changer, isChanged ? 1 : 0)
      let line = readLines(lines)
      let now = raw_now()
      return (printsTime ? Int64(line) ?? now : now) - sent
    }
  }

  @discardableResult
  private func readLines(_ count: Int) -> String {
    received += count
    return child.line(count)
  }

  /// Lets the process end, which it does by itself; returns the number of lines that it printed.
  func end() -> Int {
    while child.hasMore(within: 200) { readLines(1) }
    child.finish()
    return received
  }
}
