// SPDX-License-Identifier: Apache-2.0
import POSIX

/// Decides which observers receive which status: entries with their statuses, settling times, lifetimes and observers.
///
/// Pure: time goes in as a value, questions come out as values, and deliveries go to a closure. An entry is a target with a settling time,
/// shared by all observers of the same.
struct MonitorStateMachine<Observer: AnyObject & Sendable>: Sendable {
  typealias EntryID = TargetIndex.EntryID

  /// A target, and the time that a change must last to be delivered.
  struct Key: Hashable, Sendable {
    let target: ReachabilityTarget
    let settling: Duration

    init(target: ReachabilityTarget, settling: Duration) {
      self.target = target
      self.settling = settling.boundedForClocks
    }
  }

  /// Delivers an event to an observer; called for several observers of one event in the order in which they were added.
  typealias Delivery = (MonitorEvent, Observer) -> Void

  var entries = EntryTable<Observer>()
  var statuses = StatusPool()
  private var index = TargetIndex()
  private var deadlines = DeadlineQueue<EntryID>()
  private var unasked: [EntryID] = []
  /// The entries with new observers, which receive no status that is older than they are.
  private var joined: [EntryID] = []
  /// The entries that ``take(_:now:_:)`` finds; empty in between.
  private var touched: [EntryID] = []
  /// The entries of each host.
  private var hosts: [ReachabilityTarget.HostName: Set<EntryID>] = [:]
  /// The changes of names since they were last taken.
  private var nameChanges: [NameChange] = []

  struct Questions: Sendable {
    /// The entries in the order of their creation, except those that reuse a slot.
    var ids: [EntryID] = []
    /// Their targets, in that order.
    var targets: [ReachabilityTarget] = []
    /// The resolved hosts among them, by their places: each is evaluated by its parts.
    var hosts: [(place: Int, answer: NameAnswer, parts: [ReachabilityTarget])] = []
  }

  /// All entries to evaluate; ``questions(of:limit:)`` returns a few at a time, since there may be very many.
  struct PendingWork: Sendable {
    /// The only entry, if nothing else has to be evaluated: most changes touch one.
    fileprivate var sole: EntryID?
    /// Entries in the order of their creation.
    fileprivate var ids: ArraySlice<EntryID> = []
    /// The slots of all entries, if everything has to be evaluated.
    fileprivate var slots: Range<Int> = 0..<0
  }

  var isEmpty: Bool { entries.count == 0 }

  var hasHosts: Bool { !hosts.isEmpty }

  /// The moment of the next call to ``take(_:now:)`` if nothing changes.
  var nextDeadline: Moment? { deadlines.next }

