#if os(Linux)
import Synchronization

/// The file that lists the name servers, and its last readable contents.
final class ResolverFile: Sendable {
  let path: String
  private let known = Mutex<ResolverConfiguration?>(nil)

  init(_ path: String) {
    self.path = path
  }

  /// Reads the file, which takes some microseconds, so that the contents are never older than a path.
  ///
  /// A process without free descriptors gets the previous contents, or `nil` if there are none.
  func read() -> (configuration: ResolverConfiguration, isCurrent: Bool)? {
    known.withLock { known in
      if let read = try? ResolverConfiguration(contentsOf: path) {
        known = read
        return (read, true)
      }
      return known.map { ($0, false) }
    }
  }
}
#endif
