// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `fetch` and `repeat`: requests that wait for the network, reported line by line.
///
///     fetch URL [OPTION=VALUE…]    by `data(for:waitingForConnectivity:)`, or by the call for `method`
///     repeat URL [OPTION=VALUE…]   a plain `data(for:)` in `withReachability`
///
/// Options: `method` (GET, POST, PUT, stream, upload, uploadfile, download), `kept` (a URL that is requested before,
/// so that the request may use its connection), `idle` (timeoutIntervalForRequest, seconds), `resource`
/// (timeoutIntervalForResource, seconds), `deadline` (seconds from now), `waits` (no; plain: the session's own call),
/// `cancelled` (yes: before it begins), `secret` (yes: with an authorization and a cookie), `delegate` (the session's,
/// see ``AnsweringDelegate``). `SIGUSR1` cancels a `fetch`, or acts on its session as `signal` says (invalidate, finish).
struct WaitingRequest {
  private let url: URL
  private let options: [String: String]
  private let session: URLSession

  init?(_ words: some Collection<String>) {
    guard let text = words.first, let url = URL(string: text) else { return nil }
    self.url = url
    let pairs = words.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    guard pairs.allSatisfy({ $0.count == 2 }) else { return nil }
    options = Dictionary(pairs.map { ($0[0], $0[1]) }) { $1 }
    let configuration = URLSessionConfiguration.default
    if let idle = Self.seconds(options["idle"]) { configuration.timeoutIntervalForRequest = idle }
    if let resource = Self.seconds(options["resource"]) {
      configuration.timeoutIntervalForResource = resource
    }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    session = URLSession(
      configuration: configuration, delegate: options["delegate"].map { AnsweringDelegate($0, on: queue) },
      delegateQueue: queue)
  }

  private static func seconds(_ text: String?) -> Double? { text.flatMap(Double.init) }

  func fetch() async {
    signal(SIGUSR1, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
    // A test may answer output with the signal, so nothing is printed before the handler is registered.
    let (registration, continuation) = AsyncStream.makeStream(of: Void.self)
    source.setRegistrationHandler { continuation.finish() }
    let task = Task {
      for await _ in registration {}
      if options["cancelled"] == "yes" { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      await fetchNow()
    }
    source.setEventHandler { [session, how = options["signal"]] in
      switch how {
      case "invalidate": session.invalidateAndCancel()
      case "finish": session.finishTasksAndInvalidate()
      default: task.cancel()
      }
    }
    source.activate()
    // The end of the request ends the program.
    await task.value
  }

  private func fetchNow() async {
    if let before = options["kept"].flatMap({ URL(string: $0) }) { _ = try? await session.data(from: before) }
    await report {
      var request = URLRequest(url: url)
      let method = options["method"] ?? "GET"
      if ["POST", "PUT"].contains(method) { request.httpBody = Data("posted".utf8) }
      if method == "stream" { request.httpBodyStream = InputStream(data: Data("streamed".utf8)) }
      request.httpMethod =
        ["upload", "uploadfile"].contains(method)
        ? "PUT" : method == "download" ? "GET" : method == "stream" ? "POST" : method
      if options["secret"] == "yes" {
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("id=secret", forHTTPHeaderField: "Cookie")
      }
      if options["waits"] == "plain" { return try await session.data(for: request) }
      let deadline = Self.seconds(options["deadline"]).map { ContinuousClock.now + .seconds($0) }
      let waits = options["waits"] != "no"
      let onWait: (ReachabilityStatus) -> Void = { say("waiting: \($0)") }
      switch method {
      case "upload":
        return try await session.upload(
          for: request, from: Data("sent".utf8), waitingForConnectivity: waits, deadline: deadline,
          jitter: .zero, onWait: onWait)
      case "uploadfile":
        let file = FileManager.default.temporaryDirectory.appending(path: "sent-\(UUID())")
        try Data("a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await session.upload(
          for: request, fromFile: file, waitingForConnectivity: waits, deadline: deadline, jitter: .zero,
          onWait: onWait)
      case "download":
        let (file, response) = try await session.download(
          for: request, waitingForConnectivity: waits, deadline: deadline, jitter: .zero, onWait: onWait)
        defer { try? FileManager.default.removeItem(at: file) }
        return (try Data(contentsOf: file), response)
      default:
        return try await session.data(
          for: request, waitingForConnectivity: waits, deadline: deadline, jitter: .zero, onWait: onWait)
      }
    }
  }

  func repeated() async {
    await report {
      try await withReachability(
        of: try ReachabilityTarget(url.absoluteString), deadline: .now + .seconds(60), jitter: .zero,
        onWait: { say("waiting: \($0)") }
      ) {
        say("run")
        do {
          return try await session.data(from: url)
        } catch {
          say("failed: \(Self.words(for: error))")
          throw error
        }
      }
    }
  }

  /// Prints the result of a request, and exits with 0 or 1.
  private func report(_ load: () async throws -> (Data, URLResponse)) async {
    let start = ContinuousClock.now
    do {
      let (data, response) = try await load()
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      let sum = data.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
      say("done: \(status), \(data.count) bytes, sum \(sum)")
      if data.count < 100 { say("body: \(String(decoding: data, as: UTF8.self))") }
      exit(0)
    } catch {
      say("error: \(Self.words(for: error))")
      if let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? URLError {
        say("after: \(Self.words(for: underlying))")
      }
      say("seconds: \(Int((ContinuousClock.now - start) / .seconds(1)))")
      exit(1)
    }
  }

  /// The text of an error, without durations.
  private static func words(for error: any Error) -> String {
    guard let error = error as? URLError else { return "\(error)" }
    let text = error.localizedDescription.replacing(/after \d+ ms/, with: "after N ms")
    return "\(error.code.rawValue) \(text)"
  }
}

/// Writes a line without a buffer, so that a test receives it immediately.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// A delegate that prints each call, and answers as its word says: `follow`, `refuse`, `change` (redirects), `login`,
/// `default`, `reject` (challenges).
final class AnsweringDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let word: String
  private let queue: OperationQueue

  init(_ word: String, on queue: OperationQueue) {
    self.word = word
    self.queue = queue
  }

  /// Prints a call: whether the session, the task and the queue are those of the session that made the request.
  private func say(_ call: String, _ session: URLSession, _ task: URLSessionTask) {
    let isOwn = session.delegate === self && OperationQueue.current === queue
    let origin = task.originalRequest?.url?.path() ?? "nothing"
    RequestProgram.say("\(call), task of \(origin)\(isOwn ? "" : ", elsewhere")")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    say("\(response.statusCode) to \(request.url?.absoluteString ?? "nowhere")", session, task)
    switch word {
    case "refuse": completionHandler(nil)
    case "change":
      var request = request
      request.setValue(nil, forHTTPHeaderField: "Authorization")
      request.setValue(nil, forHTTPHeaderField: "Cookie")
      completionHandler(request)
    default: completionHandler(request)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    say("challenge \(challenge.previousFailureCount) of \(space.realm ?? "no realm")", session, task)
    switch word {
    case "login" where challenge.previousFailureCount < 3:
      completionHandler(.useCredential, URLCredential(user: "user", password: "word", persistence: .none))
    case "wrong" where challenge.previousFailureCount < 3:
      completionHandler(.useCredential, URLCredential(user: "user", password: "wrong", persistence: .none))
    case "reject": completionHandler(.rejectProtectionSpace, nil)
    default: completionHandler(.performDefaultHandling, nil)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    say("metrics", session, task)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    say("completion", session, task)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    say("data", session, dataTask)
  }
}
