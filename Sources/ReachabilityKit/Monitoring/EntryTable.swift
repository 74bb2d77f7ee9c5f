// SPDX-License-Identifier: Apache-2.0
/// The entries of a state machine, contiguous in memory.
///
/// There may be a hundred thousand, so an entry is small: the parts that few have are stored apart, and keys are stored once.
/// The row `memory` of the benchmarks measures that.
struct EntryTable<Observer: AnyObject & Sendable>: Sendable {
  typealias Entry = MonitorEntry<Observer>
  typealias Key = MonitorStateMachine<Observer>.Key
  typealias EntryID = TargetIndex.EntryID

  private var entries: [Entry] = []
  private(set) var count = 0
  private var slots = SlotTable()
  private var firstFree = Self.noSlot
  /// The number of entries so far, removed ones included.
  private var serial: UInt64 = 0

  // An identifier is the entry's serial number, then its slot: unique, and in the order of creation.
  private static var slotBits: Int { 26 }
  private static var noSlot: Int { 1 << slotBits - 1 }

  subscript(slot: Int) -> Entry {
    // Accessed in place: to change a copy would copy its observers, too.
    _read { yield entries[slot] }
    _modify { yield &entries[slot] }
  }

  /// The slots that may have entries; without gaps, they are in the order of creation.
  var places: Range<Int> { entries.indices }

  /// Whether a slot has an entry; it may be one that no longer exists.
  func hasEntry(at slot: Int) -> Bool { slot < entries.count && entries[slot].id > Self.noSlot }

  /// Adds the entry in a slot to questions that are asked now.
  mutating func add(_ slot: Int, to questions: inout MonitorStateMachine<Observer>.Questions) {
    if !entries[slot].isPlain {
      entries[slot].recordQuestion()
      if let host = entries[slot].host {
        questions.hosts.append((questions.ids.count, host.answer, host.parts))
      }
    }
    questions.ids.add(entries[slot].id)
    questions.targets.add(entries[slot].target)
  }

  /// Whether an entry has nothing but one observer and its last status; copies no entry.
  func isPlain(at slot: Int) -> Bool { entries[slot].isPlain }

  /// Whether this is the last status of an entry; copies no entry.
  func hasStatus(_ status: ReachabilityStatus, at slot: Int) -> Bool { entries[slot].status == status }

  /// The slot of an entry, if it still exists.
  func slot(of id: EntryID) -> Int? {
    let slot = Int(truncatingIfNeeded: id) & Self.noSlot
    return slot < entries.count && entries[slot].id == id ? slot : nil
  }

  /// The slot of the entry for a target with a settling time.
  func slot(of key: Key) -> Int? {
    slots.slot(key.hashValue) { entries[$0].target == key.target && entries[$0].settling == key.settling }
  }

  /// Adds an entry for a key that has none; returns its identifier.
  mutating func insert(_ key: Key, _ observer: Observer) -> EntryID {
    let slot = firstFree == Self.noSlot ? entries.count : firstFree
    precondition(slot < Self.noSlot, "more targets than a machine has memory for")
    serial += 1
    let id = serial << Self.slotBits | EntryID(slot)
    if slot == entries.count {
      entries.reserveOneMore()
      entries.append(Entry(id: id, key, observer))
    } else {
      firstFree = Int(entries[slot].id)
      entries[slot] = Entry(id: id, key, observer)
    }
    count += 1
    slots.insert(slot, of: entries, \.key.hashValue)
    return id
  }

  mutating func remove(at slot: Int) {
    slots.remove(slot, of: entries, \.key.hashValue)
    entries[slot] = Entry(freeSlotBefore: EntryID(firstFree))
    firstFree = slot
    count -= 1
  }
}

/// Finds the entries whose destination, or source, lies in a prefix.
///
/// Two sorted arrays of addresses, in each of which a prefix is a range. The next search sorts all additions at once.
struct TargetIndex: Sendable {
  typealias EntryID = UInt64

  private var ipv4 = SortedPoints<UInt32, EntryID>()
  private var ipv6 = SortedPoints<UInt128, EntryID>()
  private var isChanged = false

  /// The number of addresses, each counted as often as it was added.
  var count: Int { ipv4.count + ipv6.count }

  /// All addresses, each at least once.
  var addresses: [ReachabilityAddress] {
    ipv4.keys.map { .v4(.init(rawValue: $0)) } + ipv6.keys.map { .v6(.init(rawValue: $0)) }
  }

  /// Returns whether addresses were added or removed since the last call.
  mutating func resetChange() -> Bool {
    defer { isChanged = false }
    return isChanged
  }

  /// Adds the addresses that decide a target's status.
  mutating func insert(_ target: ReachabilityTarget, _ id: EntryID) {
    for address in target.routedAddresses {
      isChanged = true
      switch address {
      case .v4(let address): ipv4.insert(address.rawValue, id)
      case .v6(let address): ipv6.insert(address.rawValue, id)
      }
    }
  }

  mutating func remove(_ target: ReachabilityTarget, _ id: EntryID) {
    for address in target.routedAddresses {
      isChanged = true
      switch address {
      case .v4(let address): ipv4.remove(address.rawValue, id)
      case .v6(let address): ipv6.remove(address.rawValue, id)
      }
    }
  }

  /// Appends the entries that a route for this prefix can touch, some perhaps twice.
  mutating func collect(_ prefix: IPPrefix, into ids: inout [EntryID]) {
    switch (prefix.address, prefix.last) {
    case (.v4(let first), .v4(let last)): ipv4.collect(first.rawValue...last.rawValue, into: &ids)
    case (.v6(let first), .v6(let last)): ipv6.collect(first.rawValue...last.rawValue, into: &ids)
    default: break
    }
  }
}
