import Foundation

/// The queues of URL sessions: for their delegates, and for starting and ending them.
enum SessionQueue {
  #if canImport(FoundationNetworking)
  /// Runs each block on the session's own thread, so that the session reads no faster than the delegate.
  ///
  /// With a queue in between, an endless answer fills the memory. The delegate must not wait for the session, which
  /// waits for it.
  private final class Inline: OperationQueue, @unchecked Sendable {
    // Safe to share: this class adds no state. (Unchecked only because its superclass is.)
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }

  static func make() -> OperationQueue? { Inline() }
  #else
  static func make() -> OperationQueue? { nil }
  #endif

  // Foundation for Linux has one queue for all sessions of a process, and each call to a session waits for it. While
  // libcurl reads from a server that is faster than itself, that queue is busy. A Swift task must not wait for it.

  private static let starting = DispatchQueue(label: "reachability.requests.starting")
  private static let ending = DispatchQueue(label: "reachability.requests.ending")

  /// Starts a request off the caller's thread.
  static func start(_ work: @escaping @Sendable () -> Void) { starting.async(execute: work) }

  /// Ends a session off the caller's thread, which can take until all received data is read.
  static func end(_ work: @escaping @Sendable () -> Void) { ending.async(execute: work) }
}
