import CommandLineSupport
import Dispatch
import Synchronization

/// The time limit of a command, which ends it only after the initial values are written.
final class Timeout: Sendable {
  private let missing: Mutex<Int>
  private let deadline: DispatchTime?
  private let handler: @Sendable () -> Void

  /// Starts the time limit.
  ///
  /// - Parameters:
  ///   - duration: The limit; `nil` for none.
  ///   - count: The number of initial values to wait for.
  ///   - handler: The handler, called when the time is over.
  init(after duration: Duration?, initialValues count: Int, _ handler: @escaping @Sendable () -> Void) {
    missing = Mutex(count)
    deadline = duration.map { .now() + $0.interval }
    self.handler = handler
    guard let deadline else { return }
    // A reader that has stopped reading blocks the initial values, but must not delay the end for longer.
    DispatchQueue.global().asyncAfter(deadline: deadline + .seconds(1)) { handler() }
  }

  /// Notes that one initial value is written.
  func noteInitial() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    guard isLast, let deadline else { return }
    DispatchQueue.global().asyncAfter(deadline: deadline, execute: handler)
  }
}
