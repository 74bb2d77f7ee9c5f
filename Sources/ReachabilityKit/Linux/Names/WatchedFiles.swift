// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

/// The files that the system's resolver reads, watched while names are observed, and a folder of files about links.
///
/// Where the system has no watches left, names are still refreshed on an interval, and watching is retried.
struct WatchedFiles: ~Copyable, Sendable {
  private let paths: [String]
  private let folder: String?
  private var watch: FileWatch?
  private var isWanted = false
  private var isFolderWanted = false
  private var lastAttempt = Moment.now

  /// The interval between attempts on a system that has no watches left.
  private static var retryInterval: Duration { .seconds(10) }

  init(_ paths: [String], folder: String? = nil) {
    self.paths = paths
    self.folder = folder
  }

  /// The descriptor to poll for input.
  var descriptor: CInt? {
    mutating get { watch?.descriptor }
  }

  /// When ``readChange()`` should be called even if nothing happens.
  var nextTry: Moment? {
    isWanted && watch == nil ? lastAttempt.advanced(by: Self.retryInterval) : nil
  }

  mutating func setWatching(_ isWatching: Bool) {
    isWanted = isWatching
    watch = nil
    if isWatching { startWatch() }
  }

  /// Watches the folder too, while the files are watched.
  mutating func setWatchingFolder(_ isWatching: Bool) {
    isFolderWanted = isWatching
    watch?.setFolder(isWatching ? folder : nil)
  }

  /// Takes the waiting events and returns what may have changed since the last call.
  mutating func readChange() -> FileWatch.Change {
    guard isWanted else { return FileWatch.Change() }
    if let change = watch?.readChange() { return change }
    startWatch()
    // Changes in between went unseen.
    return FileWatch.Change(files: watch != nil, folder: watch != nil)
  }

  private mutating func startWatch() {
    watch = FileWatch(paths, folder: isFolderWanted ? folder : nil)
    lastAttempt = Moment.now
  }
}
#endif
