import Dispatch
import ReachabilityKit
import Synchronization

extension ReachabilityVerification {
  /// An observation that verifies, which lasts until it is cancelled or nobody holds this token any more.
  ///
  /// Safe to use from any thread.
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
        // What it captured goes outside of the lock.
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
          // One turn at a time, so that a slow handler gets the newest status next.
          await withCheckedContinuation { turn in
            queue.async {
              handler(status)
              turn.resume()
            }
          }
        }
      }
    }

    /// Ends the observation: after this returns, its handler is not started any more.
    ///
    /// A handler that runs on another thread is waited for as by `ReachabilityObservation.cancel()`, for 50 milliseconds as a rule, and then
    /// runs on to its end. May be called from the handler, and more than once.
    public func cancel() {
      task.cancel()
      handler.cancel()
    }

    deinit { cancel() }
  }
}
