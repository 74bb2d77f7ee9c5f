import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls a closure when a session is invalidated.
///
/// A session reports this only to its tasks, so this holds one that never runs and is cancelled with the session.
struct SessionHold {
  private let task: URLSessionTask?

  init(on session: URLSession, whenInvalidated: @escaping @Sendable () -> Void) {
    // A data URL causes no traffic.
    task = URL(string: "data:,").map { session.dataTask(with: $0) { _, _, _ in whenInvalidated() } }
  }

  /// Releases the session.
  func release() { task?.cancel() }
}
