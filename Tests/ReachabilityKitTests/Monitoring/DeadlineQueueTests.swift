// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import POSIX
import TestSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct DeadlineQueueTests {
  private let start = Moment.now

  private func at(_ seconds: Int) -> Moment { start.advanced(by: .seconds(seconds)) }

  /// All entries that are due, in order.
  private func popAll(_ queue: inout DeadlineQueue<UInt64>, at seconds: Int) -> [UInt64] {
    var ids: [UInt64] = []
    while let id = queue.popDue(at(seconds)) { ids.append(id) }
    return ids
  }

  @Test func `a duration is limited to between zero and a century`() {
    let durations = [-1, 0, 1, 3_155_760_001, .max].map { Duration.seconds($0 as Int64).boundedForClocks }
    #expect(durations == [.zero, .zero, .seconds(1), .seconds(3_155_760_000), .seconds(3_155_760_000)])
  }

  @Test func `an empty queue has no next deadline and no due entry`() {
    var queue = DeadlineQueue<UInt64>()
    #expect(queue.next == nil)
    #expect(queue.popDue(at(1_000)) == nil)
  }

  @Test func `due entries are returned in the order of their deadlines`() {
    var queue = DeadlineQueue<UInt64>()
    for (seconds, id) in [(5, 50), (1, 10), (3, 30), (4, 40), (2, 20)] as [(Int, UInt64)] {
      queue.insert(at(seconds), id)
    }
    #expect(queue.next == at(1))
    #expect(popAll(&queue, at: 0) == [])
    #expect(popAll(&queue, at: 3) == [10, 20, 30])
    #expect(queue.next == at(4))
    #expect(popAll(&queue, at: 9) == [40, 50])
    #expect(queue.next == nil)
  }

  @Test func `the queue can hold one entry several times`() {
    var queue = DeadlineQueue<UInt64>()
    for seconds in [3, 1, 3, 2] { queue.insert(at(seconds), 7) }
    #expect(popAll(&queue, at: 2) == [7, 7])
    #expect(popAll(&queue, at: 3) == [7, 7])
    #expect(queue.next == nil)
  }

  @Test(arguments: 1...8)
  func `the queue behaves as a sorted list does`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = DeadlineQueue<UInt64>()
    var list: [(seconds: Int, id: UInt64)] = []
    var now = 0
    var popped = 0
    for id in 0..<UInt64(5_000) {
      if generator.chance(8) {
        now += Int.random(in: 0...20, using: &generator)
        let due = list.filter { $0.seconds <= now }.sorted { $0.seconds < $1.seconds }
        list.removeAll { $0.seconds <= now }
        let ids = popAll(&queue, at: now)
        // Entries with equal deadlines may come in any order.
        let moments = Dictionary(uniqueKeysWithValues: due.map { ($0.id, $0.seconds) })
        #expect(ids.map { moments[$0] } == due.map(\.seconds))
        #expect(Set(ids) == Set(due.map(\.id)) && ids.count == due.count)
        popped += ids.count
      } else {
        let seconds = now + Int.random(in: -5...100, using: &generator)
        queue.insert(at(seconds), id)
        list.append((seconds, id))
      }
      #expect(queue.next == list.map(\.seconds).min().map { at($0) })
    }
    #expect(popped > 1_000)
  }
}
