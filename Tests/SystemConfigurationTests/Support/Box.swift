// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// A value that another thread provides.
final class Box<Value: Sendable>: Sendable {
  private let content = Mutex<Value?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func fill(_ value: Value) {
    content.withLock { $0 = value }
    isThere.signal()
  }

  /// Returns the value, waiting for it; `nil` after the limit.
  func value(seconds: Int = 20) -> Value? {
    _ = isThere.wait(timeout: .now() + .seconds(seconds))
    return content.withLock { $0 }
  }
}
