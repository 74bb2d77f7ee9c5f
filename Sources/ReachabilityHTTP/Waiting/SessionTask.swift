import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task of a session, as an asynchronous call.
final class SessionTask<Payload: Sendable>: Sendable {
  typealias Finish = @Sendable (Payload?, URLResponse?, (any Error)?) -> Void
  typealias Maker = (URLSession, @escaping Finish) -> URLSessionTask

  private let link = Link()
  private let task: URLSessionTask

  /// The state that the session's thread and the caller's share.
  private final class Link: Sendable {
    private struct State {
      var isRunning = false
      var continuation: CheckedContinuation<(Payload, URLResponse), any Error>?
    }

    private let state = Mutex(State())

    var isRunning: Bool { state.withLock(\.isRunning) }

    func setContinuation(_ continuation: CheckedContinuation<(Payload, URLResponse), any Error>) {
      state.withLock { $0.continuation = continuation }
    }

    func noteRunning() { state.withLock { $0.isRunning = true } }

    /// Delivers an outcome; only the first one counts.
    func finish(_ outcome: Result<(Payload, URLResponse), any Error>) {
      state.withLock { $0.continuation.take() }?.resume(with: outcome)
    }
  }

  /// Makes a task that does not run yet; the caller must run it.
  init(of session: URLSession, _ makeTask: Maker) {
    task = makeTask(session) { [link] payload, response, error in
      if let payload, let response, error == nil {
        link.finish(.success((payload, response)))
      } else {
        link.finish(.failure(error ?? URLError(.unknown)))
      }
    }
  }

  /// Runs the task to its end.
  ///
  /// Call it once. Cancelling the caller cancels the task.
  func result() async throws -> (Payload, URLResponse) {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        link.setContinuation(continuation)
        task.resume()
        link.noteRunning()
        if Task.isCancelled { task.cancel() }
      }
    } onCancel: {
      // A task that does not run yet may never report its cancellation.
      if link.isRunning { task.cancel() }
    }
  }
}
