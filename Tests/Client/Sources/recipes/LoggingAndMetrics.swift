// SPDX-License-Identifier: Apache-2.0
import Dispatch
import ReachabilityKit
import ServerFrameworks

extension ReachabilityMonitor {
  func report(_ target: ReachabilityTarget, to logger: Logger) -> ReachabilityObservation {
    let dimensions = [("target", "\(target)")]
    let changes = Counter(label: "reachability_changes", dimensions: dimensions)
    let reachable = Gauge(label: "reachability_reachable", dimensions: dimensions)
    let overruns = Gauge(label: "reachability_overruns")
    return observe(target, on: DispatchQueue(label: "reachability.report")) { [weak self] event in
      let reason = event.status.reason?.rawValue ?? "none"
      logger.notice("\(target): \(event.status)", metadata: ["reason": "\(reason)"])
      if !event.isInitial { changes.increment() }
      reachable.record(event.status.isReachable ? 1 : 0)
      overruns.record(self?.diagnostics.overruns ?? 0)
    }
  }
}
