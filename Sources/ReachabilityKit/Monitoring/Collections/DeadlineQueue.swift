import POSIX

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
