// SPDX-License-Identifier: Apache-2.0
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLSession {
  /// Loads a request, and waits for the network instead of failing without one.
  ///
  /// The counterpart of Apple's `URLSessionConfiguration.waitsForConnectivity`, which Foundation for Linux does not
  /// have. The same code runs on Apple platforms; there the system's own setting knows more (a VPN on demand,
  /// restrictions on cellular data).
  ///
  /// ```swift
  /// let request = URLRequest(url: URL(string: "https://example.com/feed")!)
  /// let (page, response) = try await URLSession.shared.data(
  ///   for: request, waitingForConnectivity: true, onWait: { status in print("waiting: \(status)") })
  /// ```
  ///
  /// Before the request is made, the monitor evaluates the URL's host. While the host is not reachable, the request
  /// waits, and is made once the host is reachable. So with the cable unplugged, no request is made only to fail
  /// after `URLRequest.timeoutInterval`.
  ///
  /// The call waits to establish a connection, and for nothing else:
  ///
  /// - A connection that breaks later fails as in any request. TCP itself bridges a short outage. A longer one ends
  ///   with `URLError.timedOut` once nothing has arrived for `timeoutIntervalForRequest`, 60 s by default. Set a
  ///   shorter interval to notice it sooner, and put `withReachability` around an operation that may run twice.
  /// - A failure that the network does not explain is thrown without waiting: a reachable server that refuses, a name
  ///   that does not exist, a failure of TLS. A response with any HTTP status is no failure.
  ///
  /// **Requests that are repeated.** `POST`, `PATCH` and every other method that is not idempotent (RFC 9110, section
  /// 9.2.2) waits before it is sent, and is never sent again after a failure. `GET`, `HEAD`, `OPTIONS`, `TRACE`,
  /// `PUT` and `DELETE` are made again if the failure proves that no connection was made and the body is no stream.
  /// On Linux libcurl's text is the proof: a name that could not be resolved, or a connection that could not be made.
  /// If a server redirects a request to the same address, the session sends it once more, as the server requested.
  ///
  /// On Linux a request with a body, one that is not idempotent, and one that waited uses a new connection in another
  /// session with the same configuration. On a connection that was kept from an earlier request, and that the server
  /// closes without an answer, libcurl would send the request a second time, without its body. The same holds for the
  /// requests that its redirects and challenges lead to. Other requests may use kept connections. At most
  /// `httpMaximumConnectionsPerHost` new connections to a host exist for a session; those that it keeps count
  /// separately. A request waits for one of them, and that does not count towards `timeoutIntervalForRequest`.
  ///
  /// **The session's delegate** receives the calls that it receives for `data(for:)` of the same session, on its queue:
  /// about redirects and challenges. The task in these calls belongs to the session, and cancelling it cancels the
  /// request. Foundation for Linux reports neither metrics nor the creation of a task. Where these calls differ from
  /// its own:
  ///
  /// - A redirect with the status 307 or 308 keeps the body; Foundation for Linux drops it. If the body is a stream, the
  ///   redirect is the response.
  /// - A challenge for which there is no credential ends with the response 401, with an empty body. Foundation for Linux
  ///   (6.3) never returns then.
  /// - A task may be cancelled at any time. Foundation for Linux ends the process if a request of its own is cancelled
  ///   when its answer arrives (`TaskRegistry.swift`); `invalidateAndCancel()` remains such a cancellation.
  ///
  /// Without a delegate, redirects are followed, and on Linux headers that the request has, such as `Authorization`, go
  /// to any host that a server names. Refuse such redirects in a delegate.
  ///
  /// After `invalidateAndCancel()` on the session the call ends as cancelled, also while it waits. After
  /// `finishTasksAndInvalidate()` it runs to its end, as every task of the session does.
  ///
  /// - If a proxy is used, the call waits for the proxy. On Linux the environment names it, as libcurl reads it
  ///   (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`). On Apple platforms the system's proxies are not known
  ///   here.
  /// - A request that the session's cache can answer does not wait. A `URLProtocol` of your own receives the request
  ///   only when the URL's host is reachable.
  /// - Without a host in the URL, or if the system cannot be queried, the request is made without waiting.
  ///
  /// - Parameters:
  ///   - request: The request to load.
  ///   - waits: Whether to wait; if not, this is an ordinary request.
  ///   - monitor: The monitor that observes the host, `ReachabilityMonitor.shared` by default.
  ///   - deadline: The time at which waiting ends. By default that is the configuration's
  ///     `timeoutIntervalForResource` from now, 7 days unless changed. Waiting does not count towards
  ///     `timeoutIntervalForRequest`. The deadline does not end a request that has begun.
  ///   - jitter: The maximum delay of the request after the host becomes reachable. The delay is random, from zero to
  ///     this, so that clients which lost the same server do not all return in the same moment.
  ///   - isolation: The actor that `onWait` runs on, by default the caller's.
  ///   - onWait: Called when waiting begins, with the status that has to change; at most once. The counterpart of
  ///     `urlSession(_:taskIsWaitingForConnectivity:)` of a delegate.
  /// - Returns: The body and the response.
  /// - Throws: `URLError`: `timedOut` if the deadline passes while waiting, with the last failure as the underlying
  ///   error; `cancelled` if the task is cancelled, also while waiting; and the errors of an ordinary request.
  public func data(
    for request: URLRequest, waitingForConnectivity waits: Bool, monitor: ReachabilityMonitor? = nil,
    deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    let wait = ConnectivityWait(
      waits, for: request, of: self, monitor: monitor, until: deadline, jitter: jitter)
    return try await wait.load(onWait) { $0.dataTask(with: $1, completionHandler: $2) }
  }

  /// Loads a URL, and waits for the network instead of failing without one.
  ///
  /// See ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  public func data(
    from url: URL, waitingForConnectivity waits: Bool, monitor: ReachabilityMonitor? = nil,
    deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    try await data(
      for: URLRequest(url: url), waitingForConnectivity: waits, monitor: monitor, deadline: deadline,
      jitter: jitter, onWait: onWait)
  }

  /// Sends data with a request, and waits for the network instead of failing without one.
  ///
  /// See ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  public func upload(
    for request: URLRequest, from body: Data, waitingForConnectivity waits: Bool,
    monitor: ReachabilityMonitor? = nil, deadline: ContinuousClock.Instant? = nil,
    jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    let wait = ConnectivityWait(
      waits, for: request, of: self, monitor: monitor, until: deadline, jitter: jitter)
    return try await wait.load(isUpload: true, onWait) { session, next, finish in
      // A redirect that changes the method has no body.
      next.httpMethod == request.httpMethod
        ? session.uploadTask(with: next, from: body, completionHandler: finish)
        : session.dataTask(with: next, completionHandler: finish)
    }
  }

  /// Sends a file with a request, and waits for the network instead of failing without one.
  ///
  /// See ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  public func upload(
    for request: URLRequest, fromFile file: URL, waitingForConnectivity waits: Bool,
    monitor: ReachabilityMonitor? = nil, deadline: ContinuousClock.Instant? = nil,
    jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    let wait = ConnectivityWait(
      waits, for: request, of: self, monitor: monitor, until: deadline, jitter: jitter)
    return try await wait.load(isUpload: true, onWait) { session, next, finish in
      next.httpMethod == request.httpMethod
        ? session.uploadTask(with: next, fromFile: file, completionHandler: finish)
        : session.dataTask(with: next, completionHandler: finish)
    }
  }

  /// Loads a request into a file, and waits for the network instead of failing without one.
  ///
  /// See ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  ///
  /// - Returns: The file, which the caller moves or removes, and the response.
  public func download(
    for request: URLRequest, waitingForConnectivity waits: Bool, monitor: ReachabilityMonitor? = nil,
    deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (URL, URLResponse) {
    let wait = ConnectivityWait(
      waits, for: request, of: self, monitor: monitor, until: deadline, jitter: jitter)
    return try await wait.load(onWait) { session, next, finish in
      session.downloadTask(with: next) { file, response, error in
        // The session removes its own file when this closure returns.
        do {
          finish(try file.map { try $0.movedAside() }, response, error)
        } catch {
          finish(nil, response, error)
        }
      }
    }
  }
}

extension URLSessionConfiguration {
  /// The value of `timeoutIntervalForResource` in the range that clocks can add.
  var resourceTimeout: Duration {
    // `min` turns NaN into the maximum.
    .seconds(max(0, min(1_000_000_000, timeoutIntervalForResource)))
  }
}
