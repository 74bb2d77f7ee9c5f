/// What is known about a target with a settling time, and who watches it.
struct MonitorEntry<Observer: AnyObject & Sendable>: Sendable {
  typealias EntryID = TargetIndex.EntryID
  typealias Instant = SuspendingClock.Instant

  /// What few entries have.
  struct Extras: Sendable {
    fileprivate var settling: Duration = .zero
    /// All observers, if there are several.
    fileprivate var observers: [Observer] = []
    /// What a host's name stands for, and the targets that its status is read from.
    var answer: NameAnswer?
    var parts: [Target] = []
    /// What will be told if it lasts until the moment.
    var pending: (status: Status, until: Instant)?
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
      settling == .zero && observers.isEmpty && answer == nil && parts.isEmpty && deadline == nil
        && wakes == nil && expiry.isEmpty
    }
  }

  let target: Target
  /// The only observer.
  private var observer: Observer?
  /// What the observers were told last.
  var status: Status?
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
  var host: (answer: NameAnswer, parts: [Target])? {
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

  /// Who watches, in the order in which they came.
  var observers: [Observer] {
    if let observer { [observer] } else { held.first?.observers ?? [] }
  }

  var isWatched: Bool { observer != nil || held.first?.observers.isEmpty == false }

  mutating func append(_ new: Observer) {
    guard let only = observer else {
      held[0].observers.append(new)
      return
    }
    observer = nil
    extras.observers = [only, new]
  }

  /// Takes an observer out; returns whether it was there.
  mutating func remove(_ old: Observer) -> Bool {
    if let observer {
      guard observer === old else { return false }
      self.observer = nil
      return true
    }
    guard !held.isEmpty, let position = held[0].observers.firstIndex(where: { $0 === old }) else {
      return false
    }
    held[0].observers.remove(at: position)
    if held[0].observers.count == 1 {
      observer = held[0].observers[0]
      extras.observers = []
    }
    return true
  }
}
