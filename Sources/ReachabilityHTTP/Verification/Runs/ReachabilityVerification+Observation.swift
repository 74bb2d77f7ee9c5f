import Dispatch
import ReachabilityKit
import Synchronization

extension ReachabilityVerification {
  /// An observation of the path and of repeated verifications.
  ///
  /// It ends when it is cancelled, or when the last reference to it goes away. Safe to use from any thread.
  public final class Observation: Sendable {
    private final class Handler: Sendable {
      private struct State {
        var call: (@Sendable (ReachabilityVerification.VerifiedStatus) -> Void)?
        var running = RunningHandler()
      }

      private let state: Mutex<State>

      init(_ call: @escaping @Sendable (ReachabilityVerification.VerifiedStatus) -> Void) {
        state = Mutex(State(call: call))
      }

      func callAsFunction(_ status: ReachabilityVerification.VerifiedStatus) {
        let call = state.withLock { state in
          if state.call != nil { state.running.begin() }
          return state.call
        }
        guard let call else { return }
        call(status)
        state.withLock { $0.running.end() }
      }

      func cancel() {
        let (call, wait) = state.withLock { ($0.call.take(), $0.running.waiter()) }
        // Destroys what the handler captured, outside the lock.
        _ = consume call
        wait?()
      }
    }

    private let handler: Handler
    private let task: Task<Void, Never>

    package init(
      of statuses: ReachabilityVerification.VerifiedStatuses, on queue: DispatchQueue,
      handler: @escaping @Sendable (ReachabilityVerification.VerifiedStatus) -> Void
    ) {
      let handler = Handler(handler)
      self.handler = handler
      task = Task {
        for await status in statuses {
          // One call at a time, so that a slow handler receives the newest status next.
          await withCheckedContinuation { turn in
            queue.async {
              handler(status)
              turn.resume()
            }
          }
        }
      }
    }

    /// Ends the observation: after this returns, no call of its handler begins.
    ///
    /// If the handler is running on another thread, this waits for it as `ReachabilityObservation.cancel()` does: for
    /// 50 milliseconds as a rule, after which the handler runs on to its end. May be called from the handler, and
    /// more than once.
    public func cancel() {
      task.cancel()
      handler.cancel()
    }

    deinit { cancel() }
  }
}
