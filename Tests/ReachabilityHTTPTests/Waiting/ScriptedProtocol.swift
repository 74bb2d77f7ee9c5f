// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A protocol that answers a session's requests with a test's script instead of a server.
final class ScriptedProtocol: URLProtocol {
  /// Returns the body or the failure of the request with a number, from 1.
  typealias Script = @Sendable (_ run: Int) -> Result<String, URLError>

  private struct State {
    var scripts: [String: Script] = [:]
    var runs: [String: Int] = [:]
  }

  private static let state = Mutex(State())

  /// Creates a session in which a script answers the requests to a host.
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

  /// The number of requests to a host.
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
  /// Creates a failure as Foundation for Linux does from an error of libcurl.
  init(_ code: Code, _ text: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
  }
}
