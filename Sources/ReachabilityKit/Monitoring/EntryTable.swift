/// The entries of a state machine, one after the other in memory.
///
/// There may be a hundred thousand, so they are small: what few have is kept apart, and what tells them apart is kept once.
struct EntryTable<Observer: AnyObject & Sendable>: Sendable {
  typealias Entry = MonitorEntry<Observer>
  typealias Key = MonitorStateMachine<Observer>.Key
  typealias EntryID = TargetIndex.EntryID

  private var entries: [Entry] = []
  private(set) var count = 0
  private var slots = SlotTable()
  private var firstFree = Self.noSlot
  /// How many entries there have been.
  private var serial: UInt64 = 0

  // A number is that of the entry's coming, so that numbers are in that order and none comes twice, and the entry's slot.
  private static var slotBits: Int { 26 }
  /// Stands for no slot.
  private static var noSlot: Int { 1 << slotBits - 1 }

  /// The entry in a slot.
  subscript(slot: Int) -> Entry {
    // Read and changed where it is: a copy of it would have its observers copied, too.
    _read { yield entries[slot] }
    _modify { yield &entries[slot] }
  }

  /// Where entries can be; without gaps, they are in the order of their coming.
  var places: Range<Int> { entries.indices }

  /// Whether an entry is in a slot, of which there may be fewer than there were.
  func hasEntry(at slot: Int) -> Bool { slot < entries.count && entries[slot].id > Self.noSlot }

  /// Adds what has to be asked about the entry in a slot, which is asked about now.
  mutating func add(_ slot: Int, to questions: inout MonitorStateMachine<Observer>.Questions) {
    if !entries[slot].isPlain {
      entries[slot].noteQuestion()
      if let host = entries[slot].host {
        questions.hosts.append((questions.ids.count, host.answer, host.parts))
      }
    }
    questions.ids.append(entries[slot].id)
    questions.targets.append(entries[slot].target)
  }

  /// Whether an entry has nothing but who watches, and what was told last; no entry is copied for the answer.
  func isPlain(at slot: Int) -> Bool { entries[slot].isPlain }

  /// Whether this is what was told last.
  func hasStatus(_ status: ReachabilityStatus, at slot: Int) -> Bool { entries[slot].status == status }

  /// Where an entry is, if it is there still.
  func slot(of id: EntryID) -> Int? {
    let slot = Int(truncatingIfNeeded: id) & Self.noSlot
    return slot < entries.count && entries[slot].id == id ? slot : nil
  }

  /// Where the entry is that is for a target with a settling time.
  func slot(of key: Key) -> Int? {
    slots.slot(key.hashValue) { entries[$0].target == key.target && entries[$0].settling == key.settling }
  }

  /// Adds an entry, which is not there; returns its number.
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

  /// Takes an entry out.
  mutating func remove(at slot: Int) {
    slots.remove(slot, of: entries, \.key.hashValue)
    entries[slot] = Entry(freeSlotBefore: EntryID(firstFree))
    firstFree = slot
    count -= 1
  }
}
