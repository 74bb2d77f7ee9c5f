// SPDX-License-Identifier: Apache-2.0
import Synchronization

#if canImport(Glibc)
import CCurl
import Foundation
import FoundationNetworking
import Glibc
import ReachabilityKit

/// A request made by libcurl, on its own thread.
///
/// Foundation's requests are not used here: some answers, which any server can send, end the process there.
final class CurlTransfer: Sendable {
  private typealias Outcome = Result<HTTPAnswer, any Error>

  private struct State {
    var continuation: CheckedContinuation<HTTPAnswer, any Error>?
    var result: Outcome?
    /// The loop that the thread waits in; `nil` while it cannot be woken.
    var multi: Multi?
  }

  /// libcurl's loop (a multi handle).
  // Safe to share: other threads call only curl_multi_wakeup on it, under the lock, and that function is thread-safe.
  @safe private struct Multi: @unchecked Sendable {
    var handle: UnsafeMutableRawPointer
  }

  /// The code for a failure of the loop itself, for which libcurl has none.
  private static let loopFailure = CurlCode.outOfMemory.rawValue
  /// The kind of a message that a transfer has ended: `CURLMSG_DONE`.
  private static let done: CInt = 1

  private let request: PlainRequest
  private let url: URL
  private let bodyLimit: Int
  private let timeout: Duration
  private let monitor: ReachabilityMonitor
  private let looksUpName: Bool
  private let state = Mutex(State())

  /// - Parameter looksUpName: Whether the request has a place of ``enterLookup()``, which it leaves at its end.
  /// - Throws: ``NoAnswer`` for an invalid request.
  init(
    _ request: URLRequest, bodyLimit: Int, timeout: Duration, over monitor: ReachabilityMonitor,
    lookingUpName looksUpName: Bool
  ) throws(NoAnswer) {
    self.request = try PlainRequest(request)
    guard let url = request.url else { throw .invalidRequest(.badURL, "the request has no URL") }
    self.url = url
    self.bodyLimit = bodyLimit
    self.timeout = timeout
    self.monitor = monitor
    self.looksUpName = looksUpName
  }

  private static let lookups = PlaceQueue<String>()

  /// Returns when a request may look a name up.
  ///
  /// An abandoned request keeps its thread until the system's resolver returns. Without a limit, an unresponsive name
  /// server would let the number of threads grow. A request to an address needs no place.
  static func enterLookup() async throws { try await lookups.enter("", limit: 64) }

  private func leaveLookup() { if looksUpName { Self.lookups.leave("") } }

  /// Starts the request, unless it has ended already.
  func start(_ continuation: CheckedContinuation<HTTPAnswer, any Error>) {
    let result = state.withLock { state in
      if state.result == nil { state.continuation = continuation }
      return state.result
    }
    if let result {
      leaveLookup()
      return continuation.resume(with: result)
    }
    do throws(ReachabilityMonitorError) {
      try monitor.startNetworkThread(named: "request") { [self] in
        run()
        leaveLookup()
      }
    } catch {
      leaveLookup()
      finish(.failure(error))
    }
  }

  /// Ends the request with a result; later results are ignored.
  func finish(_ result: Result<HTTPAnswer, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<HTTPAnswer, any Error>? in
      guard state.result == nil else { return nil }
      state.result = result
      // Under the lock, because the thread may free the loop at any other time.
      if let multi = state.multi, let curl = Curl.loaded { unsafe _ = curl.wakeUp(multi.handle) }
      return state.continuation.take()
    }
    continuation?.resume(with: result)
  }

  private var hasEnded: Bool { state.withLock { $0.result != nil } }

  /// Makes the request.
  ///
  /// Blocks until it has ended and libcurl has released its resources.
  private func run() {
    guard !hasEnded else { return }
    // libcurl calls the C library's resolver.
    if looksUpName, let domain = try? ExplanationFacts.OverlongSearchDomain.find() {
      return finish(.failure(NoAnswer(.notConnected(.init(.name, text: domain.problem)))))
    }
    guard let curl = Curl.loaded else {
      let text = "libcurl is missing: requests need libcurl.so.4, version 7.68 or later"
      return finish(.failure(NoAnswer(.notConnected(.init(.other, text: text)))))
    }
    guard let handle = CurlHandle(request, bodyLimit: bodyLimit, timeout: timeout, curl: curl),
      let multi = unsafe curl.multiInit().map({ unsafe Multi(handle: $0) })
    else {
      let text = "libcurl could not prepare the request: not enough memory or file descriptors"
      return finish(.failure(NoAnswer(.notConnected(.init(.other, text: text)))))
    }
    let isPending = state.withLock { state in
      if state.result == nil { state.multi = multi }
      return state.result == nil
    }
    withExtendedLifetime(handle) {
      unsafe _ = curl.multiAdd(multi.handle, handle.easy)
      if isPending, let code = perform(multi, curl) { finish(handle.result(code, from: url).mapError { $0 }) }
      state.withLock { $0.multi = nil }
      // The caller has its answer; this may wait for a lookup that the system's resolver has not finished.
      unsafe _ = curl.multiRemove(multi.handle, handle.easy)
      unsafe _ = curl.multiCleanup(multi.handle)
    }
  }

  /// Runs libcurl's loop until the transfer ends; returns its code, or `nil` if the request ended earlier.
  private func perform(_ multi: Multi, _ curl: Curl) -> CInt? {
    while !hasEnded {
      var running: CInt = 0
      guard unsafe curl.perform(multi.handle, &running) == 0 else { return Self.loopFailure }
      var rest: CInt = 0
      while let message = unsafe curl.nextMessage(multi.handle, &rest) {
        if unsafe message.pointee.kind == Self.done { return unsafe message.pointee.data.code }
      }
      // libcurl's timers shorten this, and `finish` wakes it.
      guard unsafe curl.poll(multi.handle, nil, 0, 60_000, nil) == 0 else { return Self.loopFailure }
    }
    return nil
  }
}
#endif

/// Places for a limited number of concurrent users of each thing, given in the order in which they were asked for.
final class PlaceQueue<Thing: Hashable & Sendable>: Sendable {
  private struct Line {
    var users = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let lines = Mutex([Thing: Line]())
  private let lastNumber = Atomic(0)

  /// Returns when the caller has a place, which ``leave(_:)`` gives back.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func enter(_ thing: Thing, limit: Int) async throws {
    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let entry = lines.withLock { lines -> Result<Void, CancellationError>? in
          // Under the lock: a later cancellation finds the continuation.
          if Task.isCancelled { return .failure(CancellationError()) }
          if lines[thing, default: Line()].users < limit {
            lines[thing, default: Line()].users += 1
            return .success(())
          }
          lines[thing]?.waiting.append((number, continuation))
          return nil
        }
        if let entry { continuation.resume(with: entry) }
      }
    } onCancel: {
      let continuation = lines.withLock { lines in
        lines[thing]?.waiting.firstIndex { $0.number == number }.flatMap {
          lines[thing]?.waiting.remove(at: $0).continuation
        }
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Gives the place of the caller to the next one who waits.
  func leave(_ thing: Thing) {
    let next = lines.withLock { lines -> CheckedContinuation<Void, any Error>? in
      guard var line = lines[thing] else { return nil }
      let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst().continuation
      if next == nil { line.users -= 1 }
      lines[thing] = line.users == 0 ? nil : line
      return next
    }
    next?.resume()
  }
}
