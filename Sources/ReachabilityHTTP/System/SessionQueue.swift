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

  /// Where a session is told to end, which takes as long as it takes to read what has come.
  static func end(_ work: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(execute: work)
  }
}
