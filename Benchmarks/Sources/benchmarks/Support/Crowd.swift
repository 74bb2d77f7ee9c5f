// SPDX-License-Identifier: Apache-2.0
import CRaw
import Dispatch
import ReachabilityKit
import Synchronization

/// Counts calls of handlers.
final class Tally: Sendable {
  private let state = Mutex<(count: Int, time: Int64)>((0, 0))

  /// Adds one, with the present time.
  func add() {
    let now = raw_now()
    state.withLock { $0 = ($0.count + 1, now) }
  }

  var count: Int { state.withLock { $0.count } }
  /// The time of the last one.
  var time: Int64 { state.withLock { $0.time } }
}

/// A monitor with many observers, each of a different target.
///
/// Ten targets lie in each /28, a hundred in each /24.
final class Crowd {
  let monitor: ReachabilityMonitor
  let tally = Tally()
  private let queue = DispatchQueue(label: "crowd")
  private var observations: [ReachabilityObservation] = []
  private let handler: @Sendable (ReachabilityEvent) -> Void

  init(capacity: Int) {
    monitor = openMonitor()
    observations.reserveCapacity(capacity)
    handler = { [tally] _ in tally.add() }
  }

  convenience init(of count: Int) {
    self.init(capacity: count)
    grow(to: count)
  }

  static func address(_ index: Int) -> UInt32 {
    Address.first + UInt32(index / 100 * 256 + index % 100 / 10 * 16 + index % 10)
  }

  /// Adds observers, and waits until all of them received an event.
  func grow(to count: Int) {
    for index in observations.count..<count {
      observations.append(
        monitor.observe(target(Address.text(Self.address(index))), on: queue, handler: handler))
    }
    let before = tally
    wait(for: "the first statuses") { before.count >= count }
  }
}

func openMonitor() -> ReachabilityMonitor {
  do {
    return try ReachabilityMonitor()
  } catch {
    fail("cannot create a monitor: \(error)")
  }
}

func target(_ text: String) -> ReachabilityTarget {
  do {
    return try ReachabilityTarget(text)
  } catch {
    fail("invalid target: \(error)")
  }
}
