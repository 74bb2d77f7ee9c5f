// SPDX-License-Identifier: Apache-2.0
import AFNetworkReachability

/// AFNetworking's manager, in its four steps.
@MainActor
struct ManagerMonitor {
  // 1. The shared manager, whose target is the default path.
  private let manager = AFNetworkReachabilityManager.shared()

  func start() {
    // 2. A block, called on the main queue for each event.
    manager.setReachabilityStatusChange { status in
      ClassicMonitor.show("AFNetworking", AFStringFromNetworkReachabilityStatus(status))
    }
    // 3. The first event follows as soon as the main queue is free.
    manager.startMonitoring()
    // 4. The status may be read at any time; before the first event it is unknown.
    if manager.networkReachabilityStatus == .unknown {
      ClassicMonitor.show("AFNetworking", manager.localizedNetworkReachabilityStatusString())
    }
  }

  func stop() {
    manager.stopMonitoring()
    manager.setReachabilityStatusChange(nil)
  }
}
