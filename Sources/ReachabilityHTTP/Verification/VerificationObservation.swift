import Dispatch
import Synchronization

/// An observation that verifies, which lasts until it is cancelled or nobody holds this token any more.
///
/// Safe to use from any thread.
public final class VerificationObservation: Sendable {
  private final class Handler: Sendable {
    let call: Mutex<(@Sendable (VerifiedStatus) -> Void)?>

    init(_ call: @escaping @Sendable (VerifiedStatus) -> Void) { self.call = Mutex(call) }
  }

  private let handler: Handler
  private let task: Task<Void, Never>

  package init(
    of statuses: VerifiedStatuses, on queue: DispatchQueue,
    handler: @escaping @Sendable (VerifiedStatus) -> Void
  ) {
    let handler = Handler(handler)
    self.handler = handler
    task = Task {
      for await status in statuses {
        // One turn at a time, so that a slow handler gets the newest status next.
        await withCheckedContinuation { turn in
          queue.async {
            handler.call.withLock(\.self)?(status)
            turn.resume()
          }
        }
      }
    }
  }

  /// Ends the observation: its handler is not started any more, but one that runs on another thread runs to its end.
  ///
  /// May be called from the handler, and more than once.
  public func cancel() {
    // What it captured goes outside of the lock.
    _ = handler.call.withLock { $0.take() }
    task.cancel()
  }

  deinit { cancel() }
}
