/// A hash table of the places of things that are kept elsewhere: four bytes for each place.
///
/// Linear probing. What is taken out leaves no mark behind, so the table is as good as new however much came and went.
struct SlotTable: Sendable {
  private var slots: [UInt32] = []
  private var count = 0

  /// What stands where nothing is.
  private static var nothing: UInt32 { .max }

  /// Finds what has a hash and is the one that is wanted.
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

  /// Adds a place that is not there; all things have the hashes that they always had.
  mutating func insert<Thing>(_ slot: Int, of things: [Thing], _ hash: (Thing) -> Int) {
    // Never full to more than three quarters.
    if (count + 1) * 4 > slots.count * 3 {
      let old = slots
      slots = Array(repeating: Self.nothing, count: max(8, 2 * old.count))
      for slot in old where slot != Self.nothing { put(slot, hash(things[Int(slot)])) }
    }
    put(UInt32(slot), hash(things[slot]))
    count += 1
  }

  /// Takes a place out that is there.
  mutating func remove<Thing>(_ slot: Int, of things: [Thing], _ hash: (Thing) -> Int) {
    var gap = hash(things[slot]) & mask
    while slots[gap] != UInt32(slot) {
      precondition(slots[gap] != Self.nothing, "\(slot) is not in the table")
      gap = (gap + 1) & mask
    }
    var position = (gap + 1) & mask
    while slots[position] != Self.nothing {
      // What follows moves up, unless it would then be where it is not looked for.
      let home = hash(things[Int(slots[position])])
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
