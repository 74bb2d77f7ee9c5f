/// What is known about a target with a settling time, and who watches it.
struct MonitorEntry<Observer: AnyObject & Sendable>: Sendable {
  typealias EntryID = TargetIndex.EntryID
  typealias Instant = SuspendingClock.Instant

  /// What few entries have.
  struct Extras: Sendable {
    fileprivate var settling: Duration = .zero
    /// All observers that were told ``MonitorEntry/status``, if there are several.
    fileprivate var observers: [Observer] = []
    /// Observers that joined and were told nothing yet, in the order in which they came.
    fileprivate var newcomers: [Observer] = []
    /// How many of them were there when the last question was asked.
    fileprivate var awaitingCount = 0
    /// Observers that joined while a change was held back, with what each was told last.
    var early: [(observer: Observer, status: ReachabilityStatus)] = []
    /// What a host's name stands for, and the targets that its status is read from.
    var answer: NameAnswer?
    var parts: [ReachabilityTarget] = []
    /// What will be told if it lasts until the moment.
    var pending: (status: ReachabilityStatus, until: Instant)?
    var expiry = Expiry()
    /// When to ask again because of a change that was announced before it was done.
    var rechecks: [Instant] = []
    /// The earliest moment that the deadline queue holds for this entry.
    var wakes: Instant?

    /// When the entry wants attention next.
    var deadline: Instant? {
      earliest(earliest(pending?.until, expiry.end), rechecks.first)
    }

    fileprivate var isEmpty: Bool {
      settling == .zero && observers.isEmpty && newcomers.isEmpty && early.isEmpty && answer == nil
        && parts.isEmpty && deadline == nil && wakes == nil && expiry.isEmpty
    }
  }

  let target: ReachabilityTarget
  /// The only observer that was told ``status``.
  private var observer: Observer?
  /// What the observers were told last, but for those that joined lately.
  var status: ReachabilityStatus?
  /// At most one: an array is a place apart, which is changed there.
  private var held: [Extras] = []
  let id: EntryID

  init(id: EntryID, _ key: MonitorStateMachine<Observer>.Key, _ observer: Observer) {
    self.id = id
    target = key.target
    self.observer = observer
    extras.settling = key.settling
  }

  /// Stands where no entry is.
  init(freeSlotBefore next: EntryID) {
    id = next
    target = .defaultRoute
  }

  /// What a host's name stands for, and the targets that its status is read from, where that is known.
  var host: (answer: NameAnswer, parts: [ReachabilityTarget])? {
    held.first.flatMap { extras in extras.answer.map { ($0, extras.parts) } }
  }

  /// Whether there is nothing but who watches, and what was told last.
  var isPlain: Bool { held.isEmpty }

  var settling: Duration { held.first?.settling ?? .zero }

  var key: MonitorStateMachine<Observer>.Key { .init(target: target, settling: settling) }

  var extras: Extras {
    get { held.first ?? Extras() }
    set {
      if newValue.isEmpty {
        held = []
      } else if held.isEmpty {
        held = [newValue]
      } else {
        held[0] = newValue
      }
    }
  }

  // MARK: Observers

  /// The observers that were told ``status``, in the order in which they came.
  var observers: [Observer] {
    if let observer { [observer] } else { held.first?.observers ?? [] }
  }

  var isWatched: Bool {
    guard observer == nil, let extras = held.first else { return observer != nil }
    return !(extras.observers.isEmpty && extras.newcomers.isEmpty && extras.early.isEmpty)
  }

  /// Adds an observer that is told the answer to the next question; returns whether one has to be asked for it.
  mutating func join(_ new: Observer) -> Bool {
    if held.isEmpty { held = [Extras()] }
    held[0].newcomers.append(new)
    return held[0].newcomers.count == held[0].awaitingCount + 1
  }

  /// Notes that a question is asked now, whose answer is not older than the observers that are there.
  mutating func noteQuestion() {
    guard !held.isEmpty else { return }
    held[0].awaitingCount = held[0].newcomers.count
  }

  /// Takes out the observers that were waiting for the answer which came.
  mutating func takeAwaiting() -> [Observer] {
    guard let count = held.first?.awaitingCount, count > 0 else { return [] }
    defer {
      held[0].newcomers.removeFirst(count)
      held[0].awaitingCount = 0
      trim()
    }
    return Array(held[0].newcomers.prefix(count))
  }

  /// Adds observers that were told ``status``.
  mutating func append(_ new: [Observer]) {
    if held.isEmpty { held = [Extras()] }
    defer { trim() }
    if let only = observer {
      observer = nil
      held[0].observers = [only]
    } else if held[0].observers.isEmpty, new.count == 1 {
      observer = new[0]
      return
    }
    held[0].observers += new
  }

  /// Takes an observer out; returns whether it was there.
  mutating func remove(_ old: Observer) -> Bool {
    if observer === old {
      observer = nil
      return true
    }
    guard !held.isEmpty else { return false }
    defer { trim() }
    if let place = held[0].observers.firstIndex(where: { $0 === old }) {
      held[0].observers.remove(at: place)
      if held[0].observers.count == 1 {
        observer = held[0].observers[0]
        held[0].observers = []
      }
    } else if let place = held[0].newcomers.firstIndex(where: { $0 === old }) {
      held[0].newcomers.remove(at: place)
      if place < held[0].awaitingCount { held[0].awaitingCount -= 1 }
    } else if let place = held[0].early.firstIndex(where: { $0.observer === old }) {
      held[0].early.remove(at: place)
    } else {
      return false
    }
    return true
  }

  private mutating func trim() {
    if held.first?.isEmpty == true { held = [] }
  }
}
