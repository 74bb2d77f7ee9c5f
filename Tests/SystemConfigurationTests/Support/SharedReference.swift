// SPDX-License-Identifier: Apache-2.0
import SystemConfiguration

/// A target that a test shares with other threads.
// Safe to share: its functions may be called from any thread.
struct SharedReference: @unchecked Sendable {
  let target: SCNetworkReachability

  init(_ target: SCNetworkReachability) {
    self.target = target
  }
}
