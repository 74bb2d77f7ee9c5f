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
  private let way: (monitor: NetworkMonitor, target: Target)?

  init(
    _ waits: Bool, for request: URLRequest, of session: URLSession, _ monitor: NetworkMonitor?,
    until deadline: ContinuousClock.Instant?, _ jitter: Duration
  ) {
    self.session = session
    self.request = request
    self.jitter = jitter
    self.deadline = deadline ?? .now + session.configuration.resourceTimeout
    way =
      if waits, let url = request.url, let target = Target(ofRequestsTo: url),
        let monitor = monitor ?? (try? NetworkMonitor.shared)
      {
        (monitor, target)
      } else {
        nil
      }
  }

  /// Makes the request by a task, and another one for as long as the network is why no connection can be made.
  func load<Payload: Sendable>(
    _ onWait: (Status) -> Void, isolation: isolated (any Actor)? = #isolation,
    by makeTask: @escaping SessionTask<Payload>.Maker
  ) async throws -> (Payload, URLResponse) {
    guard let (monitor, target) = way else { return try await SessionTask(makeTask).result() }
    var hasTold = false
    while true {
      var isWaiting = false
      do {
        return try await monitor.withReachability(
          of: target, deadline: deadline, jitter: jitter, retrying: { $0 is NotConnected },
          onWait: { status in
            isWaiting = true
            if !hasTold { onWait(status) }
            hasTold = true
          }
        ) {
          isWaiting = false
          try expectConnection(to: target, monitor)
          return try await attempt(makeTask)
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
  private func expectConnection(to target: Target, _ monitor: NetworkMonitor) throws {
    let status = monitor.status(of: target)
    guard status.state == .notReachable, monitor.waitingMends(status), !isCached else { return }
    throw NotConnected(
      failure: failure(.notConnectedToInternet, "\(target) is \(status)"), isForeseen: true)
  }

  private func attempt<Payload: Sendable>(
    _ makeTask: SessionTask<Payload>.Maker
  ) async throws -> (Payload, URLResponse) {
    let task = SessionTask(makeTask)
    do {
      return try await task.result()
    } catch let error as URLError
      where error.tellsThatNothingWasConnected && !task.wentOn && request.httpBodyStream == nil
    {
      throw NotConnected(failure: error, isForeseen: false)
    }
  }

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
