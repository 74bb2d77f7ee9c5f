// SPDX-License-Identifier: Apache-2.0
import POSIX

/// Identifiers by keys, which a search sorts first.
struct SortedPoints<Point: Comparable & Sendable, ID: Equatable & Sendable>: Sendable {
  private var points: [(key: Point, id: ID)] = []
  private var isSorted = true

  var count: Int { points.count }
  var keys: [Point] { points.map(\.key) }

  mutating func insert(_ key: Point, _ id: ID) {
    points.reserveOneMore()
    points.append((key, id))
    isSorted = false
  }

  mutating func remove(_ key: Point, _ id: ID) {
    sort()
    var position = firstPosition(notBelow: key)
    while position < points.count, points[position].key == key {
      if points[position].id == id {
        points.remove(at: position)
        return
      }
      position += 1
    }
  }

  /// Appends the identifiers whose key lies in a range, one with keys in a row once.
  mutating func collect(_ range: ClosedRange<Point>, into ids: inout [ID]) {
    sort()
    var position = firstPosition(notBelow: range.lowerBound)
    while position < points.count, points[position].key <= range.upperBound {
      if ids.last != points[position].id { ids.add(points[position].id) }
      position += 1
    }
  }

  private mutating func sort() {
    guard !isSorted else { return }
    points.sort { $0.key < $1.key }
    isSorted = true
  }

  private func firstPosition(notBelow key: Point) -> Int {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A priority queue of deadlines with their owners, the earliest first.
///
/// A binary heap. Deadlines are not removed early, so an owner must tolerate one that no longer matters.
struct DeadlineQueue<ID: Sendable>: Sendable {
  private var heap: [(moment: Moment, id: ID)] = []

  var next: Moment? { heap.first?.moment }

  mutating func insert(_ moment: Moment, _ id: ID) {
    heap.append((moment, id))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].moment < heap[parent].moment else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the owner of a deadline that has come, or returns `nil`.
  mutating func popDue(_ now: Moment) -> ID? {
    guard let first = heap.first, first.moment <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
      guard let child = children.min(by: { heap[$0].moment < heap[$1].moment }),
        heap[child].moment < heap[parent].moment
      else { return first.id }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
