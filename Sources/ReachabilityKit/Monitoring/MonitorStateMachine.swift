/// Decides who is told what: entries with their statuses, settling times, lifetimes and observers.
///
/// Pure: time goes in as a value, and what is to be done comes out as values. An entry is a target with a settling
/// time, shared by all observers that ask for the same.
struct MonitorStateMachine<Observer: AnyObject & Sendable>: Sendable {
  typealias EntryID = TargetIndex.EntryID
  typealias Instant = SuspendingClock.Instant

  /// What is watched, and how long a change must last to be told.
  struct Key: Hashable, Sendable {
    let target: ReachabilityTarget
    let settling: Duration

    init(target: ReachabilityTarget, settling: Duration) {
      self.target = target
      self.settling = settling.boundedForClocks
    }
  }

  /// An event and those who are to be told, in the order in which they came.
  struct Delivery: Sendable {
    var event: ReachabilityEvent
    var observers: [Observer]
  }

  var entries = EntryTable<Observer>()
  var statuses = StatusPool()
  private var index = TargetIndex()
  private var deadlines = DeadlineQueue<EntryID>()
  private var unasked: [EntryID] = []
  /// The entries that observers joined: what is known of them is older than these, so they are asked about again.
  private var joined: [EntryID] = []
  /// The entries that are about a host.
  private var hosts: [ReachabilityTarget.HostName: Set<EntryID>] = [:]
  /// Names that came to be watched, or are no more, since this was last taken.
  private var nameChanges: [NameChange] = []
  /// How many routes were announced that concern no entry, since this was last taken.
  private var strayRoutes = 0

  /// A name that came to be watched, or that nobody watches any more.
  enum NameChange: Equatable, Sendable {
    case added(ReachabilityTarget.HostName)
    case removed(ReachabilityTarget.HostName)
  }

  /// What has to be asked about some entries.
  struct Questions: Sendable {
    /// The entries: those that came first come first, unless they took the places of others.
    var ids: [EntryID] = []
    /// What they are about, in that order.
    var targets: [ReachabilityTarget] = []
    /// For hosts among them of which it is known, by their places, what the name stands for, and the targets that have
    /// to be asked about instead.
    var hosts: [(place: Int, answer: NameAnswer, parts: [ReachabilityTarget])] = []
  }

  /// What has to be asked about, of which ``questions(of:limit:)`` hands out a little at a time: there may be very many.
  struct Agenda: Sendable {
    /// Entries in the order of their coming.
    fileprivate var ids: ArraySlice<EntryID> = []
    /// The places where all entries are that were there when all had to be asked about.
    fileprivate var slots: Range<Int> = 0..<0
  }

  /// Whether nobody watches anything.
  var isEmpty: Bool { entries.count == 0 }

  /// When ``take(_:now:)`` should be called even if nothing changes.
  var nextDeadline: Instant? { deadlines.next }

  /// Adds an observer; it is told the answer to the next question about its target, which is never older than it.
  ///
  /// - Returns: The entry that it is an observer of.
  @discardableResult
  mutating func add(_ observer: Observer, for key: Key) -> EntryID {
    if let slot = entries.slot(of: key) {
      let id = entries[slot].id
      if entries[slot].join(observer) { joined.append(id) }
      return id
    }
    let id = entries.insert(key, observer)
    index.insert(key.target, id)
    unasked.append(id)
    if case .host(let name) = key.target.destination {
      if let other = hosts[name]?.first.flatMap({ entries.slot(of: $0) }) {
        // What the name stands for was told when it was found, and is not told again.
        if let answer = entries[other].extras.answer { setAnswer(answer, of: id) }
      } else {
        nameChanges.append(.added(name))
      }
      hosts[name, default: []].insert(id)
    }
    return id
  }

  /// Takes an observer out; an entry goes with its last observer.
  mutating func remove(_ observer: Observer, from id: EntryID) {
    guard let slot = entries.slot(of: id), entries[slot].remove(observer), !entries[slot].isWatched else {
      return
    }
    let target = entries[slot].target
    for part in entries[slot].extras.parts { index.remove(part, id) }
    index.remove(target, id)
    entries.remove(at: slot)
    if case .host(let name) = target.destination {
      hosts[name]?.remove(id)
      guard hosts[name]?.isEmpty == true else { return }
      hosts[name] = nil
      nameChanges.append(.removed(name))
    }
  }

  // MARK: What the system need not tell

  /// Whether addresses came, or went, that routes can concern, since ``takeAddresses()``.
  var hasNewAddresses: Bool { index.hasGrown }
  var hasFewerAddresses: Bool { index.hasShrunk }
  /// How many addresses there are that routes can concern.
  var addressCount: Int { index.count }

  /// Takes all addresses that routes can concern.
  mutating func takeAddresses() -> [IPAddress] {
    index.noteAddresses()
    return index.addresses
  }

