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

  /// By what the session's thread and the caller's know of each other.
  private final class Link: Sendable {
    private struct State {
      var isRunning = false
      var continuation: CheckedContinuation<(Payload, URLResponse), any Error>?
    }

    private let state = Mutex(State())

    var isRunning: Bool { state.withLock(\.isRunning) }

    func expect(by continuation: CheckedContinuation<(Payload, URLResponse), any Error>) {
      state.withLock { $0.continuation = continuation }
    }

    func begin() { state.withLock { $0.isRunning = true } }

    /// Hands an outcome over; a second one is not heeded.
    func finish(_ outcome: Result<(Payload, URLResponse), any Error>) {
      state.withLock { $0.continuation.take() }?.resume(with: outcome)
    }
  }

  /// Makes a task, which does not run yet; it has to be run.
  init(of session: URLSession, _ makeTask: Maker) {
    task = makeTask(session) { [link] payload, response, error in
      if let payload, let response, error == nil {
        link.finish(.success((payload, response)))
      } else {
        link.finish(.failure(error ?? URLError(.unknown)))
      }
    }
  }

  /// Runs the task to its end, once; it is cancelled together with the caller.
  func result() async throws -> (Payload, URLResponse) {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        link.expect(by: continuation)
        task.resume()
        link.begin()
        if Task.isCancelled { task.cancel() }
      }
    } onCancel: {
      // A task that does not run yet may never tell that it was cancelled.
      if link.isRunning { task.cancel() }
    }
  }
}

/// Notices that a session is invalidated, which only its tasks hear of: one that never runs is cancelled with the session.
struct SessionHold {
  private let task: URLSessionTask?

  init(on session: URLSession, whenInvalidated: @escaping @Sendable () -> Void) {
    // Of an address that asks nobody.
    task = URL(string: "data:,").map { session.dataTask(with: $0) { _, _, _ in whenInvalidated() } }
  }

  /// Lets go of the session.
  func end() { task?.cancel() }
}
