// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import Dispatch
import POSIX
import ReachabilityKit
import Synchronization

/// A terminal with lines that scroll, and under them a block that is drawn again and again.
///
/// The cursor rests at the beginning of the block. A terminal that changes its width keeps it there, however it wraps the
/// lines of the block, so erasing what follows the cursor erases the block.
final class HistoryScreen: Sendable {
  private struct State {
    var block: HistoryBlock
    /// The block below the cursor.
    var shown: [String] = []
  }

  private let state: Mutex<State>
  /// Whether the block stays as it is, because the process ends or stops.
  private let isLeft = Atomic(false)
  private let output: StandardOutput
  private let queue = DispatchQueue(label: "reachability.screen")

  /// Creates a screen; `nil` if standard output is no terminal that reports its size.
  init?(_ names: [String], connects: Bool = false, _ output: StandardOutput) {
    guard TerminalSize.ofScreen != nil else { return nil }
    state = Mutex(State(block: HistoryBlock(names, connects: connects)))
    self.output = output
  }

  /// Adds a state of the target at a position, which the next line draws.
  func add(_ position: Int, _ newState: ReachabilityStatus.State) {
    state.withLock { $0.block.add(position, newState, at: Self.now) }
  }

  /// Adds the outcome of an attempt to connect to the target at a position; `nil` if nothing is known of that any more.
  func add(_ position: Int, _ connection: ReachabilityConnectionReport?) {
    let isConnected = connection.flatMap { $0.isOutOfDescriptors ? nil : $0.isConnected }
    state.withLock { $0.block.add(position, isConnected: isConnected, at: Self.now) }
  }

  /// Writes lines above the block.
  func write(_ lines: String) -> WriteResult {
    state.withLock { draw(&$0, after: lines) }
  }

  /// Draws the block now and then until the end; the handler receives the result of a write that failed.
  func drawRegularly(_ handler: @escaping @Sendable (WriteResult) -> Void) {
    DeadlineTimer.call(at: .now + .seconds(1), on: queue) { [weak self] in
      guard let self else { return }
      let result = state.withLock { draw(&$0) }
      if result != .written { handler(result) }
      drawRegularly(handler)
    }
  }

  /// Leaves the block as it is, and moves the cursor below it; further lines follow there.
  func end() {
    drawSoon(isLast: true)
    isLeft.store(true, ordering: .relaxed)
  }

  /// Leaves the block when the process stops, and begins another one below what the shell has written since.
  var suspension: Suspension {
    Suspension(stop: end) { [self] in
      isLeft.store(false, ordering: .relaxed)
      drawSoon()
    }
  }

  /// Draws the block as soon as no other thread writes, within a tenth of a second.
  ///
  /// A terminal that was stopped must not delay a signal for longer.
  private func drawSoon(isLast: Bool = false) {
    for _ in 0..<100 {
      let isDrawn = state.withLockIfAvailable { state in
        guard output.isReady else { return false }
        _ = draw(&state, isLast: isLast)
        return true
      }
      if isDrawn == true { return }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
    }
  }

  private func draw(_ state: inout State, after lines: String = "", isLast: Bool = false) -> WriteResult {
    // What is below the cursor then belongs to the shell.
    let isElsewhere = isLeft.load(ordering: .relaxed) || CurrentProcess.isInBackground
    if isElsewhere { state.shown = [] }
    let size = isElsewhere ? nil : TerminalSize.ofScreen
    let block =
      size.flatMap {
        state.block.lines($0, at: Self.now, in: output.characters, coloured: output.coloured)
      } ?? []
    if lines.isEmpty, block == state.shown, !isLast { return .written }
    // The terminal may have printed ^C or ^Z.
    let erasure = state.shown.isEmpty ? "" : "\r\u{1b}[J"
    state.shown = isLast ? [] : block
    guard !block.isEmpty else { return output.write(erasure + lines) }
    // Without wrapping, each line of the block is one row even while the width changes.
    let drawn = "\u{1b}[?7l" + block.joined(separator: "\n") + "\u{1b}[?7h"
    let rest = isLast ? "\n" : "\r" + (block.count > 1 ? "\u{1b}[\(block.count - 1)A" : "")
    return output.write(erasure + lines + drawn + rest)
  }

  private static var now: Int { LineTime.recorded.uptime ?? 0 }
}
