/// Decides who is told what of the path: observers by what they require, and when to ask again.
///
/// Pure, as ``MonitorStateMachine`` is. The path is worked out once for all observers, whatever they require.
struct PathBoard<Observer: AnyObject & Sendable>: Sendable {
  typealias Instant = SuspendingClock.Instant

  /// A path and those who are to be told, in the order in which they came.
  struct Delivery: Sendable {
    var path: ReachabilityPath
    var observers: [Observer]
  }

  private struct Entry: Sendable {
    /// Those that were told ``path``.
    var observers: [Observer] = []
    /// Those that joined and were told nothing yet, in the order in which they came.
    var newcomers: [Observer] = []
    /// How many of them were there when the path was last asked for.
    var awaitingCount = 0
    /// What the observers were told last.
    var path: ReachabilityPath?

    /// Takes an observer out; returns whether nobody is left.
    mutating func remove(_ observer: Observer) -> Bool {
      if let place = observers.firstIndex(where: { $0 === observer }) {
        observers.remove(at: place)
      } else if let place = newcomers.firstIndex(where: { $0 === observer }) {
        newcomers.remove(at: place)
        if place < awaitingCount { awaitingCount -= 1 }
      }
      return observers.isEmpty && newcomers.isEmpty
    }
  }

  private var entries: [ReachabilityPath.Requirements: Entry] = [:]
  private var evaluation: PathEvaluation?
  private var expiry = Expiry()
  private var rechecks: [Instant] = []
  private var isAskingWanted = false

  /// Whether nobody watches the path.
  var isEmpty: Bool { entries.isEmpty }

  /// When ``take(_:now:)`` should be called even if nothing changes.
  var nextDeadline: Instant? {
    isEmpty ? nil : earliest(expiry.end, rechecks.first)
  }

  /// Adds an observer; it is told the path that is asked for next, which is never older than it.
  mutating func add(_ observer: Observer, for requirements: ReachabilityPath.Requirements) {
    entries[requirements, default: Entry()].newcomers.append(observer)
    isAskingWanted = true
  }

  /// Takes an observer out, whatever it requires; that is not many different things.
  mutating func remove(_ observer: Observer) {
    for requirements in entries.keys { remove(observer, for: requirements) }
  }

  /// Takes an observer out.
  mutating func remove(_ observer: Observer, for requirements: ReachabilityPath.Requirements) {
    if entries[requirements]?.remove(observer) == true { entries[requirements] = nil }
    // Nobody follows the path from now on, so what is known of it grows old.
    if isEmpty { self = PathBoard() }
  }

  /// Returns whether the path has to be worked out now, whose answer is then for all observers that are there.
  mutating func take(_ change: NetworkChange, now: Instant) -> Bool {
    guard !isEmpty, isOccasion(change, now: now) else { return false }
    for requirements in entries.keys {
      let count = entries[requirements]?.newcomers.count ?? 0
      entries[requirements]?.awaitingCount = count
    }
    return true
  }

  private mutating func isOccasion(_ change: NetworkChange, now: Instant) -> Bool {
    var isAsking = isAskingWanted || change.everything || change.linkDetails || change.names
    isAskingWanted = false
    if expiry.hasCome(now) { isAsking = true }
    while let moment = rechecks.first, moment <= now {
      rechecks.removeFirst()
      isAsking = true
    }
    if change.imminent.contains(where: isTouched) {
      recheck(now: now)
      isAsking = true
    }
    return isAsking || change.prefixes.contains(where: isTouched)
  }

  /// The addresses whose routes decide about the path.
  var addresses: [IPAddress] { isEmpty ? [] : evaluation?.routedAddresses ?? [] }

  /// Has the path worked out again soon, as after an announcement of what is about to be.
  mutating func recheck(now: Instant) {
    rechecks = NetworkChange.rechecks(after: now)
  }

  private func isTouched(by prefix: IPPrefix) -> Bool {
    evaluation?.isTouched(by: prefix) ?? true
  }

  /// Takes what is known of the path now and returns who is to be told of it.
  mutating func accept(_ evaluation: PathEvaluation, now: Instant) -> [Delivery] {
    self.evaluation = evaluation
    if expiry.renew(for: evaluation.lifetime, now: now) { recheck(now: now) }
    var deliveries: [Delivery] = []
    for requirements in entries.keys {
      guard var entry = entries.removeValue(forKey: requirements) else { continue }
      let path = evaluation.path(for: requirements)
      if path != entry.path, !entry.observers.isEmpty {
        deliveries.append(Delivery(path: path, observers: entry.observers))
      }
      entry.path = path
      if entry.awaitingCount > 0 {
        let joining = Array(entry.newcomers.prefix(entry.awaitingCount))
        entry.newcomers.removeFirst(entry.awaitingCount)
        entry.awaitingCount = 0
        entry.observers += joining
        deliveries.append(Delivery(path: path, observers: joining))
      }
      entries[requirements] = entry
    }
    return deliveries
  }
}
