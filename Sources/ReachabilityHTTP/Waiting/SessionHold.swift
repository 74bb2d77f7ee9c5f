import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls a closure when a session is invalidated, and stands for a request in calls of the session's delegate.
///
/// A session reports its end only to its tasks, so this holds one that never runs and is cancelled with the session.
/// It has an identifier that no other task of the session has.
struct SessionHold {
  let task: URLSessionTask?

  init(on session: URLSession, for request: URLRequest, whenInvalidated: @escaping @Sendable () -> Void) {
    // A task whose URL no protocol serves would never end. One for a data URL always does.
    let request =
      request.url?.isForBrowsers == true ? request : URL(string: "data:,").map { URLRequest(url: $0) }
    task = request.map { session.dataTask(with: $0) { _, _, _ in whenInvalidated() } }
  }

  /// Releases the session.
  func release() { task?.cancel() }
}
