// SPDX-License-Identifier: Apache-2.0

/// The limit of a wait in which only quiet time counts.
///
/// The time begins again with each event, and while the monitors are busy: what they are kept from delivering is not
/// missed. After a minute, the limit is reached in any case.
package struct QuietLimit {
  private let duration: Duration
  private var beginning = ContinuousClock.now
  private let end = ContinuousClock.now + .seconds(60)

  package init(_ duration: Duration) {
    self.duration = duration
  }

  package var isReached: Bool {
    let now = ContinuousClock.now
    return now >= beginning + duration || now >= end
  }

  /// Begins again after an event, or while the monitors are busy.
  package mutating func update(afterEvent hasEvent: Bool = false) {
    if hasEvent || MonitorThreads.areBusy { beginning = .now }
  }
}
