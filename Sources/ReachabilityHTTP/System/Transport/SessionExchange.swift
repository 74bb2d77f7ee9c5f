// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request by `URLSession` and its answer, of which only the requested part is kept.
///
/// For systems on which libcurl's functions cannot be called directly: all but Linux with glibc.
final class SessionExchange: NSObject, URLSessionDataDelegate, Sendable {
  private typealias Continuation = CheckedContinuation<HTTPAnswer, any Error>

  private struct State {
    var session: URLSession?
    var continuation: Continuation?
    var response: HTTPURLResponse?
    var body = Data()
    var result: Result<HTTPAnswer, any Error>?
  }

  private let bodyLimit: Int
  private let timeout: TimeInterval
  private let state = Mutex(State())

  init(bodyLimit: Int, timeout: Duration) {
    self.bodyLimit = bodyLimit
    // Foundation for Linux rounds down to whole seconds.
    self.timeout = max((timeout / .seconds(1)).rounded(.up), 1)
  }

  /// Starts the request, unless it has ended already.
  func start(_ request: URLRequest, _ continuation: CheckedContinuation<HTTPAnswer, any Error>) {
    let result = state.withLock { state in
      if state.result == nil { state.continuation = continuation }
      return state.result
    }
    if let result { return continuation.resume(with: result) }
    SessionQueue.start { [self] in
      guard state.withLock({ $0.result == nil }) else { return }
      // A new session: a connection kept from earlier says nothing about the network now.
      let session = URLSession(
        configuration: .memoryless, delegate: self, delegateQueue: SessionQueue.make())
      var request = request
      // Overrides the session's default of a minute, and the request's own limit.
      request.timeoutInterval = timeout
      session.dataTask(with: request).resume()
      let isStarted = state.withLock { state in
        if state.result == nil { state.session = session }
        return state.result == nil
      }
      if !isStarted { SessionQueue.end { session.invalidateAndCancel() } }
    }
  }

  /// Ends the request with a result; later results are ignored.
  func finish(_ result: Result<HTTPAnswer, any Error>) {
    let (session, continuation) = state.withLock { state -> (URLSession?, Continuation?) in
      guard state.result == nil else { return (nil, nil) }
      state.result = result
      state.body = Data()
      return (state.session.take(), state.continuation.take())
    }
    if let session { SessionQueue.end { session.invalidateAndCancel() } }
    continuation?.resume(with: result)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The redirect is the answer.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      state.withLock { $0.response = response }
      if bodyLimit == 0 { finish(.success(HTTPAnswer(response))) }
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let answer = state.withLock { state -> HTTPAnswer? in
      guard state.result == nil else { return nil }
      state.body.append(data.prefix(bodyLimit - state.body.count))
      guard state.body.count == bodyLimit, let response = state.response else { return nil }
      return HTTPAnswer(response, body: state.body)
    }
    if let answer { finish(.success(answer)) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { return finish(.failure(error)) }
    // A redirect without a Location is not reported before this call.
    let (response, body) = state.withLock { ($0.response ?? task.response as? HTTPURLResponse, $0.body) }
    finish(response.map { .success(HTTPAnswer($0, body: body)) } ?? .failure(URLError(.badServerResponse)))
  }
}

/// The queues of URL sessions: for their delegates, and for starting and ending them.
enum SessionQueue {
  #if canImport(FoundationNetworking)
  /// Runs each block on the session's own thread, so that the session reads no faster than the delegate.
  ///
  /// With a queue in between, an endless answer fills the memory. The delegate must not wait for the session, which
  /// waits for it.
  private final class Inline: OperationQueue, @unchecked Sendable {
    // Safe to share: this class adds no state. (Unchecked only because its superclass is.)
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }

  static func make() -> OperationQueue? { Inline() }
  #else
  static func make() -> OperationQueue? { nil }
  #endif

  // Foundation for Linux has one queue for all sessions of a process, and each call to a session waits for it. While
  // libcurl reads from a server that is faster than itself, that queue is busy. A Swift task must not wait for it.

  private static let starting = DispatchQueue(label: "reachability.requests.starting")
  private static let ending = DispatchQueue(label: "reachability.requests.ending")

  /// Starts a request off the caller's thread.
  static func start(_ work: @escaping @Sendable () -> Void) { starting.async(execute: work) }

  /// Ends a session off the caller's thread, which can take until all received data is read.
  static func end(_ work: @escaping @Sendable () -> Void) { ending.async(execute: work) }
}

extension URLSessionConfiguration {
  /// A configuration without cache, cookies and stored credentials.
  static var memoryless: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCredentialStorage = nil
    return configuration
  }
}
