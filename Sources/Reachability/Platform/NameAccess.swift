#if os(Linux)
/// How names are looked up as in a network namespace: on threads that are there, by files that these see.
struct NameAccess: Sendable {
  /// Starts a thread that looks names up.
  let start: ThreadStarter
  /// The files that the resolver reads there.
  let files: [String]

  /// Looks names up as the calling thread would do it now.
  static var here: NameAccess {
    // Other threads are elsewhere; one that stays here starts those that look names up.
    guard NamespaceFile.isThreadElsewhere else {
      return NameAccess(start: startThread(named:_:), files: ResolverConfiguration.files)
    }
    return NameAccess(NamespaceThreads())
  }

  private init(start: @escaping ThreadStarter, files: [String]) {
    self.start = start
    self.files = files
  }

  private init(_ threads: NamespaceThreads) {
    self.init(start: threads.start, files: ResolverConfiguration.files)
  }

  /// Returns `nil` where it is not known how names are resolved in the threads' namespace.
  init?(in threads: NamespaceThreads) {
    guard let files = threads.nameFiles else { return nil }
    self.init(start: threads.start, files: files)
  }
}
#endif
