import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request by `URLSession` and what comes of it, of which no more is kept than is wanted.
///
/// For systems where libcurl's own functions can't be called: all but Linux with glibc.
final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
  private typealias Reader = CheckedContinuation<HTTPAnswer, any Error>

  private struct State {
    var session: URLSession?
    var reader: Reader?
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

  /// Begins, unless it has ended before.
  func start(_ request: URLRequest, _ reader: CheckedContinuation<HTTPAnswer, any Error>) {
    let result = state.withLock { state in
      if state.result == nil { state.reader = reader }
      return state.result
    }
    if let result { return reader.resume(with: result) }
    SessionQueue.start { [self] in
      guard state.withLock({ $0.result == nil }) else { return }
      // A session of its own: a connection that was kept from before would say nothing about now.
      let session = URLSession(
        configuration: .memoryless, delegate: self, delegateQueue: SessionQueue.make())
      var request = request
      // Neither the session's minute nor a limit of the request's own counts.
      request.timeoutInterval = timeout
      session.dataTask(with: request).resume()
      let isWanted = state.withLock { state in
        if state.result == nil { state.session = session }
        return state.result == nil
      }
      if !isWanted { SessionQueue.end { session.invalidateAndCancel() } }
    }
  }

  /// Ends at once, whatever is under way; what comes afterwards does not count.
  func end(_ result: Result<HTTPAnswer, any Error>) {
    let (session, reader) = state.withLock { state -> (URLSession?, Reader?) in
      guard state.result == nil else { return (nil, nil) }
      state.result = result
      state.body = Data()
      return (state.session.take(), state.reader.take())
    }
    if let session { SessionQueue.end { session.invalidateAndCancel() } }
    reader?.resume(with: result)
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
      if bodyLimit == 0 { end(.success(HTTPAnswer(response))) }
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
    if let answer { end(.success(answer)) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { return end(.failure(error)) }
    // A redirect without an address is told here for the first time.
    let (response, body) = state.withLock { ($0.response ?? task.response as? HTTPURLResponse, $0.body) }
    end(response.map { .success(HTTPAnswer($0, body: body)) } ?? .failure(URLError(.badServerResponse)))
  }
}
