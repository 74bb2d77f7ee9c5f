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
  /// - Returns: The observers that are late; empty if none is.
  func settle(_ targets: [ReachabilityTarget], of monitor: ReachabilityMonitor, within limit: Duration)
    -> [Delay]
  {
    let deadline = SuspendingClock.now.advanced(by: limit)
    while true {
      let present = targets.map { ($0, monitor.currentStatus(of: $0)) }
      let delivered = statuses
      let delays = present.compactMap { target, status in
        delivered[target] == status
          ? nil : Delay(target: target, delivered: delivered[target], present: status)
      }
      if delays.isEmpty || SuspendingClock.now >= deadline { return delays }
      waitForEvent()
    }
  }
}
