// SPDX-License-Identifier: Apache-2.0
import Foundation
import TMReachability

/// The spellings of Objective-C that the module declares as unavailable.
///
/// Only an unavailable declaration may use them, so that compiling this file is the test.
@available(*, unavailable)
enum ObjectiveCNames {
  static func use(_ url: URL) {
    let instances: [TMReachability.Reachability?] = [
      Reachability.reachabilityWithHostname("example.com"),
      Reachability.reachabilityWithHostName("example.com"),
      Reachability.reachabilityWithURL(url), Reachability.reachabilityForInternetConnection(),
      Reachability.reachabilityForLocalWiFi(),
    ]
    _ = (instances, unsafe Reachability.reachabilityWithAddress)
  }
}
