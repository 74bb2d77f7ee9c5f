import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and what comes of it, of which no more is kept than is wanted.
final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
  private typealias Reader = CheckedContinuation<HTTPAnswer, any Error>

  private struct State {
    var task: URLSessionTask?
    var reader: Reader?
    var response: HTTPURLResponse?
    var body = Data()
    var result: Result<HTTPAnswer, any Error>?
  }

  private let bodyLimit: Int
  private let state = Mutex(State())

  init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

  /// Begins, unless it has ended before.
  func start(_ task: URLSessionTask, _ reader: CheckedContinuation<HTTPAnswer, any Error>) {
    let result = state.withLock { state in
      if state.result == nil { (state.task, state.reader) = (task, reader) }
      return state.result
    }
    if let result { reader.resume(with: result) } else { task.resume() }
  }

  /// Ends at once, whatever is under way; what comes afterwards does not count.
  func end(_ result: Result<HTTPAnswer, any Error>) {
    let (task, reader) = state.withLock { state -> (URLSessionTask?, Reader?) in
      guard state.result == nil else { return (nil, nil) }
      state.result = result
      state.body = Data()
      return (state.task.take(), state.reader.take())
    }
    if let task { SessionQueue.end { task.cancel() } }
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
