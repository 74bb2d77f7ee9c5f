// SPDX-License-Identifier: Apache-2.0
import ExampleSupport
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A resumable download: a file holds the received part, and the next request asks for the rest.
final class Download: NSObject, URLSessionDataDelegate, Sendable {
  private struct State {
    var part: PartialFile
    /// Why this program ended a request, which the session reports as cancelled.
    var failure: (any Error)?
    var continuation: CheckedContinuation<Void, any Error>?
  }

  private let url: URL
  private let destination: String
  private let configuration: URLSessionConfiguration
  private let state: Mutex<State>

  /// - Parameter idle: The seconds without data after which a connection fails. TCP bridges shorter outages.
  init(of url: URL, to destination: String, idle: TimeInterval) throws {
    self.url = url
    self.destination = destination
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = idle
    self.configuration = configuration
    let part = try PartialFile(path: destination + ".part")
    state = Mutex(State(part: part))
  }

  /// The number of bytes received so far.
  var receivedBytes: Int { state.withLock { $0.part.size } }

  /// Requests the missing part, and returns when it is complete.
  func goOn() async throws {
    let request = state.withLock { state in
      state.failure = nil
      return state.part.request(for: url)
    }
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: request)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.continuation = continuation }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// Renames the file if it is complete.
  func finish() throws {
    try state.withLock { try $0.part.finish(as: destination) }
  }

  // MARK: Delegate methods

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
    attempt(dataTask) { part in say(try part.begin(with: response)) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    attempt(dataTask) { part in try part.append(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let (continuation, failure) = state.withLock { ($0.continuation.take(), $0.failure ?? error) }
    if let failure { continuation?.resume(throwing: failure) } else { continuation?.resume() }
  }

  /// Performs an action on the file, unless a previous one failed; the first failure ends the request.
  private func attempt(_ task: URLSessionTask, _ action: (inout PartialFile) throws -> Void) {
    state.withLock { state in
      guard state.failure == nil else { return }
      do {
        try action(&state.part)
      } catch {
        state.failure = error
        // On Linux the session ignores the disposition that answers a response.
        task.cancel()
      }
    }
  }
}
