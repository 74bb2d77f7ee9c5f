#if os(Linux)
/// What the system's resolver reads, watched while it matters.
///
/// Where the system has no watches left, names are still looked up again on an interval, and watching is tried again.
struct NameFiles: ~Copyable, Sendable {
  private let paths: [String]
  private var watch: FileWatch?
  private var isWanted = false
  private var lastTry = SuspendingClock().now

  /// How long to wait before a system is tried again that had no watches left.
  private static var retryInterval: Duration { .seconds(10) }

  init(_ paths: [String]) {
    self.paths = paths
  }

  /// The descriptor to poll for input.
  var descriptor: CInt? {
    mutating get { watch?.descriptor }
  }

  /// When ``takeChange()`` should be called even if nothing happens.
  var nextTry: SuspendingClock.Instant? {
    isWanted && watch == nil ? lastTry.advanced(by: Self.retryInterval) : nil
  }

  mutating func setWatching(_ isWatching: Bool) {
    isWanted = isWatching
    watch = nil
    if isWatching { tryToWatch() }
  }

  /// Takes the waiting events, and returns whether a file may be another one than at the last call.
  mutating func takeChange() -> Bool {
    guard isWanted else { return false }
    if let hasChanged = watch?.takeChange() { return hasChanged }
    tryToWatch()
    // What happened meanwhile nobody saw.
    return watch != nil
  }

  private mutating func tryToWatch() {
    watch = FileWatch(paths)
    lastTry = SuspendingClock().now
  }
}
#endif
