import Dispatch
import Synchronization

/// A value that one thread determines and another one waits for.
package final class Handover<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  package init() {}

  /// Delivers the value; called once.
  package func fulfil(_ value: Value) {
    self.value.withLock { $0 = value }
    isDone.signal()
  }

  /// Blocks until the value is delivered; called once.
  package func wait() -> Value {
    while true {
      isDone.wait()
      if let value = value.withLock({ $0 }) { return value }
    }
  }
}
