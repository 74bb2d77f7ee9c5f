// SPDX-License-Identifier: Apache-2.0
import POSIX

/// A target with a settling time, its last status and its observers.
struct MonitorEntry<Observer: AnyObject & Sendable>: Sendable {
  typealias EntryID = TargetIndex.EntryID

  /// The parts that few entries have.
  struct Extras: Sendable {
    fileprivate var settling: Duration = .zero
    /// All observers that received ``MonitorEntry/status``, if there are several.
    fileprivate var observers: [Observer] = []
    /// Observers that received nothing yet, in their order.
    fileprivate var newcomers: [Observer] = []
    /// The number of newcomers at the last question.
    fileprivate var awaitingCount = 0
    /// Observers that joined while a change was held back, with the last status of each.
    var early: [(observer: Observer, status: ReachabilityStatus)] = []
    /// The answer for a host's name, with both families, and the targets that decide its status.
    var answer: NameAnswer?
    var parts: [ReachabilityTarget] = []
    /// The status that is delivered if it lasts until the moment.
    var pending: (status: ReachabilityStatus, until: Moment)?
    var expiry = Expiry()
    /// The moments of the next evaluations after a change that was announced before it took effect.
    var rechecks: [Moment] = []
    /// The earliest moment that the deadline queue holds for this entry.
    var wakes: Moment?

    /// The next moment at which the entry needs an evaluation or a delivery.
    var deadline: Moment? {
      .earliest(.earliest(pending?.until, expiry.end), rechecks.first)
    }

    fileprivate var isEmpty: Bool {
      settling == .zero && observers.isEmpty && newcomers.isEmpty && early.isEmpty && answer == nil
        && parts.isEmpty && deadline == nil && wakes == nil && expiry.isEmpty
    }
  }

  let target: ReachabilityTarget
  /// The observer that received ``status``, if it is the only one.
  private(set) var observer: Observer?
  /// The last status of all observers but the ones that joined lately.
  var status: ReachabilityStatus?
  /// At most one: an array is stored apart from the entry and changed in place.
  private var held: [Extras] = []
  let id: EntryID

  init(id: EntryID, _ key: MonitorStateMachine<Observer>.Key, _ observer: Observer) {
    self.id = id
    target = key.target
    self.observer = observer
    extras.settling = key.settling
  }

  /// Makes the placeholder of a free slot.
  init(freeSlotBefore next: EntryID) {
    id = next
    target = .defaultRoute
  }

  /// The answer for a host's name, and the targets that decide its status, once it is resolved.
  var host: (answer: NameAnswer, parts: [ReachabilityTarget])? {
    held.first.flatMap { extras in extras.answer.map { ($0.limited(to: target.family), extras.parts) } }
  }

  /// Whether there is nothing but one observer and its last status.
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

  /// The observers that received ``status``, in the order in which they joined.
  var observers: [Observer] {
    if let observer { [observer] } else { held.first?.observers ?? [] }
  }

  var isWatched: Bool {
    guard observer == nil, let extras = held.first else { return observer != nil }
    return !(extras.observers.isEmpty && extras.newcomers.isEmpty && extras.early.isEmpty)
  }

  /// Adds an observer that receives the next evaluation; returns whether it needs another question.
  mutating func join(_ new: Observer) -> Bool {
    if held.isEmpty { held = [Extras()] }
    held[0].newcomers.append(new)
    return held[0].newcomers.count == held[0].awaitingCount + 1
  }

  /// Notes that the entry is evaluated now: the answer is not older than its present observers.
  mutating func recordQuestion() {
    guard !held.isEmpty else { return }
    held[0].awaitingCount = held[0].newcomers.count
  }

  /// Removes the observers that waited for this answer.
  mutating func removeAwaiting() -> [Observer] {
    guard let count = held.first?.awaitingCount, count > 0 else { return [] }
    defer {
      held[0].newcomers.removeFirst(count)
      held[0].awaitingCount = 0
      trim()
    }
    return Array(held[0].newcomers.prefix(count))
  }

  /// Adds observers that received ``status``.
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

  /// Removes an observer; returns whether it was there.
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

/// The end of an answer's validity: of a route's lifetime, which the kernel does not announce in time.
struct Expiry: Sendable {
  /// The end, while it is in the future.
  private(set) var end: Moment?
  /// The end that has come, until there is another answer.
  private var ended: Moment?

  var isEmpty: Bool { end == nil && ended == nil }

  /// Returns whether the end has come; once for each.
  mutating func expire(_ now: Moment) -> Bool {
    guard let end, end <= now else { return false }
    ended = end
    self.end = nil
    return true
  }

  /// Takes the lifetime of another answer, `nil` for unlimited.
  ///
  /// - Returns: Whether it is doubtful that there is no end. The kernel counts ends in hundredths of a second and reports
  ///   none for the last one, and its clock may be a little behind.
  mutating func renew(for lifetime: Duration?, now: Moment) -> Bool {
    let last = ended ?? end
    ended = nil
    end = lifetime.map { now.advanced(by: $0) }
    guard lifetime == nil, let last else { return false }
    return last <= now.advanced(by: .milliseconds(50))
  }
}