  /// Adds an observer; it receives the next evaluation of its target, which is never older than it.
  ///
  /// - Returns: The entry that it observes.
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
        // The resolver reports an answer once, so a new entry takes that of another one.
        if let answer = entries[other].extras.answer { setAnswer(answer, of: id) }
      } else {
        nameChanges.append(.added(name))
      }
      hosts[name, default: []].insert(id)
    }
    return id
  }

  /// Removes an observer; an entry ends with its last observer.
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

  // MARK: Observed addresses

  var addresses: [ReachabilityAddress] { index.addresses }

  /// Returns the number of addresses if some were added or removed since the last call.
  mutating func changedAddressCount() -> Int? { index.resetChange() ? index.count : nil }

  // MARK: Names

  var hasNameChanges: Bool { !nameChanges.isEmpty }

  mutating func dequeueNameChanges() -> [NameChange] {
    defer { nameChanges = [] }
    return nameChanges
  }

  /// Notes the answer for a name; its entries are evaluated with the next change.
  mutating func resolve(_ name: ReachabilityTarget.HostName, to answer: NameAnswer) {
    for id in hosts[name] ?? [] {
      setAnswer(answer, of: id)
      unasked.append(id)
    }
  }

  private mutating func setAnswer(_ answer: NameAnswer, of id: EntryID) {
    guard let slot = entries.slot(of: id) else { return }
    for part in entries[slot].extras.parts { index.remove(part, id) }
    let target = entries[slot].target
    let parts = answer.limited(to: target.family).targets(for: target)
    for part in parts { index.insert(part, id) }
    entries[slot].extras.answer = answer
    entries[slot].extras.parts = parts
  }

  // MARK: Changes

  /// Returns the entries to evaluate now: new ones, those that the change can touch, and those whose deadline has come.
  ///
  /// Statuses that have lasted long enough are delivered.
  ///
  /// - Parameter now: Only taken if an entry has a deadline.
  mutating func take(
    _ change: NetworkChange, now: @autoclosure () -> Moment, _ deliver: Delivery
  ) -> PendingWork {
    // Most changes concern neither new entries, nor deadlines, nor routes that are about to change.
    if !(unasked.isEmpty && joined.isEmpty) { dequeueNew() }
    if deadlines.next != nil { dequeueDue(at: now(), deliver) }
    if change.hasOthers { recordOthers(change, at: now()) }
    if change.everything || change.nextHops {
      touched = []
      return PendingWork(slots: entries.places)
    }
    if let first = change.firstPrefix { index.collect(first, into: &touched) }
    if touched.count <= 1 { return PendingWork(sole: touched.popLast()) }
    touched.sortWithoutRepetition()
    defer { touched = [] }
    return PendingWork(ids: touched[...])
  }

  /// Removes the entries that were not evaluated yet, or have observers that received nothing.
  @inline(never)
  private mutating func dequeueNew() {
    touched += unasked
    touched += joined
    // The capacity for a few is kept, that for many released.
    unasked.removeAll(keepingCapacity: unasked.count < 16)
    joined.removeAll(keepingCapacity: joined.count < 16)
  }

  /// Removes the entries whose deadline has come, and delivers the statuses that have lasted long enough.
  @inline(never)
  private mutating func dequeueDue(at now: Moment, _ deliver: Delivery) {
    while let id = deadlines.popDue(now) {
      guard let slot = entries.slot(of: id) else { continue }
      var extras = entries[slot].extras
      extras.wakes = nil
      let pending = extras.pending
      let hasSettled = pending.map { $0.until <= now } ?? false
      if hasSettled { extras.pending = nil }
      if extras.expiry.expire(now) { touched.append(id) }
      if let recheck = extras.rechecks.first, recheck <= now {
        extras.rechecks.removeFirst()
        touched.append(id)
      }
      entries[slot].extras = extras
      if let pending, hasSettled { settle(on: pending.status, at: slot, deliver) }
      schedule(slot)
    }
  }

  /// Adds the entries whose routes changed, or are about to, and schedules further evaluations of the latter.
  @inline(never)
  private mutating func recordOthers(_ change: NetworkChange, at now: Moment) {
    for prefix in change.others(.changed) { index.collect(prefix, into: &touched) }
    var imminent: [EntryID] = []
    for prefix in change.others(.imminent) { index.collect(prefix, into: &imminent) }
    touched += imminent
    for prefix in change.others(.missed) { index.collect(prefix, into: &imminent) }
    imminent.sortWithoutRepetition()
    for id in imminent { recheck(id, now) }
  }

  /// Takes the only question, if there is no more than one, of an entry that needs to remember nothing.
  mutating func soleQuestion(of pendingWork: inout PendingWork) -> (id: EntryID, target: ReachabilityTarget)?
  {
    guard let id = pendingWork.sole, let slot = entries.slot(of: id), entries.isPlain(at: slot) else {
      return nil
    }
    pendingWork.sole = nil
    return (id, entries[slot].target)
  }

  /// Takes the next few questions; none at the end.
  mutating func questions(of pendingWork: inout PendingWork, limit: Int) -> Questions {
    var questions = Questions()
    if let id = pendingWork.sole.take(), let slot = entries.slot(of: id) {
      entries.add(slot, to: &questions)
      return questions
    }
    let room = min(limit, pendingWork.slots.count + pendingWork.ids.count)
    if room > 1 {
      questions.ids.reserveCapacity(room)
      questions.targets.reserveCapacity(room)
    }
    while questions.ids.count < limit, !pendingWork.slots.isEmpty {
      let slot = pendingWork.slots.removeFirst()
      // Entries, and the slots at the end, may have been removed meanwhile.
      if entries.hasEntry(at: slot) { entries.add(slot, to: &questions) }
    }
    while questions.ids.count < limit, let id = pendingWork.ids.popFirst() {
      if let slot = entries.slot(of: id) { entries.add(slot, to: &questions) }
    }
    return questions
  }

  private mutating func recheck(_ id: EntryID, _ now: Moment) {
    guard let slot = entries.slot(of: id) else { return }
    entries[slot].extras.rechecks = NetworkChange.rechecks(after: now)
    schedule(slot)
  }

  /// Enqueues an entry's next deadline; a later one that is enqueued already does no harm.
  mutating func schedule(_ slot: Int) {
    let extras = entries[slot].extras
    guard let deadline = extras.deadline else { return }
    if let wakes = extras.wakes, wakes <= deadline { return }
    entries[slot].extras.wakes = deadline
    deadlines.insert(deadline, entries[slot].id)
  }
}

