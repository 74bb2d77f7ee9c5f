import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers a session's requests as a test's script says, in place of servers.
final class ScriptedProtocol: URLProtocol {
  /// What becomes of the request with this number, from 1: a body or a failure.
  typealias Script = @Sendable (_ run: Int) -> Result<String, URLError>

  private struct State {
    var scripts: [String: Script] = [:]
    var runs: [String: Int] = [:]
  }

  private static let state = Mutex(State())

  /// Makes a session whose requests to a host are answered by a script.
  static func session(
    for host: String, resource: TimeInterval = 600, cache: URLCache? = nil, _ script: @escaping Script
  ) -> URLSession {
    state.withLock { $0.scripts[host] = script }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ScriptedProtocol.self]
    configuration.timeoutIntervalForResource = resource
    configuration.urlCache = cache
    return URLSession(configuration: configuration)
  }

  /// How many requests to a host were made.
  static func runs(of host: String) -> Int { state.withLock { $0.runs[host, default: 0] } }

  override class func canInit(with request: URLRequest) -> Bool { true }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url else { return }
    let host = url.host() ?? ""
    let (script, run) = Self.state.withLock { state in
      state.runs[host, default: 0] += 1
      return (state.scripts[host], state.runs[host, default: 0])
    }
    switch script?(run) {
    case .success(let body):
      guard
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
      else { return }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(body.utf8))
      client?.urlProtocolDidFinishLoading(self)
    case .failure(let error): client?.urlProtocol(self, didFailWithError: error)
    case nil: client?.urlProtocol(self, didFailWithError: URLError(.badURL))
    }
  }

  override func stopLoading() {}
}

extension URLError {
  /// A failure as Foundation for Linux makes it of libcurl's.
  init(_ code: Code, _ text: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
  }
}
