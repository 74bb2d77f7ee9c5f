import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A place among the connections that a session's requests may have to one host, apart from the session's own.
///
/// On Linux `httpMaximumConnectionsPerHost` counts the connections of one session, and each of these is one of another
/// session.
final class ConnectionPlace: Sendable {
  private struct Connections: Hashable {
    var session: ObjectIdentifier
    var target: ReachabilityTarget?
  }

  private static let queue = PlaceQueue<Connections>()

  private let session: URLSession
  private let held = Mutex<Connections?>(nil)

  init(in session: URLSession) { self.session = session }

  /// Returns when the session may connect for a request, and leaves the place at another host.
  func enter(for request: URLRequest) async throws {
    #if canImport(FoundationNetworking)
    let limit = session.configuration.httpMaximumConnectionsPerHost
    let wanted = Connections(
      session: ObjectIdentifier(session), target: request.url.flatMap(ReachabilityTarget.init(ofRequestsTo:)))
    guard limit > 0, held.withLock({ $0 }) != wanted else { return }
    leave()
    try await Self.queue.enter(wanted, limit: limit)
    held.withLock { $0 = wanted }
    #endif
  }

  func leave() { if let held = held.withLock({ $0.take() }) { Self.queue.leave(held) } }
}
