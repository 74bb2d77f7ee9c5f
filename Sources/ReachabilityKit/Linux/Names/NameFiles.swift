#if os(Linux)
import POSIX

/// The files that the system's resolver reads, watched while names are observed.
///
/// Where the system has no watches left, names are still refreshed on an interval, and watching is retried.
struct NameFiles: ~Copyable, Sendable {
  private let paths: [String]
  private var watch: FileWatch?
  private var isWanted = false
  private var lastAttempt = Moment.now

  /// The interval between attempts on a system that has no watches left.
  private static var retryInterval: Duration { .seconds(10) }

  init(_ paths: [String]) {
    self.paths = paths
  }

  /// The descriptor to poll for input.
  var descriptor: CInt? {
    mutating get { watch?.descriptor }
  }

  /// When ``takeChange()`` should be called even if nothing happens.
  var nextTry: Moment? {
    isWanted && watch == nil ? lastAttempt.advanced(by: Self.retryInterval) : nil
  }

  mutating func setWatching(_ isWatching: Bool) {
    isWanted = isWatching
    watch = nil
    if isWatching { startWatch() }
  }

  /// Takes the waiting events and returns whether a file may have changed since the last call.
  mutating func takeChange() -> Bool {
    guard isWanted else { return false }
    if let hasChanged = watch?.takeChange() { return hasChanged }
    startWatch()
    // Changes in between went unseen.
    return watch != nil
  }

  private mutating func startWatch() {
    watch = FileWatch(paths)
    lastAttempt = Moment.now
  }
}
#endif
