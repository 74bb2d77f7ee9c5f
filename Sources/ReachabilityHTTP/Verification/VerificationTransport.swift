import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What endpoints are asked with.
///
/// Whatever is under way ends as soon as the task is cancelled, by `CancellationError`.
package protocol VerificationTransport: Sendable {
  /// Sends a request and returns the answer with the beginning of its body; it follows no redirect.
  ///
  /// - Parameter timeout: The one limit of time; the caller gives up by itself, so that what has limits of its own must have none
  ///   that is shorter.
  /// - Throws: ``NoAnswer``, or another error.
  func answer(to request: URLRequest, bodyLimit: Int, timeout: Duration) async throws -> HTTPAnswer

  /// Connects, and closes the connection.
  func connect(to target: ReachabilityTarget, port: UInt16, timeout: Duration) async throws
    -> ReachabilityConnectionReport
}

/// Asks on this machine, in the network that a monitor is of.
struct SystemTransport: VerificationTransport {
  let monitor: ReachabilityMonitor

  func connect(to target: ReachabilityTarget, port: UInt16, timeout: Duration) async throws
    -> ReachabilityConnectionReport
  {
    try await monitor.connect(to: target, port: port, timeout: timeout)
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
