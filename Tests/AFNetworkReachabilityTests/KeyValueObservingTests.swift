// SPDX-License-Identifier: Apache-2.0
#if canImport(ObjectiveC)
import DeadlineSupport
import Foundation
import Testing

@testable import AFNetworkReachability

@Suite(.deadline) struct KeyValueObservingTests {
  @Test func `KVO reports each property whose status changes`() {
    let log = EventLog()
    let manager = AFNetworkReachabilityManager(forDomain: "")
    let observations = [
      manager.observe(\.networkReachabilityStatus) { manager, _ in
        log.note(.observer(0, manager.networkReachabilityStatus))
      },
      manager.observe(\.isReachable) { manager, _ in
        log.note(.observer(1, manager.networkReachabilityStatus))
      },
    ]
    manager.setStatus(.reachableViaWiFi)
    #expect(log.all.count == 2)
    #expect(log.all.contains(.observer(0, .reachableViaWiFi)))
    #expect(log.all.contains(.observer(1, .reachableViaWiFi)))
    observations.forEach { $0.invalidate() }
  }
}
#endif
