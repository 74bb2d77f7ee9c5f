public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLSession {
  /// Loads a request, and waits for the network where there is none, in place of failing.
  ///
  /// What Apple's `URLSessionConfiguration.waitsForConnectivity` is, which Foundation for Linux does not have. On Apple platforms this
  /// works by the same code; the system's own knows more there (a VPN on demand, what cellular data is allowed for).
  ///
  /// ```swift
  /// let (page, response) = try await URLSession.shared.data(
  ///   for: request, waitingForConnectivity: true, onWait: { status in print("waiting: \(status)") })
  /// ```
  ///
  /// Before the request is made, the monitor is asked for the URL's host. While that is not reachable, the request waits; it is made
  /// when the host is reachable again. So nothing runs into an unplugged cable, and fails only after `URLRequest.timeoutInterval`.
  ///
  /// The call waits to establish a connection, and for nothing else:
  ///
  /// - A connection that breaks later fails as always. TCP itself bridges a short outage; a longer one ends with `URLError.timedOut`
  ///   once nothing came for `timeoutIntervalForRequest`, 60 s by default: set less to hear of it sooner, and put
  ///   `withReachability` around what may be done twice.
  /// - What the network does not explain is thrown at once: a server that refuses while it can be reached, a name that does not
  ///   exist, failures of TLS. A response of any HTTP status is no failure.
  ///
  /// **What is sent twice.** `POST`, `PATCH` and every other method that is not idempotent (RFC 9110, section 9.2.2) waits before it is
  /// sent, and is never sent again after a failure. `GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT` and `DELETE` are made again if the failure says
  /// that no connection was made, and the body is no stream. On Linux libcurl says so in words: a failure to look a name up or to
  /// connect. A server that answers with a redirect to the same address asks for the request once more, and gets it.
  ///
  /// On Linux a request with a body, and one that is not idempotent, gets a connection of its own, in a session with the same
  /// configuration: on a connection that was kept from an earlier request, and that the server closes without an answer, libcurl
  /// would send it a second time, without its body. The other requests keep their connections.
  ///
  /// If the session is invalidated by `invalidateAndCancel()`, the call ends as cancelled, also while it waits. After
  /// `finishTasksAndInvalidate()` it goes on to its end, as every task of the session does.
  ///
  /// - Where a proxy is used, it is the proxy that is waited for. On Linux the environment names it, as libcurl reads it
  ///   (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`). On Apple platforms the system's proxies are not known here.
  /// - What the session's cache has for the request is not waited for. A `URLProtocol` of your own is asked only when the URL's
  ///   host is reachable.
  /// - Without a host in the URL, or where the system can't be asked, the request is made as always.
  ///
  /// - Parameters:
  ///   - request: What to load.
  ///   - waits: Whether to wait; if not, this is a request as always.
  ///   - monitor: Who tells whether the host can be reached, `ReachabilityMonitor.shared` by default.
  ///   - deadline: Until when it is waited; by default for the configuration's `timeoutIntervalForResource` from now on, 7 days if
  ///     nobody changed it. The waiting is no part of `timeoutIntervalForRequest`. A request that has begun is not ended by this.
  ///   - jitter: How long the request is put off at most once the host is reachable again: a random time from zero to this, so that
  ///     not all who lost a server come back to it in the same moment.
  ///   - isolation: The actor that `onWait` runs on, by default the caller's.
  ///   - onWait: Called when the waiting begins, with the status that is waited for to change; once at most. It is what
  ///     `urlSession(_:taskIsWaitingForConnectivity:)` is to a delegate.
  /// - Returns: The body and the response.
  /// - Throws: `URLError`: `timedOut` if the deadline passes while waiting, with the last failure as the underlying error;
  ///   `cancelled` if the task is cancelled, also while waiting; and as always.
  public func data(
    for request: URLRequest, waitingForConnectivity waits: Bool, monitor: ReachabilityMonitor? = nil,
    deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    let wait = ConnectivityWait(waits, for: request, of: self, monitor, until: deadline, jitter)
    return try await wait.load(onWait) { $0.dataTask(with: request, completionHandler: $1) }
  }

  /// Loads a URL, and waits for the network where there is none;
  /// see ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  public func data(
    from url: URL, waitingForConnectivity waits: Bool, monitor: ReachabilityMonitor? = nil,
    deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    try await data(
      for: URLRequest(url: url), waitingForConnectivity: waits, monitor: monitor, deadline: deadline,
      jitter: jitter, onWait: onWait)
  }

  /// Sends data with a request, and waits for the network where there is none;
  /// see ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  public func upload(
    for request: URLRequest, from body: Data, waitingForConnectivity waits: Bool,
    monitor: ReachabilityMonitor? = nil, deadline: ContinuousClock.Instant? = nil,
    jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    let wait = ConnectivityWait(waits, for: request, of: self, monitor, until: deadline, jitter)
    return try await wait.load(isUpload: true, onWait) { session, finish in
      session.uploadTask(with: request, from: body, completionHandler: finish)
    }
  }

  /// Sends a file with a request, and waits for the network where there is none;
  /// see ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  public func upload(
    for request: URLRequest, fromFile file: URL, waitingForConnectivity waits: Bool,
    monitor: ReachabilityMonitor? = nil, deadline: ContinuousClock.Instant? = nil,
    jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (Data, URLResponse) {
    let wait = ConnectivityWait(waits, for: request, of: self, monitor, until: deadline, jitter)
    return try await wait.load(isUpload: true, onWait) { session, finish in
      session.uploadTask(with: request, fromFile: file, completionHandler: finish)
    }
  }

  /// Loads a request into a file, and waits for the network where there is none;
  /// see ``data(for:waitingForConnectivity:monitor:deadline:jitter:isolation:onWait:)``.
  ///
  /// - Returns: The file, which is the caller's to move or to remove, and the response.
  public func download(
    for request: URLRequest, waitingForConnectivity waits: Bool, monitor: ReachabilityMonitor? = nil,
    deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, onWait: (ReachabilityStatus) -> Void = { _ in }
  ) async throws -> (URL, URLResponse) {
    let wait = ConnectivityWait(waits, for: request, of: self, monitor, until: deadline, jitter)
    return try await wait.load(onWait) { session, finish in
      session.downloadTask(with: request) { file, response, error in
        // The session removes its file when this returns.
        do {
          finish(try file.map { try $0.movedAside() }, response, error)
        } catch {
          finish(nil, response, error)
        }
      }
    }
  }
}

extension URL {
  /// Moves the file to a name of its own among temporary files, and returns that.
  fileprivate func movedAside() throws -> URL {
    let place = FileManager.default.temporaryDirectory.appending(path: "download-\(UUID()).tmp")
    try FileManager.default.moveItem(at: self, to: place)
    return place
  }
}
