// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request of a session that waits for the network.
struct ConnectivityWait {
  private let session: URLSession
  private let request: URLRequest
  private let jitter: Duration
  private let deadline: ContinuousClock.Instant
  /// The target to wait for, and the monitor that observes it; `nil` if the request does not wait.
  private let subject: (monitor: ReachabilityMonitor, target: ReachabilityTarget)?

  init(
    _ waits: Bool, for request: URLRequest, of session: URLSession, monitor: ReachabilityMonitor?,
    until deadline: ContinuousClock.Instant?, jitter: Duration
  ) {
    self.session = session
    self.request = request
    self.jitter = jitter
    self.deadline = deadline ?? .now + session.configuration.resourceTimeout
    subject =
      if waits, let url = request.url, let target = ReachabilityTarget(url),
        let monitor = monitor ?? (try? ReachabilityMonitor.availableShared())
      {
        (monitor, target)
      } else {
        nil
      }
  }

  /// Makes the request by tasks, and again while the network explains why no connection was made.
  ///
  /// - Parameter isUpload: Whether the tasks send a body that is not in the request.
  func load<Payload: ResponsePayload>(
    isUpload: Bool = false, _ onWait: (ReachabilityStatus) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    by makeTask: @escaping SessionTask<Payload>.Maker
  ) async throws -> (Payload, URLResponse) {
    // A task that never runs stays with its session for good.
    if Task.isCancelled { throw URLError(.cancelled, of: request, "cancelled before the request began") }
    let canceller = Canceller()
    let hold = SessionHold(on: session, for: request) { canceller.cancel() }
    defer { hold.release() }
    let exchange = RequestAttempt(in: session, seenAs: hold.task, by: makeTask)
    let place = ConnectionPlace(in: session)
    // A request that must not be sent twice uses a new connection. So does each later attempt: a session that may
    // have been invalidated meanwhile must not make another task.
    var mayUseKeptConnection = isIdempotent && !isUpload && !hasBody
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
      do {
        return try await canceller.run(body)
      } catch is CancellationError {
        throw URLError(.cancelled, of: request, "cancelled while waiting for a connection of the session")
      }
    }
    func enter() async throws {
      guard !mayUseKeptConnection else { return }
      let hasEntered = try await run { [request, deadline] in
        try await withDeadline(deadline) { try await place.enter(for: request) } != nil
      }
      guard hasEntered else { throw URLError(.timedOut, of: request, "no connection of the session in time") }
    }
    func attempt() async throws -> (Payload, URLResponse) {
      let place = mayUseKeptConnection ? nil : place
      mayUseKeptConnection = false
      return try await run { [request] in try await exchange.response(to: request, on: place) }
    }
    guard let (monitor, target) = subject else {
      defer { place.leave() }
      try await enter()
      return try await attempt()
    }
    var hasReported = false
    while true {
      var isWaiting = false
      do {
        return try await monitor.withReachability(
          of: target, deadline: deadline, jitter: jitter, interruptedBy: canceller,
          retrying: { $0 is NotConnected },
          onWait: { status in
            isWaiting = true
            mayUseKeptConnection = false
            if !hasReported { onWait(status) }
            hasReported = true
          }
        ) {
          isWaiting = false
          defer { place.leave() }
          try await enter()
          do {
            try throwIfUnreachable(target, monitor)
            return try await attempt()
          } catch let error as URLError where error.provesNoConnection && isRepeatable {
            throw NotConnected(failure: error, isForeseen: false)
          }
        }
      } catch let error as NotConnected {
        if isWaiting { throw timeout(after: error.failure) }
        // The network came back between the two evaluations.
        guard error.isForeseen else { throw error.failure }
      } catch is CancellationError {
        throw URLError(.cancelled, of: request, "cancelled while waiting for \(target)")
      }
    }
  }

  /// Throws if a request would fail, or run into its own timeout, and waiting can help.
  private func throwIfUnreachable(_ target: ReachabilityTarget, _ monitor: ReachabilityMonitor) throws {
    let status = monitor.currentStatus(of: target)
    guard status.state == .notReachable, monitor.mayRecover(status), !isCached else { return }
    throw NotConnected(
      failure: URLError(.notConnectedToInternet, of: request, "\(target) is \(status)"), isForeseen: true)
  }

  /// Whether the request's method is idempotent (RFC 9110, section 9.2.2).
  ///
  /// Other methods are never repeated, even without a connection at the end: a server may have received the request
  /// before, and redirected it to the address that failed.
  private var isIdempotent: Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(request.httpMethod ?? "GET")
  }

  private var hasBody: Bool { request.httpBody != nil || request.httpBodyStream != nil }

  /// Whether the request may be made again; a stream can be read only once.
  private var isRepeatable: Bool { isIdempotent && request.httpBodyStream == nil }

  /// Whether the session's cache may answer without a network.
  private var isCached: Bool {
    switch request.cachePolicy {
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad:
      session.configuration.urlCache?.cachedResponse(for: request) != nil
    default: false
    }
  }

  private func timeout(after last: URLError) -> URLError {
    URLError(
      .timedOut, of: request, "no connectivity in time: \(last.localizedDescription)", underlying: last)
  }
}

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
      session: ObjectIdentifier(session), target: request.url.flatMap { ReachabilityTarget($0) })
    guard limit > 0, held.withLock({ $0 }) != wanted else { return }
    leave()
    try await Self.queue.enter(wanted, limit: limit)
    held.withLock { $0 = wanted }
    #endif
  }

  func leave() { if let held = held.withLock({ $0.take() }) { Self.queue.leave(held) } }
}

/// A failure that proves that no connection was made.
struct NotConnected: Error {
  var failure: URLError
  /// Whether no request was made, because the monitor foresaw the failure.
  var isForeseen: Bool
}
