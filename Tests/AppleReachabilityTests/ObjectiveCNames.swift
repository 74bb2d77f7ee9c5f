// SPDX-License-Identifier: Apache-2.0
import AppleReachability

/// The spellings of Objective-C that the module declares as unavailable.
///
/// Only an unavailable declaration may use them, so that compiling this file is the test.
@available(*, unavailable)
enum ObjectiveCNames {
  static func use() {
    let instances: [AppleReachability.Reachability?] = [
      Reachability.reachabilityWithHostName("example.com"), Reachability.reachabilityForInternetConnection(),
      Reachability.reachabilityForLocalWiFi(),
    ]
    _ = (instances, unsafe Reachability.reachabilityWithAddress)
  }
}
