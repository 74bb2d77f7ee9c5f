#if os(Linux)
import CLibrary
import POSIX
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

extension ExplanationFacts.OverlongSearchDomain {
  /// Finds the domain with which the C library would end this process if the calling thread looked up a name now.
  ///
  /// The library reads the same file itself afterwards. If it is replaced in between by one with such a domain, the process
  /// ends nonetheless; nothing outside the library can prevent that.
  ///
  /// - Parameter path: The file that lists the name servers, `/etc/resolv.conf` in the thread of a lookup.
  /// - Throws: A shortage, for example of descriptors; the content is unknown then.
  package static func find(in path: String) throws(Errno) -> Self? {
    // As the C library, whose loader removes the variable from a process with more rights than its caller.
    if let text = unsafe getenv("LOCALDOMAIN") {
      let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
      return ResolverConfiguration.fatalLength(inVariable: bytes).map { Self(path: nil, length: $0) }
    }
    let configuration = try ResolverConfiguration(
      contentsOf: path, upTo: ResolverConfiguration.searchSizeLimit)
    return configuration.fatalLength.map { Self(path: path, length: $0) }
  }

  /// Finds the domain for a lookup in the calling thread.
  package static func find() throws(Errno) -> Self? { try find(in: ResolverConfiguration.files[0]) }
}
#endif
