// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Waits with a limit.
enum Deadline {
  /// Waits until a condition holds; records an issue after the limit.
  static func wait(_ event: String, seconds: TimeInterval = 10, _ condition: () -> Bool) {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !condition() {
      guard Date() < deadline else {
        Issue.record("not in time: \(event)")
        return
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }
}
