/// Decides who is told what of the path: observers by what they require, and when to ask again.
///
/// Pure, as ``MonitorStateMachine`` is. The path is worked out once for all observers, whatever they require.
struct PathBoard<Observer: AnyObject & Sendable>: Sendable {
  typealias Instant = SuspendingClock.Instant

  /// A path and those who are to be told, in the order in which they came.
  struct Delivery: Sendable {
    var path: NetworkPath
    var observers: [Observer]
  }

  private struct Entry: Sendable {
    var observers: [Observer] = []
    /// What the observers were told last.
    var path: NetworkPath?
  }

  private var entries: [NetworkPath.Requirements: Entry] = [:]
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

  /// Adds an observer; it is told the path at once if it is known, else when it is.
  mutating func add(_ observer: Observer, for requirements: NetworkPath.Requirements) -> Delivery? {
    var entry = entries[requirements] ?? Entry(path: evaluation?.path(for: requirements))
    entry.observers.append(observer)
    entries[requirements] = entry
    guard let path = entry.path else {
      isAskingWanted = true
      return nil
    }
    return Delivery(path: path, observers: [observer])
  }

  /// Takes an observer out, whatever it requires; that is not many different things.
  mutating func remove(_ observer: Observer) {
    for requirements in entries.keys { remove(observer, for: requirements) }
  }

  /// Takes an observer out.
  mutating func remove(_ observer: Observer, for requirements: NetworkPath.Requirements) {
    guard var entry = entries[requirements],
      let position = entry.observers.firstIndex(where: { $0 === observer })
    else { return }
    entry.observers.remove(at: position)
    entries[requirements] = entry.observers.isEmpty ? nil : entry
    // Nobody follows the path from now on, so what is known of it grows old.
    if isEmpty { self = PathBoard() }
  }

  /// Returns whether the path has to be worked out now.
  mutating func take(_ change: NetworkChange, now: Instant) -> Bool {
    guard !isEmpty else { return false }
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
    for (requirements, entry) in entries {
      let path = evaluation.path(for: requirements)
      guard path != entry.path else { continue }
      entries[requirements]?.path = path
      deliveries.append(Delivery(path: path, observers: entry.observers))
    }
    return deliveries
  }
}
