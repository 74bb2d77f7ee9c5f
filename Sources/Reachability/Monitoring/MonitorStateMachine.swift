/// Decides who is told what: entries with their statuses, settling times, lifetimes and observers.
///
/// Pure: time goes in as a value, and what is to be done comes out as values. An entry is a target with a settling
/// time, shared by all observers that ask for the same.
struct MonitorStateMachine<Observer: AnyObject & Sendable>: Sendable {
  typealias EntryID = TargetIndex.EntryID
  typealias Instant = SuspendingClock.Instant

  /// What is watched, and how long a change must last to be told.
  struct Key: Hashable, Sendable {
    let target: Target
    let settling: Duration

    init(target: Target, settling: Duration) {
      self.target = target
      self.settling = settling.boundedForClocks
    }
  }

  /// An event and those who are to be told, in the order in which they came.
  struct Delivery: Sendable {
    var event: StatusEvent
    var observers: [Observer]
  }

  private struct Entry: Sendable {
    let key: Key
    var observers: [Observer] = []
    /// What a host's name stands for, and the targets that its status is read from.
    var answer: NameAnswer?
    var parts: [Target] = []
    /// What the observers were told last.
    var status: Status?
    /// What will be told if it lasts until the moment.
    var settling: (status: Status, until: Instant)?
    var expires: Instant?
    /// When to ask again because of a change that was announced before it was done.
    var rechecks: [Instant] = []
    /// The earliest moment that the deadline queue holds for this entry.
    var wakes: Instant?

    /// When the entry wants attention next.
    var deadline: Instant? {
      earliest(earliest(settling?.until, expires), rechecks.first)
    }
  }

  private var entries: [EntryID: Entry] = [:]
  private var ids: [Key: EntryID] = [:]
  private var index = TargetIndex()
  private var deadlines = DeadlineQueue<EntryID>()
  private var unasked: [EntryID] = []
  private var lastID: EntryID = 0
  /// The entries that are about a host.
  private var hosts: [HostName: Set<EntryID>] = [:]
  /// Names that came to be watched, or are no more, since this was last taken.
  private var nameChanges: [NameChange] = []
  /// How many routes were announced that concern no entry, since this was last taken.
  private var strayRoutes = 0

  /// A name that came to be watched, or that nobody watches any more.
  enum NameChange: Equatable, Sendable {
    case added(HostName)
    case removed(HostName)
  }

  /// What has to be asked about an entry: its target, or for a host those that its name stands for.
  struct Question: Sendable {
    let id: EntryID
    let target: Target
    /// What the host's name stands for; `nil` if that is not known yet, and for other targets.
    let answer: NameAnswer?
    /// The targets that make up a host whose answer is known.
    let parts: [Target]
  }

  /// Whether nobody watches anything.
  var isEmpty: Bool { entries.isEmpty }

  /// When ``take(_:now:)`` should be called even if nothing changes.
  var nextDeadline: Instant? { deadlines.next }

  /// Adds an observer; it is told the status at once if it is known, else when it is.
  mutating func add(_ observer: Observer, for key: Key) -> Delivery? {
    if let id = ids[key] {
      entries[id]?.observers.append(observer)
      guard let status = entries[id]?.status else { return nil }
      return Delivery(event: StatusEvent(target: key.target, status: status), observers: [observer])
    }
    lastID += 1
    entries[lastID] = Entry(key: key, observers: [observer])
    ids[key] = lastID
    index.insert(key.target, lastID)
    unasked.append(lastID)
    if case .host(let name) = key.target.destination {
      if let other = hosts[name]?.first {
        // What the name stands for was told when it was found, and is not told again.
        if let answer = entries[other]?.answer { setAnswer(answer, of: lastID) }
      } else {
        nameChanges.append(.added(name))
      }
      hosts[name, default: []].insert(lastID)
    }
    return nil
  }

  /// The entry of those who ask for the same.
  func entry(for key: Key) -> EntryID? { ids[key] }

