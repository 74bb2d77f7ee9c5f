#if os(Linux)
import Synchronization

/// A signal to the engine's thread that metering information changed.
final class MeteringNews: Sendable {
  private let isWaiting = Mutex(false)
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func announce() {
    isWaiting.withLock { $0 = true }
    wake()
  }

  /// Returns whether a change was announced since the last call.
  func take() -> Bool {
    isWaiting.withLock { isWaiting in
      defer { isWaiting = false }
      return isWaiting
    }
  }
}
#endif
