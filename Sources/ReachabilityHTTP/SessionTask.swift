import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task of a session, as an asynchronous call that is still there when it has failed.
///
/// `URLSession.data(for:)` does not tell whether its task was redirected.
final class SessionTask<Payload: Sendable>: Sendable {
  typealias Finish = @Sendable (Payload?, URLResponse?, (any Error)?) -> Void
  typealias Maker = (@escaping Finish) -> URLSessionTask

  private struct State {
    var continuation: CheckedContinuation<(Payload, URLResponse), any Error>?
    var outcome: Result<(Payload, URLResponse), any Error>?
  }

  private let state: Box
  private let task: URLSessionTask

  /// What the task's end is handed over by.
  private final class Box: Sendable {
    private let state = Mutex(State())

    func finish(_ outcome: Result<(Payload, URLResponse), any Error>) {
      let waiting = state.withLock { state in
        state.outcome = outcome
        return state.continuation.take()
      }
      waiting?.resume(with: outcome)
    }

    func await(_ continuation: CheckedContinuation<(Payload, URLResponse), any Error>) {
      let outcome = state.withLock { state in
        if state.outcome == nil { state.continuation = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }

  /// Makes a task, which does not run yet.
  init(_ makeTask: Maker) {
    let state = Box()
    self.state = state
    task = makeTask { payload, response, error in
      if let payload, let response, error == nil {
        state.finish(.success((payload, response)))
      } else {
        state.finish(.failure(error ?? URLError(.unknown)))
      }
    }
  }

  /// Runs the task to its end, once; it is cancelled together with the caller.
  func result() async throws -> (Payload, URLResponse) {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.await(continuation)
        task.resume()
        if Task.isCancelled { task.cancel() }
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// Whether a server answered: with a response, or by sending the task to another place.
  var wentOn: Bool {
    task.response != nil || task.currentRequest?.url != task.originalRequest?.url
      || task.currentRequest?.httpMethod != task.originalRequest?.httpMethod
  }
}