  /// Takes an observer out; an entry goes with its last observer.
  mutating func remove(_ observer: Observer, from id: EntryID) {
    guard let key = entries[id]?.key, var observers = entries[id]?.observers,
      let position = observers.firstIndex(where: { $0 === observer })
    else { return }
    // Not held twice, so that it is changed in place.
    entries[id]?.observers = []
    observers.remove(at: position)
    entries[id]?.observers = observers
    guard observers.isEmpty else { return }
    for part in entries[id]?.parts ?? [] { index.remove(part, id) }
    entries[id] = nil
    ids[key] = nil
    index.remove(key.target, id)
    if case .host(let name) = key.target.destination {
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
  mutating func resolve(_ name: HostName, to answer: NameAnswer) {
    for id in hosts[name] ?? [] {
      setAnswer(answer, of: id)
      unasked.append(id)
    }
  }

  private mutating func setAnswer(_ answer: NameAnswer, of id: EntryID) {
    guard let entry = entries[id] else { return }
    for part in entry.parts { index.remove(part, id) }
    let parts = answer.targets(for: entry.key.target)
    for part in parts { index.insert(part, id) }
    entries[id]?.answer = answer
    entries[id]?.parts = parts
  }

  /// Returns what has to be asked now: new entries, those that the change can touch, and those whose time has come.
  ///
  /// Changes that have lasted long enough come out as deliveries.
  ///
  /// - Parameter isDeaf: Whether nothing was heard so far of routes for new entries. One may have been announced just
  ///   before it is there, so these are asked about again.
  mutating func take(
    _ change: NetworkChange, isDeaf: Bool = false, now: Instant
  ) -> (questions: [Question], deliveries: [Delivery]) {
    var deliveries: [Delivery] = []
    var touched = Set(unasked)
    if isDeaf { unasked.forEach { recheck($0, now) } }
    unasked.removeAll(keepingCapacity: true)
    while let id = deadlines.popDue(now) {
      entries[id]?.wakes = nil
      if let until = entries[id]?.settling?.until, until <= now {
        if let delivery = settle(id) { deliveries.append(delivery) }
      }
      if let expires = entries[id]?.expires, expires <= now {
        entries[id]?.expires = nil
        touched.insert(id)
      }
      if let recheck = entries[id]?.rechecks.first, recheck <= now {
        entries[id]?.rechecks.removeFirst()
        touched.insert(id)
      }
      schedule(id)
    }
    var imminent: Set<EntryID> = []
    for prefix in change.imminent where !index.collect(prefix, into: &imminent) { strayRoutes += 1 }
    for id in imminent { recheck(id, now) }
    touched.formUnion(imminent)
    if change.everything {
      return (entries.keys.sorted().compactMap(question), deliveries)
    }
    for prefix in change.prefixes where !index.collect(prefix, into: &touched) { strayRoutes += 1 }
    return (touched.sorted().compactMap(question), deliveries)
  }

  private mutating func recheck(_ id: EntryID, _ now: Instant) {
    entries[id]?.rechecks = NetworkChange.recheckDelays.map { now.advanced(by: $0) }
    schedule(id)
  }

  private func question(about id: EntryID) -> Question? {
    entries[id].map { Question(id: id, target: $0.key.target, answer: $0.answer, parts: $0.parts) }
  }

  /// Takes the answer to a question and returns who is to be told of it.
  mutating func accept(_ evaluation: Evaluation, for id: EntryID, now: Instant) -> Delivery? {
    guard var entry = entries[id] else { return nil }
    entry.expires = evaluation.lifetime.map { now.advanced(by: $0) }
    defer {
      entries[id] = entry
      schedule(id)
    }

    let status = evaluation.status
    guard let previous = entry.status else {
      entry.status = status
      return Delivery(
        event: StatusEvent(target: entry.key.target, status: status), observers: entry.observers)
    }
    guard status != previous else {
      entry.settling = nil
      return nil
    }
    // That a name has been resolved is no change of the network, which might not last.
    guard entry.key.settling > .zero, previous.reason != .resolving else {
      entry.status = status
      return Delivery(
        event: StatusEvent(target: entry.key.target, status: status, previous: previous),
        observers: entry.observers)
    }
    if entry.settling?.status != status {
      entry.settling = (status, now.advanced(by: entry.key.settling))
    }
    return nil
  }

  /// Sees to it that the queue holds an entry's next moment; a later one that it holds already does no harm.
  private mutating func schedule(_ id: EntryID) {
    guard let deadline = entries[id]?.deadline else { return }
    if let wakes = entries[id]?.wakes, wakes <= deadline { return }
    entries[id]?.wakes = deadline
    deadlines.insert(deadline, id)
  }

  private mutating func settle(_ id: EntryID) -> Delivery? {
    guard var entry = entries[id], let settled = entry.settling?.status, let previous = entry.status else {
      return nil
    }
    entry.settling = nil
    entry.status = settled
    entries[id] = entry
    return Delivery(
      event: StatusEvent(target: entry.key.target, status: settled, previous: previous),
      observers: entry.observers)
  }
}

extension Duration {
  /// The duration, but not less than zero and not more than a century: no clock overflows, and nobody waits longer.
  var boundedForClocks: Duration { min(max(self, .zero), .seconds(Int64(3_155_760_000))) }
}