extension Array where Element: Comparable {
  /// Sorts the elements, and keeps one of equal ones.
  @inline(never)
  fileprivate mutating func sortWithoutRepetition() {
    guard count > 1 else { return }
    sort()
    var last = 0
    for index in 1..<count where self[index] != self[last] {
      last += 1
      self[last] = self[index]
    }
    removeLast(count - last - 1)
  }
}

/// Decides which observers receive a status now, and which once it has lasted.
///
/// An observer that joins while a change is held back receives the present status, not the one delivered to the others.
/// From then on a change is held back from all alike, until it has lasted and all have the same status.
extension MonitorStateMachine {
  /// Takes the evaluation of an entry, and makes the deliveries that follow from it.
  ///
  /// - Parameter now: Only taken for entries that remember times.
  mutating func accept(
    _ evaluation: Evaluation, for id: EntryID, now: @autoclosure () -> Moment, _ deliver: Delivery
  ) {
    guard let slot = entries.slot(of: id) else { return }
    let status = evaluation.status
    // The case of most entries, which need to remember nothing.
    if evaluation.lifetime == nil, entries.isPlain(at: slot) {
      if !entries.hasStatus(status, at: slot) { set(statuses.shared(status), at: slot, deliver) }
      return
    }
    let now = now()
    var extras = entries[slot].extras
    if extras.expiry.renew(for: evaluation.lifetime, now: now) {
      extras.rechecks = NetworkChange.rechecks(after: now)
    }
    entries[slot].extras = extras
    let isHeldBack = deliverUnlessHeldBack(status, at: slot, deliver)
    if !isHeldBack {
      entries[slot].extras.pending = nil
    } else if entries[slot].extras.pending?.status != status {
      let until = now.advanced(by: entries[slot].settling)
      entries[slot].extras.pending = (statuses.shared(status), until)
    }
    schedule(slot)
  }

  /// Delivers a status to the observers that need not wait; returns whether it is held back from others.
  private mutating func deliverUnlessHeldBack(
    _ status: ReachabilityStatus, at slot: Int, _ deliver: Delivery
  ) -> Bool {
    // The resolution of a name is no change of the network, which might not last.
    let settling = entries[slot].settling
    func mayWait(_ previous: ReachabilityStatus) -> Bool { settling > .zero && previous.reason != .resolving }
    var isHeldBack = false
    let known = entries[slot].status.flatMap { $0 == status ? $0 : nil }
    let shared = known ?? statuses.shared(status)
    if let previous = entries[slot].status, previous == status || mayWait(previous) {
      isHeldBack = previous != status
    } else {
      set(shared, at: slot, deliver)
    }
    if settling > .zero {
      for (place, (observer, previous)) in entries[slot].extras.early.enumerated() where previous != status {
        if mayWait(previous) {
          isHeldBack = true
        } else {
          deliver(event(shared, at: slot, after: previous), observer)
          entries[slot].extras.early[place].status = shared
        }
      }
    }
    let newcomers = entries[slot].removeAwaiting()
    guard !newcomers.isEmpty else { return isHeldBack }
    let first = event(shared, at: slot, after: nil)
    for observer in newcomers { deliver(first, observer) }
    if entries[slot].status == status {
      entries[slot].append(newcomers)
    } else {
      entries[slot].extras.early += newcomers.map { ($0, shared) }
    }
    return isHeldBack
  }

  /// Delivers a status that has lasted long enough to all observers that have another one.
  mutating func settle(on status: ReachabilityStatus, at slot: Int, _ deliver: Delivery) {
    if entries[slot].status != status { set(status, at: slot, deliver) }
    let early = entries[slot].extras.early
    guard !early.isEmpty else { return }
    for (observer, previous) in early where previous != status {
      deliver(event(status, at: slot, after: previous), observer)
    }
    entries[slot].extras.early = []
    entries[slot].append(early.map(\.observer))
  }

  /// Delivers a status, which becomes the last one of the observers.
  private mutating func set(_ status: ReachabilityStatus, at slot: Int, _ deliver: Delivery) {
    let event = event(status, at: slot, after: entries[slot].status)
    if let observer = entries[slot].observer {
      deliver(event, observer)
    } else {
      for observer in entries[slot].observers { deliver(event, observer) }
    }
    entries[slot].status = status
  }

  private func event(
    _ status: ReachabilityStatus, at slot: Int, after previous: ReachabilityStatus?
  ) -> MonitorEvent {
    MonitorEvent(.status(ReachabilityEvent(target: entries[slot].target, status: status, previous: previous)))
  }
}
