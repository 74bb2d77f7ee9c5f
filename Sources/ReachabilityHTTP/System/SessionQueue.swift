import Foundation

/// The queue that a session calls its delegate on.
enum SessionQueue {
  #if canImport(FoundationNetworking)
  /// On the session's own thread, so that it reads no faster than the delegate takes it: with a queue in between, a server that
  /// never ends fills the memory.
  ///
  /// What the delegate does must not wait for the session, which waits for it.
  private final class Inline: OperationQueue, @unchecked Sendable {
    // Safe to share: it has no state of its own. (Unchecked only because the class that it inherits from is.)
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }

  static func make() -> OperationQueue? { Inline() }
  #else
  static func make() -> OperationQueue? { nil }
  #endif

  // Foundation for Linux has one queue for all sessions of a process, and whoever calls one of them waits for it. While libcurl reads
  // from a server that is faster than itself, that queue is busy, and a task of Swift's must not wait for it.

  private static let starting = DispatchQueue(label: "reachability.requests.starting")
  private static let ending = DispatchQueue(label: "reachability.requests.ending")

  /// Where a request is begun.
  static func start(_ work: @escaping @Sendable () -> Void) { starting.async(execute: work) }

  /// Where a session is told to end, which takes as long as it takes to read what has come.
  static func end(_ work: @escaping @Sendable () -> Void) { ending.async(execute: work) }
}
