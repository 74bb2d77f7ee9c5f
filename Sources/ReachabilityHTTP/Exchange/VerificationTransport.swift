import Foundation
import ReachabilityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends the requests and makes the connections of a verification.
///
/// Each call ends with `CancellationError` as soon as its task is cancelled.
package protocol VerificationTransport: Sendable {
  /// Sends a request, and returns the answer with the beginning of its body. Redirects are not followed.
  ///
  /// - Parameter timeout: The only time limit, from the moment at which the request begins. It does not run while the
  ///   request waits for other requests of this process.
  /// - Throws: ``NoAnswer``, or another error.
  func answer(to request: URLRequest, bodyLimit: Int, timeout: Duration) async throws -> HTTPAnswer

  /// Connects, and closes the connection.
  func connect(to target: ReachabilityTarget, port: UInt16, timeout: Duration) async throws
    -> ReachabilityConnectionReport
}
