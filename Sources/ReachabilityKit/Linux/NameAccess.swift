// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import POSIX
import Synchronization

/// The lookup of names in a network namespace: threads that are in it, and the files that the resolver reads there.
struct NameAccess: Sendable {
  /// Starts a thread in the namespace.
  let start: ThreadStarter
  /// The files that the resolver reads there.
  let files: NameFileSource

  /// The lookup in the calling thread's namespaces, for callers on any thread.
  static var here: NameAccess {
    let home = ThreadAttributes.here
    // Other threads are in another network. A thread that stays here can start further ones without privileges.
    if home.isApart, let threads = try? NamespaceThreads() { return NameAccess(start: threads.start) }
    return NameAccess(start: home.startThread(named:_:))
  }

  init(start: @escaping ThreadStarter, files: NameFileSource = .machine) {
    self.start = start
    self.files = files
  }

  /// Returns `nil` if it is unknown how names are resolved in the threads' namespace.
  init?(in threads: NamespaceThreads) {
    guard let files = threads.nameFiles else { return nil }
    self.init(start: threads.startLookup(named:_:), files: files)
  }
}
#endif

/// The access to another network namespace from outside.
struct NamespaceAccess {
  /// The source of the namespace's network; its sockets are open, so it needs no further privileges.
  let source: any NetworkSource

  #if os(Linux)
  /// The lookup of names in the namespace; `nil` if it is unknown how they are resolved there.
  let names: NameAccess?

  /// Enters the namespace on a dedicated thread and opens the sockets there.
  init(_ namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    let threads = try NamespaceThreads(in: namespace)
    let names = NameAccess(in: threads)
    source = try threads.call { () throws(ReachabilityMonitorError) -> LinuxNetworkSource in
      try LinuxNetworkSource(names: names, threads: threads.start)
    }
    self.names = names
  }
  #else
  /// Always throws: only Linux has network namespaces.
  init(_ namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    throw ReachabilityMonitorError(
      .namespaceNotFound, description: "there is no \(namespace): only Linux has network namespaces")
  }
  #endif
}

#if os(Linux)
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

extension ResolverConfiguration {
  /// Reads a configuration with all search domains that the C library reads.
  init(ofSearchesIn path: String) throws(Errno) {
    try self.init(contentsOf: path, upTo: Self.searchSizeLimit)
  }

  /// Returns the domain with which the C library would end this process if the calling thread looked up a name now.
  ///
  /// The library reads the same file itself afterwards. If it is replaced in between by one with such a domain, the process
  /// ends nonetheless; nothing outside the library can prevent that.
  ///
  /// - Parameter path: The file of this configuration.
  func overlongSearchDomain(of path: String) -> ExplanationFacts.OverlongSearchDomain? {
    // As the C library, whose loader removes the variable from a process with more rights than its caller.
    if let text = unsafe getenv("LOCALDOMAIN") {
      let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
      return Self.fatalLength(inVariable: bytes).map { .init(path: nil, length: $0) }
    }
    return fatalLength.map { .init(path: path, length: $0) }
  }
}

extension ExplanationFacts.OverlongSearchDomain {
  /// Finds the domain for a lookup by a file that lists the name servers.
  ///
  /// - Throws: A shortage, for example of descriptors; the content is unknown then.
  static func find(in path: String) throws(Errno) -> Self? {
    // The variable replaces the file, which need not be readable then.
    let isReplaced = unsafe getenv("LOCALDOMAIN") != nil
    let configuration = isReplaced ? ResolverConfiguration([]) : try ResolverConfiguration(ofSearchesIn: path)
    return configuration.overlongSearchDomain(of: path)
  }

  /// Finds the domain for a lookup in the calling thread.
  package static func find() throws(Errno) -> Self? { try find(in: ResolverConfiguration.files[0]) }
}
#endif
