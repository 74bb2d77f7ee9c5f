#if canImport(Glibc)
import CCurl
import Foundation
import FoundationNetworking
import Glibc
import ReachabilityKit
import Synchronization

/// A request made by libcurl, on a thread of its own.
///
/// Not by Foundation's: that ends the process for answers that it did not expect, which any server can send.
final class CurlTransfer: Sendable {
  private typealias Outcome = Result<HTTPAnswer, any Error>

  private struct State {
    var reader: CheckedContinuation<HTTPAnswer, any Error>?
    var result: Outcome?
    /// What the thread waits in, as long as it may be woken.
    var multi: Multi?
  }

  /// libcurl's loop (a multi handle).
  // Safe to share: the one function that other threads call on it, under the lock, is made for that.
  @safe private struct Multi: @unchecked Sendable {
    var handle: UnsafeMutableRawPointer
  }

  private let request: PlainRequest
  private let url: URL
  private let bodyLimit: Int
  private let timeout: Duration
  private let monitor: ReachabilityMonitor
  private let state = Mutex(State())

  /// - Throws: ``NoAnswer`` for what can't be requested.
  init(_ request: URLRequest, bodyLimit: Int, timeout: Duration, over monitor: ReachabilityMonitor)
    throws(NoAnswer)
  {
    self.request = try PlainRequest(request)
    guard let url = request.url else { throw .refused(.badURL, "the request has no address") }
    self.url = url
    self.bodyLimit = bodyLimit
    self.timeout = timeout
    self.monitor = monitor
  }

  /// Begins, unless it has ended before.
  func start(_ reader: CheckedContinuation<HTTPAnswer, any Error>) {
    let result = state.withLock { state in
      if state.result == nil { state.reader = reader }
      return state.result
    }
    if let result { return reader.resume(with: result) }
    if Queue.shared.enter(self) { launch() }
  }

  /// Ends at once, whatever is under way; what comes afterwards does not count.
  func end(_ result: Result<HTTPAnswer, any Error>) {
    let reader = state.withLock { state -> CheckedContinuation<HTTPAnswer, any Error>? in
      guard state.result == nil else { return nil }
      state.result = result
      // Under the lock: without it the thread may be freeing it.
      if let multi = state.multi, let curl = Curl.loaded { unsafe _ = curl.wakeUp(multi.handle) }
      return state.reader.take()
    }
    Queue.shared.leave(self)
    reader?.resume(with: result)
  }

  private var hasEnded: Bool { state.withLock { $0.result != nil } }

  /// Starts the thread, or that of the next if there can be none.
  private func launch() {
    var next: CurlTransfer? = self
    while let transfer = next {
      do throws(ReachabilityMonitorError) {
        return try transfer.monitor.startNetworkThread(named: "request") {
          transfer.run()
          Queue.shared.next()?.launch()
        }
      } catch {
        transfer.end(.failure(error))
        next = Queue.shared.next()
      }
    }
  }

  /// Makes the request; blocks until it has ended, and then for as long as libcurl takes to free what it took.
  private func run() {
    guard !hasEnded else { return }
    guard let curl = Curl.loaded else {
      let text = "libcurl is not there, which makes requests: libcurl.so.4 from version 7.68"
      return end(.failure(NoAnswer(.notConnected(.init(.other, text: text)))))
    }
    guard let handle = CurlHandle(request, bodyLimit: bodyLimit, timeout: timeout, curl: curl),
      let multi = unsafe curl.multiInit().map({ unsafe Multi(handle: $0) })
    else {
      let text = "libcurl could not prepare the request: memory or descriptors are missing"
      return end(.failure(NoAnswer(.notConnected(.init(.other, text: text)))))
    }
    let isWanted = state.withLock { state in
      if state.result == nil { state.multi = multi }
      return state.result == nil
    }
    withExtendedLifetime(handle) {
      unsafe _ = curl.multiAdd(multi.handle, handle.easy)
      if isWanted, let code = perform(multi, curl) { end(handle.result(code, from: url).mapError { $0 }) }
      state.withLock { $0.multi = nil }
      // The caller has its answer: this waits for a look-up of the resolver's that is still under way.
      unsafe _ = curl.multiRemove(multi.handle, handle.easy)
      unsafe _ = curl.multiCleanup(multi.handle)
    }
  }

  /// Runs libcurl's loop until the request has ended; returns its code, or `nil` if nobody wants it any more.
  private func perform(_ multi: Multi, _ curl: Curl) -> CInt? {
    while !hasEnded {
      var running: CInt = 0
      // CURLE_OUT_OF_MEMORY is what is left where the loop itself fails.
      guard unsafe curl.perform(multi.handle, &running) == 0 else { return 27 }
      var rest: CInt = 0
      while let message = unsafe curl.nextMessage(multi.handle, &rest) {
        // CURLMSG_DONE
        if unsafe message.pointee.kind == 1 { return unsafe message.pointee.data.code }
      }
      // libcurl has timers of its own, and is woken at the end.
      guard unsafe curl.poll(multi.handle, nil, 0, 60_000, nil) == 0 else { return 27 }
    }
    return nil
  }
}

extension CurlTransfer {
  /// Lets so many requests have a thread: one that was given up keeps it as long as the system's resolver takes, and with a name
  /// server that does not answer they would become more and more.
  private final class Queue: Sendable {
    static let shared = Queue()

    private struct State {
      var running = 0
      var waiting: [CurlTransfer] = []
    }

    private static var limit: Int { 64 }

    private let state = Mutex(State())

    /// Returns whether a request may begin; otherwise it waits for its turn.
    func enter(_ transfer: CurlTransfer) -> Bool {
      state.withLock { state in
        guard state.running >= Self.limit else {
          state.running += 1
          return true
        }
        state.waiting.append(transfer)
        return false
      }
    }

    /// Gives up waiting.
    func leave(_ transfer: CurlTransfer) {
      state.withLock { state in state.waiting.removeAll { $0 === transfer } }
    }

    /// Hands the place of a request that is done to the next, if one waits.
    func next() -> CurlTransfer? {
      state.withLock { state in
        guard !state.waiting.isEmpty else {
          state.running -= 1
          return nil
        }
        return state.waiting.removeFirst()
      }
    }
  }
}
#endif
