import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How a request of a session waits for the network.
struct ConnectivityWait {
  private let session: URLSession
  private let request: URLRequest
  private let jitter: Duration
  private let deadline: ContinuousClock.Instant
  /// Who is asked about whom; `nil` if the request does not wait.
  private let way: (monitor: ReachabilityMonitor, target: ReachabilityTarget)?

  init(
    _ waits: Bool, for request: URLRequest, of session: URLSession, _ monitor: ReachabilityMonitor?,
    until deadline: ContinuousClock.Instant?, _ jitter: Duration
  ) {
    self.session = session
    self.request = request
    self.jitter = jitter
    self.deadline = deadline ?? .now + session.configuration.resourceTimeout
    way =
      if waits, let url = request.url, let target = ReachabilityTarget(ofRequestsTo: url),
        let monitor = monitor ?? (try? ReachabilityMonitor.shared)
      {
        (monitor, target)
      } else {
        nil
      }
  }

  /// Makes the request by a task, and another one for as long as the network is why no connection can be made.
  ///
  /// - Parameter isUpload: Whether the tasks send something that is not in the request.
  func load<Payload: Sendable>(
    isUpload: Bool = false, _ onWait: (ReachabilityStatus) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    by makeTask: @escaping SessionTask<Payload>.Maker
  ) async throws -> (Payload, URLResponse) {
    // A task that is made and does not run stays with its session for good.
    if Task.isCancelled { throw failure(.cancelled, "cancelled before it began") }
    let canceller = Canceller()
    let hold = SessionHold(on: session) { canceller.cancel() }
    defer { hold.end() }
    // What must not be sent twice goes by a connection of its own, and so does what comes later, since nobody knows whether a session
    // that somebody invalidates may still make tasks.
    var isOnKeptConnection = isIdempotent && !isUpload && !hasBody
    func attempt() async throws -> (Payload, URLResponse) {
      let task = isOnKeptConnection ? SessionTask(of: session, makeTask) : session.taskApart(makeTask)
      isOnKeptConnection = false
      return try await canceller.run { try await task.result() }
    }
    guard let (monitor, target) = way else { return try await attempt() }
    var hasTold = false
    while true {
      var isWaiting = false
      do {
        return try await monitor.withReachability(
          of: target, deadline: deadline, jitter: jitter, interruptedBy: canceller,
          retrying: { $0 is NotConnected },
          onWait: { status in
            isWaiting = true
            isOnKeptConnection = false
            if !hasTold { onWait(status) }
            hasTold = true
          }
        ) {
          isWaiting = false
          try expectConnection(to: target, monitor)
          do {
            return try await attempt()
          } catch let error as URLError where error.tellsThatNothingWasConnected && isRepeatable {
            throw NotConnected(failure: error, isForeseen: false)
          }
        }
      } catch let error as NotConnected {
        if isWaiting { throw timeout(after: error.failure) }
        // The network came back in the moment between the two questions.
        guard error.isForeseen else { throw error.failure }
      } catch is CancellationError {
        throw failure(.cancelled, "cancelled while waiting for \(target)")
      }
    }
  }

  /// Throws in place of a request that would wait for its own timeout, or fail.
  private func expectConnection(to target: ReachabilityTarget, _ monitor: ReachabilityMonitor) throws {
    let status = monitor.status(of: target)
    guard status.state == .notReachable, monitor.mayRecover(status), !isCached else { return }
    throw NotConnected(
      failure: failure(.notConnectedToInternet, "\(target) is \(status)"), isForeseen: true)
  }

  /// Whether the request does no more when it arrives twice (RFC 9110, section 9.2.2).
  ///
  /// That no connection was made at the end does not tell that none was made before: a server may have sent the request elsewhere.
  private var isIdempotent: Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(request.httpMethod ?? "GET")
  }

  private var hasBody: Bool { request.httpBody != nil || request.httpBodyStream != nil }

  /// A stream can be read but once.
  private var isRepeatable: Bool { isIdempotent && request.httpBodyStream == nil }

  /// Whether the session may answer without a network.
  private var isCached: Bool {
    switch request.cachePolicy {
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad:
      session.configuration.urlCache?.cachedResponse(for: request) != nil
    default: false
    }
  }

  private func timeout(after last: URLError) -> URLError {
    failure(.timedOut, "no connectivity in time: \(last.localizedDescription)", underlying: last)
  }

  private func failure(_ code: URLError.Code, _ text: String, underlying: URLError? = nil) -> URLError {
    var details: [String: Any] = [NSLocalizedDescriptionKey: text]
    details[NSURLErrorFailingURLErrorKey] = request.url
    details[NSUnderlyingErrorKey] = underlying
    return URLError(code, userInfo: details)
  }
}

/// A failure that tells that no connection was made.
private struct NotConnected: Error {
  var failure: URLError
  /// Whether nothing was tried, since the monitor told what would come of it.
  var isForeseen: Bool
}

extension URLSessionConfiguration {
  /// `timeoutIntervalForResource` in the range that clocks can add.
  var resourceTimeout: Duration {
    // Not a number becomes the most.
    .seconds(max(0, min(1_000_000_000, timeoutIntervalForResource)))
  }
}

extension URLSession {
  /// Makes a task with no connection from before, in a session like this one that ends with it.
  ///
  /// libcurl sends a request again, whatever its method, if the connection was kept from an earlier one and turns out to be closed;
  /// of a body, Foundation has nothing left then. On Apple platforms the system knows better, and the session is this
  /// one, whose delegate may be asked for credentials.
  fileprivate func taskApart<Payload>(_ makeTask: SessionTask<Payload>.Maker) -> SessionTask<Payload> {
    #if canImport(FoundationNetworking)
    let session = URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    #else
    let session = self
    #endif
    return SessionTask(of: session, makeTask)
  }
}
