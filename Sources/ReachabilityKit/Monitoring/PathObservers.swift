// SPDX-License-Identifier: Apache-2.0
import POSIX

/// Decides which observers receive which path, and when it is evaluated again.
///
/// Pure, as ``MonitorStateMachine`` is. One evaluation serves all observers, whatever their requirements.
struct PathObservers<Observer: AnyObject & Sendable>: Sendable {
  /// A path and its observers, in the order in which they were added.
  struct Delivery: Sendable {
    var path: ReachabilityPath
    var observers: [Observer]
  }

  private struct Entry: Sendable {
    var observers: [Observer] = []
    /// Observers that received nothing yet, in the order in which they joined.
    var newcomers: [Observer] = []
    /// The number of newcomers when the path was last evaluated.
    var awaitingCount = 0
    var path: ReachabilityPath?

    /// Removes an observer; returns whether none is left.
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
  private var rechecks: [Moment] = []
  private var isEvaluationWanted = false

  var isEmpty: Bool { entries.isEmpty }

  /// The moment of the next call to ``needsEvaluation(after:now:)`` if nothing changes.
  var nextDeadline: Moment? {
    isEmpty ? nil : .earliest(expiry.end, rechecks.first)
  }

  /// Adds an observer; it receives the next evaluated path, which is never older than it.
  mutating func add(_ observer: Observer, for requirements: ReachabilityPath.Requirements) {
    entries[requirements, default: Entry()].newcomers.append(observer)
    isEvaluationWanted = true
  }

  /// Removes an observer, whatever its requirements, of which there are few different ones.
  mutating func remove(_ observer: Observer) {
    for requirements in entries.keys where entries[requirements]?.remove(observer) == true {
      entries[requirements] = nil
    }
    // Without observers the path is not kept up to date.
    if isEmpty { self = PathObservers() }
  }

  /// Returns whether the path has to be evaluated now, for all present observers.
  mutating func needsEvaluation(after change: NetworkChange, now: Moment) -> Bool {
    guard !isEmpty, isOccasion(change, now: now) else { return false }
    for requirements in entries.keys {
      let count = entries[requirements]?.newcomers.count ?? 0
      entries[requirements]?.awaitingCount = count
    }
    return true
  }

  private mutating func isOccasion(_ change: NetworkChange, now: Moment) -> Bool {
    var isDue =
      isEvaluationWanted || change.everything || change.linkDetails || change.names || change.nextHops
    isEvaluationWanted = false
    if expiry.expire(now) { isDue = true }
    while let moment = rechecks.first, moment <= now {
      rechecks.removeFirst()
      isDue = true
    }
    if change.others(.missed).contains(where: isTouched) { recheck(now: now) }
    if change.others(.imminent).contains(where: isTouched) {
      recheck(now: now)
      isDue = true
    }
    return isDue || change.prefixes.contains(where: isTouched)
  }

  /// The addresses whose routes decide the path.
  var addresses: [ReachabilityAddress] { isEmpty ? [] : evaluation?.routedAddresses ?? [] }

  /// Schedules evaluations soon, as after the announcement of a change that is about to take effect.
  private mutating func recheck(now: Moment) {
    rechecks = NetworkChange.rechecks(after: now)
  }

  private func isTouched(by prefix: IPPrefix) -> Bool {
    evaluation?.isTouched(by: prefix) ?? true
  }

  /// Takes an evaluation of the path, and returns the deliveries that follow from it.
  mutating func accept(_ evaluation: PathEvaluation, now: Moment) -> [Delivery] {
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
