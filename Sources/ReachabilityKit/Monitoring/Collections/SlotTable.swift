// SPDX-License-Identifier: Apache-2.0
/// A hash table of the slots of elements that are stored elsewhere, with four bytes for each slot.
///
/// Linear probing. Removals leave no tombstones, so lookups stay fast however many elements come and go.
struct SlotTable: Sendable {
  private var slots: [UInt32] = []
  private var count = 0

  private static var nothing: UInt32 { .max }

  /// Finds the slot of the wanted element, which has this hash.
  func slot(_ hash: Int, where isWanted: (_ slot: Int) -> Bool) -> Int? {
    guard count > 0 else { return nil }
    var position = hash & mask
    while slots[position] != Self.nothing {
      let slot = Int(slots[position])
      if isWanted(slot) { return slot }
      position = (position + 1) & mask
    }
    return nil
  }

  /// Adds a slot that is not in the table; the hashes of all elements must be what they were.
  mutating func insert<Element>(_ slot: Int, of elements: [Element], _ hash: (Element) -> Int) {
    // At most three quarters full.
    if (count + 1) * 4 > slots.count * 3 {
      let old = slots
      slots = Array(repeating: Self.nothing, count: max(8, 2 * old.count))
      for slot in old where slot != Self.nothing { put(slot, hash(elements[Int(slot)])) }
    }
    put(UInt32(slot), hash(elements[slot]))
    count += 1
  }

  /// Removes a slot that is in the table.
  mutating func remove<Element>(_ slot: Int, of elements: [Element], _ hash: (Element) -> Int) {
    var gap = hash(elements[slot]) & mask
    while slots[gap] != UInt32(slot) {
      precondition(slots[gap] != Self.nothing, "\(slot) is not in the table")
      gap = (gap + 1) & mask
    }
    var position = (gap + 1) & mask
    while slots[position] != Self.nothing {
      // A later slot moves into the gap, unless it would then precede its home position.
      let home = hash(elements[Int(slots[position])])
      if (position &- home) & mask >= (position &- gap) & mask {
        slots[gap] = slots[position]
        gap = position
      }
      position = (position + 1) & mask
    }
    slots[gap] = Self.nothing
    count -= 1
  }

  private var mask: Int { slots.count - 1 }

  private mutating func put(_ slot: UInt32, _ hash: Int) {
    var position = hash & mask
    while slots[position] != Self.nothing { position = (position + 1) & mask }
    slots[position] = slot
  }
}

extension Array {
  /// Appends an element, the first one without the code that makes an array grow.
  ///
  /// Most changes lead to one element. After a rest, a processor waits for the code that it runs.
  mutating func add(_ element: Element) {
    if capacity == 0 { self = [element] } else { append(element) }
  }

  /// Reserves capacity for one more element, in smaller steps than an array does by itself, which leaves up to half unused.
  mutating func reserveOneMore() {
    if count == capacity { reserveCapacity(count + Swift.max(8, count / 4)) }
  }
}
