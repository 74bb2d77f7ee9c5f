#if os(Linux)
/// How names are looked up as in a network namespace: on threads that are there, by files that these see.
struct NameAccess: Sendable {
  /// Starts a thread that looks names up.
  let start: ThreadStarter
  /// The files that the resolver reads there.
  let files: [String]

  /// Looks names up as the calling thread would do it now, whatever thread asks.
  static var here: NameAccess {
    let home = ThreadHome.here
    // Other threads are elsewhere; one that stays here starts those that look names up, which takes no rights.
    if home.isApart, let threads = try? NamespaceThreads() { return NameAccess(threads) }
    return NameAccess(start: home.startThread(named:_:), files: ResolverConfiguration.files)
  }

  init(start: @escaping ThreadStarter, files: [String]) {
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
