import Foundation
import Reachability

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What endpoints are asked with.
///
/// Whatever is under way ends as soon as the task is cancelled, by `CancellationError`.
package protocol VerificationTransport: Sendable {
  /// Sends a request and returns the answer with the beginning of its body; it follows no redirect, and has no time limit.
  func answer(to request: URLRequest, bodyLimit: Int) async throws -> HTTPAnswer

  /// Connects, and closes the connection.
  func connect(to target: Target, port: UInt16, timeout: Duration) async throws -> ConnectionReport
}

/// Asks on this machine: connections come from a monitor, requests from `URLSession`.
struct SystemTransport: VerificationTransport {
  let monitor: NetworkMonitor

  func connect(to target: Target, port: UInt16, timeout: Duration) async throws -> ConnectionReport {
    try await monitor.connect(to: target, port: port, timeout: timeout)
  }

  func answer(to request: URLRequest, bodyLimit: Int) async throws -> HTTPAnswer {
    guard request.url?.isForBrowsers == true else { throw URLError(.unsupportedURL) }
    let exchange = Exchange(bodyLimit: bodyLimit)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { exchange.start(request, $0) }
    } onCancel: {
      exchange.end(.failure(CancellationError()))
    }
  }
}

extension URLSessionConfiguration {
  /// Neither reads nor leaves anything.
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
