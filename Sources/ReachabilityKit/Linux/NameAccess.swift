#if os(Linux)
/// The lookup of names in a network namespace: threads that are in it, and the files that the resolver reads there.
struct NameAccess: Sendable {
  /// Starts a thread in the namespace.
  let start: ThreadStarter
  /// The files that the resolver reads there.
  let files: NameFileSource

  /// The lookup in the calling thread's namespaces, for callers on any thread.
  static var here: NameAccess {
    let home = ThreadHome.here
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
