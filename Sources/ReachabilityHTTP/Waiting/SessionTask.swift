// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task of a session, as an asynchronous call.
final class SessionTask<Payload: ResponsePayload>: Sendable {
  typealias Finish = @Sendable (Payload?, URLResponse?, (any Error)?) -> Void
  typealias Maker = @Sendable (URLSession, URLRequest, @escaping Finish) -> URLSessionTask

  enum End: Sendable {
    case response(Payload, URLResponse)
    /// Somebody has to decide before the request goes on; a redirect has a response of its own.
    case question(TaskDelegate.Question, Payload?, URLResponse?)
  }

  private let task: URLSessionTask
  private let delegate: TaskDelegate
  private let continuation: Waiter

  private final class Waiter: Sendable {
    private let continuation = Mutex<CheckedContinuation<End, any Error>?>(nil)

    func set(_ new: CheckedContinuation<End, any Error>) { continuation.withLock { $0 = new } }

    /// Delivers an end; only the first one counts.
    func resume(with end: Result<End, any Error>) { continuation.withLock { $0.take() }?.resume(with: end) }
  }

  /// Makes a task that does not run yet; the caller must run it.
  ///
  /// - Parameter follow: Returns the request that follows a redirect; without it, a redirect ends the task.
  init(
    of session: URLSession, for request: URLRequest,
    following follow: (@Sendable (URLRequest) -> URLRequest)? = nil, _ makeTask: Maker
  ) {
    let (delegate, continuation) = (TaskDelegate(following: follow), Waiter())
    (self.delegate, self.continuation) = (delegate, continuation)
    task = makeTask(session, request) { payload, response, error in
      let question = delegate.end()
      if let question {
        continuation.resume(with: .success(.question(question, payload, response)))
      } else if let payload, let response, error == nil {
        continuation.resume(with: .success(.response(payload, response)))
      } else {
        continuation.resume(with: .failure(error ?? URLError(.unknown)))
      }
    }
    delegate.attach(to: task)
  }

  /// Runs the task to its end.
  ///
  /// Call it once. Cancelling the caller cancels the task.
  func end() async throws -> End {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        self.continuation.set(continuation)
        task.resume()
        delegate.recordRunning()
        if Task.isCancelled { delegate.cancel() }
      }
    } onCancel: {
      // A task that does not run yet may never report its cancellation.
      delegate.cancel()
    }
  }
}

/// The delegate of one task on Linux, where it ends the task as soon as somebody has to decide; and everywhere the
/// state that the session's threads and the caller's share.
///
/// Foundation for Linux ends the process if a decision comes after the end of the task, and waits for ever for one
/// about a challenge that has no answer.
final class TaskDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  enum Question: Sendable {
    case redirect(HTTPURLResponse, URLRequest)
    case challenge(URLAuthenticationChallenge)
  }

  private struct State {
    var task: URLSessionTask?
    var isRunning = false
    var isCancelled = false
    var question: Question?
  }

  private let state = Mutex(State())
  private let cancellation = DispatchSemaphore(value: 0)
  private let follow: (@Sendable (URLRequest) -> URLRequest)?

  init(following follow: (@Sendable (URLRequest) -> URLRequest)?) { self.follow = follow }

  /// Must be called before the task runs.
  func attach(to task: URLSessionTask) {
    state.withLock { $0.task = task }
    #if canImport(FoundationNetworking)
    task.delegate = self
    #endif
  }

  func recordRunning() { state.withLock { $0.isRunning = true } }

  /// Cancels the task if it runs.
  func cancel() {
    let task = state.withLock { state -> URLSessionTask? in
      guard state.isRunning, !state.isCancelled, let task = state.task else { return nil }
      state.isCancelled = true
      return task
    }
    guard let task else { return }
    SessionQueue.end { [cancellation] in
      task.cancel()
      cancellation.signal()
    }
  }

  /// Returns what somebody has to decide at the end of the task, unless it was cancelled.
  ///
  /// Only for the task's completion handler. Foundation for Linux forgets a task when that returns, and ends the
  /// process if some work of `cancel()` comes later. So this returns after that work.
  func end() -> Question? {
    let end = state.withLock { state in
      defer { state.task = nil }
      return state
    }
    guard end.isCancelled, let task = end.task else { return end.question }
    cancellation.wait()
    #if canImport(FoundationNetworking)
    let deadline = ContinuousClock.now + .seconds(10)
    // The work follows the reply of the cache, which comes from another queue; it sets the error first.
    while (task.error as? URLError)?.code != .cancelled, ContinuousClock.now < deadline {
      Thread.sleep(forTimeInterval: 0.001)
    }
    // Reads the priority on the queue of the work, and so after it.
    _ = task.priority
    #endif
    return nil
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let next = follow?(request)
    // Under the lock: Foundation's work for this must precede that for a cancellation.
    state.withLock { state in
      guard !state.isCancelled else { return }
      if next == nil { state.question = .redirect(response, request) }
      completionHandler(next)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    state.withLock { $0.question = .challenge(challenge) }
    completionHandler(.cancelAuthenticationChallenge, nil)
  }
}

/// What a task delivers besides the response: the body, or a file with it.
protocol ResponsePayload: Sendable {
  /// Returns the payload of a response whose body is not known.
  static func empty() throws -> Self

  /// Frees what a payload without a receiver occupies.
  func discard()
}

extension Data: ResponsePayload {
  static func empty() -> Data { Data() }

  func discard() {}
}

extension URL: ResponsePayload {
  /// A unique name in the temporary directory.
  private static var unusedFile: URL {
    FileManager.default.temporaryDirectory.appending(path: "download-\(UUID()).tmp")
  }

  static func empty() throws -> URL {
    let file = unusedFile
    try Data().write(to: file)
    return file
  }

  func discard() { try? FileManager.default.removeItem(at: self) }

  /// Moves the file to a unique name in the temporary directory, and returns that.
  func movedAside() throws -> URL {
    let file = Self.unusedFile
    try FileManager.default.moveItem(at: self, to: file)
    return file
  }
}

/// Calls a closure when a session is invalidated, and stands for a request in calls of the session's delegate.
///
/// A session reports its end only to its tasks, so this holds one that never runs and is cancelled with the session.
/// It has an identifier that no other task of the session has.
struct SessionHold {
  let task: URLSessionTask?

  init(on session: URLSession, for request: URLRequest, whenInvalidated: @escaping @Sendable () -> Void) {
    // A task whose URL no protocol serves would never end. One for a data URL always does.
    let request =
      request.url?.isForBrowsers == true ? request : URL(string: "data:,").map { URLRequest(url: $0) }
    task = request.map { session.dataTask(with: $0) { _, _, _ in whenInvalidated() } }
  }

  /// Releases the session.
  func release() { task?.cancel() }
}
