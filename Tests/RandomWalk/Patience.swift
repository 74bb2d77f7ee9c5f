// SPDX-License-Identifier: Apache-2.0
import SearchSupport

/// How long a difference may last while nothing changes.
///
/// The time begins again with each event, and while the monitors are busy: what they are kept from delivering is not
/// missed.
struct Patience {
  private let duration: Duration
  private var beginning = SuspendingClock.now
  private let end = SuspendingClock.now + .seconds(60)

  init(_ duration: Duration) {
    self.duration = duration
  }

  var isOver: Bool {
    let now = SuspendingClock.now
    return now >= beginning + duration || now >= end
  }

  mutating func wait(for watchers: Watchers) {
    if watchers.waitForEvent() || MonitorThreads.areBusy { beginning = .now }
  }
}
