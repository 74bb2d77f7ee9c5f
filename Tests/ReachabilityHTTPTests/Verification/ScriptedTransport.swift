// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityHTTP
import ReachabilityKit
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport that answers with a test's script, and records requests.
final class ScriptedTransport: VerificationTransport {
  enum Reply {
    case status(Int, [String: String] = [:], body: String = "")
    case failure(URLError.Code)
    /// No answer until the request is cancelled.
    case never
    /// The status 200, after a call of ``ScriptedTransport/release()``.
    case held
  }

  private struct State {
    var replies: [String: Reply]
    var requested: [String] = []
    var cancelled: [String] = []
    var limits: [Int] = []
    var timeouts: [Duration] = []
    var types: [String?] = []
    var released = 0
  }

  private let state: Mutex<State>

  init(_ replies: [String: Reply]) { state = Mutex(State(replies: replies)) }

  /// The addresses of the requests so far, in order.
  var requested: [String] { state.withLock(\.requested) }
  /// The addresses of the requests that were cancelled, by the caller or after their time limit.
  var cancelled: [String] { state.withLock(\.cancelled) }
  /// The body limit of each request.
  var limits: [Int] { state.withLock(\.limits) }
  /// The media type that each request accepts.
  var types: [String?] { state.withLock(\.types) }

  /// Releases one held answer.
  func release() { state.withLock { $0.released += 1 } }

  private func takeRelease() -> Bool {
    state.withLock { state in
      guard state.released > 0 else { return false }
      state.released -= 1
      return true
    }
  }

  /// The timeout of each request.
  var timeouts: [Duration] { state.withLock(\.timeouts) }

  func set(_ reply: Reply, for address: String) { state.withLock { $0.replies[address] = reply } }

  func answer(to request: URLRequest, bodyLimit: Int, timeout: Duration) async throws -> HTTPAnswer {
    let url = request.url ?? URL(filePath: "/")
    let address = url.absoluteString
    let reply = state.withLock { state in
      state.requested.append(address)
      state.limits.append(bodyLimit)
      state.timeouts.append(timeout)
      state.types.append(request.value(forHTTPHeaderField: "Accept"))
      return state.replies[address] ?? .failure(.cannotFindHost)
    }
    switch reply {
    case .status(let code, let headers, let body):
      return .made(code, headers, body: body, from: url)
    case .failure(let code): throw URLError(code)
    case .never:
      do {
        try await Task.sleep(for: min(timeout, .seconds(3600)))
      } catch {
        state.withLock { $0.cancelled.append(address) }
        throw error
      }
      state.withLock { $0.cancelled.append(address) }
      throw NoAnswer(.timedOut)
    case .held:
      while !takeRelease() { try await Task.sleep(for: .milliseconds(1)) }
      return .made(200, from: url)
    }
  }

  func connect(to target: ReachabilityTarget, port: UInt16, timeout: Duration) async throws
    -> ReachabilityConnectionReport
  {
    state.withLock { $0.requested.append("tcp://\(target):\(port)") }
    guard case .address(let address) = target.destination else {
      throw ReachabilityMonitorError(.notConnectable, description: "there is no connecting to \(target)")
    }
    let attempt = ReachabilityConnectionReport.Attempt(address, outcome: port == 22 ? .connected : .refused)
    return ReachabilityConnectionReport(
      target: target, port: port, status: ReachabilityStatus(.reachable), attempts: [attempt])
  }
}

extension HTTPAnswer {
  static func made(
    _ code: Int, _ headers: [String: String] = [:], body: String = "", from url: URL = .endpoint
  ) -> HTTPAnswer {
    guard
      let response = HTTPURLResponse(
        url: url, statusCode: code, httpVersion: "HTTP/1.1", headerFields: headers)
    else { fatalError("no HTTP answer can have the status \(code)") }
    return HTTPAnswer(response, body: Data(body.utf8))
  }
}

extension URL {
  static var endpoint: URL { at("http://a.test/") }

  /// Returns the URL of a text that is known to be valid.
  static func at(_ text: String) -> URL {
    guard let url = URL(string: text) else { fatalError("'\(text)' is no URL") }
    return url
  }
}

extension ReachabilityVerification {
  /// Creates a verification of addresses, each with a status from 200 to 299.
  init(of addresses: String..., until threshold: Threshold = .all, timeout: Duration = .seconds(20)) {
    self.init(addresses.map { .url(URL.at($0)) }, threshold, timeout: timeout)
  }
}

/// Waits until a condition holds, for at most ten seconds of sleep: other tests may occupy all threads for longer.
func eventually(
  every interval: Duration = .milliseconds(1), sourceLocation: SourceLocation = #_sourceLocation,
  _ isSo: () -> Bool
) async throws {
  for _ in 0..<Int(.seconds(10) / interval) where !isSo() { try await Task.sleep(for: interval) }
  try #require(isSo(), sourceLocation: sourceLocation)
}