  /// Takes how many routes were announced that concern no entry.
  mutating func takeStrayRoutes() -> Int {
    defer { strayRoutes = 0 }
    return strayRoutes
  }

  // MARK: Names

  /// Whether names came to be watched, or are no more, since they were last taken.
  var hasNameChanges: Bool { !nameChanges.isEmpty }

  /// Takes the names that came to be watched, or are no more, in order.
  mutating func takeNameChanges() -> [NameChange] {
    defer { nameChanges = [] }
    return nameChanges
  }

  /// Notes what a name stands for; the entries that are about it are asked about with the next change.
  mutating func resolve(_ name: ReachabilityTarget.HostName, to answer: NameAnswer) {
    for id in hosts[name] ?? [] {
      setAnswer(answer, of: id)
      unasked.append(id)
    }
  }

  private mutating func setAnswer(_ answer: NameAnswer, of id: EntryID) {
    guard let slot = entries.slot(of: id) else { return }
    for part in entries[slot].extras.parts { index.remove(part, id) }
    let parts = answer.targets(for: entries[slot].target)
    for part in parts { index.insert(part, id) }
    entries[slot].extras.answer = answer
    entries[slot].extras.parts = parts
  }

  /// Returns what has to be asked about now: new entries, those that the change can touch, and those whose time has come.
  ///
  /// Changes that have lasted long enough come out as deliveries.
  ///
  /// - Parameter isDeaf: Whether nothing was heard so far of routes for new entries. One may have been announced just
  ///   before it is there, so these are asked about again.
  mutating func take(
    _ change: NetworkChange, isDeaf: Bool = false, now: Instant
  ) -> (agenda: Agenda, deliveries: [Delivery]) {
    var deliveries: [Delivery] = []
    var touched = Set(unasked)
    if isDeaf { unasked.forEach { recheck($0, now) } }
    // Room for a few is kept, and given back after many.
    unasked.removeAll(keepingCapacity: unasked.count < 16)
    touched.formUnion(joined)
    joined.removeAll(keepingCapacity: joined.count < 16)
    while let id = deadlines.popDue(now) {
      guard let slot = entries.slot(of: id) else { continue }
      var extras = entries[slot].extras
      extras.wakes = nil
      let pending = extras.pending
      let hasSettled = pending.map { $0.until <= now } ?? false
      if hasSettled { extras.pending = nil }
      if extras.expiry.hasCome(now) { touched.insert(id) }
      if let recheck = extras.rechecks.first, recheck <= now {
        extras.rechecks.removeFirst()
        touched.insert(id)
      }
      entries[slot].extras = extras
      if let pending, hasSettled { settle(on: pending.status, at: slot, &deliveries) }
      schedule(slot)
    }
    var imminent: Set<EntryID> = []
    for prefix in change.imminent where !index.collect(prefix, into: &imminent) { strayRoutes += 1 }
    for id in imminent { recheck(id, now) }
    touched.formUnion(imminent)
    if change.everything { return (Agenda(slots: entries.places), deliveries) }
    for prefix in change.prefixes where !index.collect(prefix, into: &touched) { strayRoutes += 1 }
    return (Agenda(ids: touched.sorted()[...]), deliveries)
  }

  /// Hands out the next few questions; none at the end.
  mutating func questions(of agenda: inout Agenda, limit: Int) -> Questions {
    var questions = Questions()
    let room = min(limit, agenda.slots.count + agenda.ids.count)
    questions.ids.reserveCapacity(room)
    questions.targets.reserveCapacity(room)
    while questions.ids.count < limit, !agenda.slots.isEmpty {
      let slot = agenda.slots.removeFirst()
      // Entries may have gone meanwhile, and their places with them.
      if entries.hasEntry(at: slot) { entries.add(slot, to: &questions) }
    }
    while questions.ids.count < limit, let id = agenda.ids.popFirst() {
      if let slot = entries.slot(of: id) { entries.add(slot, to: &questions) }
    }
    return questions
  }

  private mutating func recheck(_ id: EntryID, _ now: Instant) {
    guard let slot = entries.slot(of: id) else { return }
    entries[slot].extras.rechecks = NetworkChange.rechecks(after: now)
    schedule(slot)
  }

  /// Sees to it that the queue holds an entry's next moment; a later one that it holds already does no harm.
  mutating func schedule(_ slot: Int) {
    let extras = entries[slot].extras
    guard let deadline = extras.deadline else { return }
    if let wakes = extras.wakes, wakes <= deadline { return }
    entries[slot].extras.wakes = deadline
    deadlines.insert(deadline, entries[slot].id)
  }
}

extension Duration {
  /// The duration, but not less than zero and not more than a century: no clock overflows, and nobody waits longer.
  package var boundedForClocks: Duration { min(max(self, .zero), .seconds(Int64(3_155_760_000))) }
}
