/// Moments at which entries want attention, the earliest first.
///
/// A binary heap. Nothing is taken out early: who asks at a moment that no longer matters finds nothing to do.
struct DeadlineQueue<ID: Sendable>: Sendable {
  typealias Instant = SuspendingClock.Instant

  private var heap: [(moment: Instant, id: ID)] = []

  /// The earliest moment.
  var next: Instant? { heap.first?.moment }

  /// Adds a moment.
  mutating func insert(_ moment: Instant, _ id: ID) {
    heap.append((moment, id))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].moment < heap[parent].moment else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out an entry whose moment has come, or returns `nil`.
  mutating func popDue(_ now: Instant) -> ID? {
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

/// The earlier of two moments, where there are any.
func earliest(_ one: SuspendingClock.Instant?, _ other: SuspendingClock.Instant?) -> SuspendingClock.Instant?
{
  guard let one, let other else { return one ?? other }
  return min(one, other)
}
