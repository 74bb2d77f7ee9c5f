// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A variable that several threads share.
package final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  package init(_ value: Value) { state = Mutex(value) }

  package var value: Value { state.withLock { $0 } }

  /// Changes the value and returns the old one, whose release must not happen under the lock.
  @discardableResult
  package func set(_ value: Value) -> Value {
    state.withLock { state in
      defer { state = value }
      return state
    }
  }
}
