// SPDX-License-Identifier: Apache-2.0
import AFNetworkReachability

/// The spellings of Objective-C that the module declares as unavailable.
///
/// Only an unavailable declaration may use them, so that compiling this file is the test.
@available(*, unavailable)
enum ObjectiveCNames {
  static func use() {
    let managers: [AFNetworkReachabilityManager] = [
      .sharedManager(), .manager(), .managerForDomain("example.com"),
    ]
    for manager in managers {
      manager.setReachabilityStatusChangeBlock { _ in }
      _ = [manager.reachable, manager.reachableViaWWAN, manager.reachableViaWiFi]
    }
    _ = unsafe AFNetworkReachabilityManager.managerForAddress
  }
}
