// SPDX-License-Identifier: Apache-2.0
/// What becomes due at a time, the earliest first; equal times in the order of insertion.
struct Heap<Element> {
  private var entries: [(due: Int64, number: UInt64, element: Element)] = []
  private var number: UInt64 = 0

  /// The time of the first element.
  var due: Int64? { entries.first?.due }

  mutating func insert(_ element: Element, at due: Int64) {
    number += 1
    entries.append((due, number, element))
    var place = entries.count - 1
    while place > 0, precedes(place, (place - 1) / 2) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes the first element if it is due.
  mutating func next(until now: Int64) -> (due: Int64, element: Element)? {
    guard let first = entries.first, first.due <= now else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return (first.due, first.element) }
    entries[0] = last
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, precedes(child + 1, child) { child += 1 }
      guard precedes(child, place) else { break }
      entries.swapAt(child, place)
      place = child
    }
    return (first.due, first.element)
  }

  private func precedes(_ one: Int, _ other: Int) -> Bool {
    (entries[one].due, entries[one].number) < (entries[other].due, entries[other].number)
  }
}
