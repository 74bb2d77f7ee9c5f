// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import Foundation
import Synchronization

/// Threads that poll each world's monitor about once a second, whatever the loop does.
final class Poller: Sendable {
  private let isStopped = Atomic(false)
  private let ended = DispatchSemaphore(value: 0)
  private let threads: Int

  /// A little more than a second, for which readings are shared.
  static let interval: Int64 = 1_020_000_000

  init(_ desks: [Desk], threads: Int) {
    self.threads = threads
    for thread in 0..<threads {
      let share = desks.indices.filter { $0 % threads == thread }.map { desks[$0] }
      Thread.detachNewThread { [self] in poll(share) }
    }
  }

  private func poll(_ desks: [Desk]) {
    var due = Heap<Desk>()
    let start = traffic_now()
    for (place, desk) in desks.enumerated() {
      due.insert(desk, at: start + Self.interval * Int64(place) / Int64(desks.count))
    }
    while !isStopped.load(ordering: .relaxed) {
      let now = traffic_now()
      if let desk = due.next(until: now)?.element {
        desk.poll()
        // After the reading, which another thread may have delayed.
        due.insert(desk, at: traffic_now() + Self.interval)
      } else if let next = due.due {
        usleep(useconds_t(clamping: min(next - now, 50_000_000) / 1000 + 1))
      } else {
        break
      }
    }
    ended.signal()
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    for _ in 0..<threads { ended.wait() }
  }
}
