import ReachabilityKit

/// Decides what a target's flags are while it is scheduled, and when its callback is due.
///
/// Pure. A period lasts from the first scheduling to the last unscheduling. Events of an earlier one are ignored.
struct CallbackMachine: Sendable {
  typealias PeriodID = UInt64

  private struct Period {
    let id: PeriodID
    /// Whether a name's guaranteed first callback is still to come.
    var awaitsFirst: Bool
    /// The status of the default path, which speaks for a name that is not resolved.
    var general: ReachabilityStatus
    /// The target's own status, as far as it is known.
    var own: ReachabilityStatus?
    /// What the last callback told, or what was there when the period began.
    var told: Reading
  }

  let subject: Subject
  private var period: Period?
  private var lastID: PeriodID = 0

  init(_ subject: Subject) {
    self.subject = subject
  }

  /// Whether this is the period that lasts now.
  func isIn(_ id: PeriodID) -> Bool { period?.id == id }

  /// What the flags are read from, or `nil` where the target is not scheduled.
  var reading: Reading? { period.map { reading(in: $0) } }

  /// Whether a name's look-up is under way, and there was no answer yet.
  var isResolving: Bool {
    guard case .address = subject.kind else { return period.map { $0.own == nil } ?? false }
    return false
  }

  /// Begins a period, with the status of the target that is known without resolving any name.
  mutating func begin(_ status: ReachabilityStatus) -> PeriodID {
    lastID += 1
    var awaitsFirst = true
    if case .address = subject.kind { awaitsFirst = false }
    var begun = Period(
      id: lastID, awaitsFirst: awaitsFirst, general: status, told: subject.unscheduledReading(status))
    if subject.isKnownUnscheduled { note(status, in: &begun) }
    period = begun
    return lastID
  }

  mutating func end() {
    period = nil
  }

  /// Notes the target's own status; returns whether the callback is due.
  mutating func note(own: ReachabilityStatus, in id: PeriodID) -> Bool {
    guard var period, period.id == id else { return false }
    note(own, in: &period)
    return finish(period, isFirst: period.awaitsFirst && period.own != nil)
  }

  /// Notes the default path's status; returns whether the callback is due.
  mutating func note(general: ReachabilityStatus, in id: PeriodID) -> Bool {
    guard var period, period.id == id else { return false }
    period.general = general
    return finish(period, isFirst: false)
  }

  /// Returns the flags for somebody who asks for them, `nil` if they can't be told.
  ///
  /// Who knows the flags needs no first callback any more.
  mutating func readFlags() -> SCNetworkReachabilityFlags? {
    period?.awaitsFirst = false
    return reading?.flags
  }

  private func note(_ own: ReachabilityStatus, in period: inout Period) {
    switch subject.kind {
    case .address: period.own = own
    // While it can't be told, what was known of a name last is the best answer.
    case .host, .impossibleName: if own.state != .unknown { period.own = own }
    }
  }

  private func reading(in period: Period) -> Reading {
    period.own.map { Reading(of: $0, about: subject) } ?? Reading(optimistic: period.general)
  }

  private mutating func finish(_ changed: Period, isFirst: Bool) -> Bool {
    var changed = changed
    let reading = reading(in: changed)
    // Flags that can't be told for a while, and then are as before, are no change.
    let isDue = reading.flags != nil && (isFirst || reading != changed.told)
    if isDue {
      changed.told = reading
      changed.awaitsFirst = false
    }
    period = changed
    return isDue
  }
}
