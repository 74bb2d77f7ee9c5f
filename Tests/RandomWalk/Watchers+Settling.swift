// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit
import SearchSupport

extension Watchers {
  /// A target whose observer has not received the present status.
  struct Delay {
    var target: ReachabilityTarget
    var delivered: ReachabilityStatus?
    var present: ReachabilityStatus
  }

  /// Waits until every observer has received the present status of its target.
  ///
  /// An observer is late once nothing was delivered for a time in which the monitors waited for events.
  ///
  /// - Returns: The observers that are late; empty if none is.
  func settle(_ targets: [ReachabilityTarget], of monitor: ReachabilityMonitor, within duration: Duration)
    -> [Delay]
  {
    var limit = QuietLimit(duration)
    while true {
      let present = targets.map { ($0, monitor.currentStatus(of: $0)) }
      let delivered = statuses
      let delays = present.compactMap { target, status in
        delivered[target] == status
          ? nil : Delay(target: target, delivered: delivered[target], present: status)
      }
      if delays.isEmpty || limit.isReached { return delays }
      limit.update(afterEvent: waitForEvent())
    }
  }
}
