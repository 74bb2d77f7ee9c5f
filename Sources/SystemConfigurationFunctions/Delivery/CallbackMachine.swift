// SPDX-License-Identifier: Apache-2.0
import Dispatch
import ReachabilityKit
import Synchronization

/// The flags of a scheduled target, and the decision when its callback is due.
///
/// Pure. A period lasts from the first scheduling to the last unscheduling. Events of an earlier period are ignored.
struct CallbackMachine: Sendable {
  typealias PeriodID = UInt64

  /// How long a name's first callback waits for an answer.
  ///
  /// Apple's comes at once, without an answer. With one that arrives in time, this is the only call.
  static var answerLimit: DispatchTimeInterval { .seconds(1) }

  private struct Period {
    let id: PeriodID
    /// Whether a name's guaranteed first callback is still due.
    var awaitsFirst: Bool
    /// The status of the default path, which stands for a name that is not resolved.
    var general: ReachabilityStatus
    /// The last known status of the target itself.
    var own: ReachabilityStatus?
    /// The reading at the last callback, or at the beginning of the period.
    var delivered: Reading
  }

  let subject: Subject
  private var period: Period?
  private var lastID: PeriodID = 0

  init(_ subject: Subject) {
    self.subject = subject
  }

  /// Whether this is the current period.
  func isIn(_ id: PeriodID) -> Bool { period?.id == id }

  /// The values behind the flags, or `nil` if the target is not scheduled.
  var reading: Reading? { period.map { reading(in: $0) } }

  /// Whether a name's lookup is running and has had no answer in this period.
  var isResolving: Bool {
    guard case .address = subject.kind else { return period.map { $0.own == nil } ?? false }
    return false
  }

  /// Begins a period, with the status that is known without a lookup.
  mutating func begin(_ status: ReachabilityStatus) -> PeriodID {
    lastID += 1
    var awaitsFirst = true
    if case .address = subject.kind { awaitsFirst = false }
    var begun = Period(
      id: lastID, awaitsFirst: awaitsFirst, general: status, delivered: subject.unscheduledReading(status))
    if subject.isKnownUnscheduled { record(status, in: &begun) }
    period = begun
    return lastID
  }

  mutating func end() {
    period = nil
  }

  /// Records the target's own status; returns whether the callback is due.
  mutating func record(own: ReachabilityStatus, in id: PeriodID) -> Bool {
    guard var period, period.id == id else { return false }
    record(own, in: &period)
    return finish(period, isFirst: period.awaitsFirst && period.own != nil)
  }

  /// Records the default path's status; returns whether the callback is due.
  mutating func record(general: ReachabilityStatus, in id: PeriodID) -> Bool {
    guard var period, period.id == id else { return false }
    period.general = general
    return finish(period, isFirst: false)
  }

  /// Records that a name had no answer in time; returns whether the callback is due, with the default path's flags.
  mutating func recordSilence(in id: PeriodID) -> Bool {
    guard let period, period.id == id, period.awaitsFirst else { return false }
    return finish(period, isFirst: true)
  }

  /// Returns the flags for a caller, `nil` if they are unknown.
  ///
  /// A caller that has read the flags needs no first callback.
  mutating func readFlags() -> SCNetworkReachabilityFlags? {
    period?.awaitsFirst = false
    return reading?.flags
  }

  private func record(_ own: ReachabilityStatus, in period: inout Period) {
    switch subject.kind {
    case .address: period.own = own
    // While a name's status is unknown, its last known status is the best answer.
    case .host, .impossibleName: if own.state != .unknown { period.own = own }
    }
  }

  private func reading(in period: Period) -> Reading {
    period.own.map { Reading(of: $0, about: subject) } ?? Reading(optimistic: period.general)
  }

  private mutating func finish(_ changed: Period, isFirst: Bool) -> Bool {
    var changed = changed
    let reading = reading(in: changed)
    // Flags that are unknown for a while and then the same as before are no change.
    let isDue = reading.flags != nil && (isFirst || reading != changed.delivered)
    if isDue {
      changed.delivered = reading
      changed.awaitsFirst = false
    }
    period = changed
    return isDue
  }
}

/// The observations of one period, which end together.
final class Subscription: Sendable {
  /// The running observations, `nil` once the period has ended.
  private let observations = Mutex<[ReachabilityObservation]?>([])

  /// Adds an observation, which ends immediately if the period has ended.
  func add(_ observation: ReachabilityObservation) {
    let isOver = observations.withLock { observations in
      observations?.append(observation)
      return observations == nil
    }
    if isOver { observation.cancelWithoutWaiting() }
  }

  /// Ends all observations without waiting for running handlers.
  func end() {
    let ended = observations.withLock { $0.take() }
    ended?.forEach { $0.cancelWithoutWaiting() }
  }
}
