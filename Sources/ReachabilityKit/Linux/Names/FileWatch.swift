#if os(Linux)
import CPOSIX
import Netlink
import POSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Notices when files change: when they are written, replaced by others, removed or made, and when a symbolic link on
/// the way to them leads elsewhere.
///
/// One owner at a time. The kernel's interface is `inotify(7)`.
struct FileWatch: ~Copyable, Sendable {
  /// What tells one content of a file from another, without reading it.
  private struct Fingerprint: Equatable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modified: [Int]
  }

  private let paths: [String]
  private let inotify: FileDescriptor
  /// What the watches are for: names in a directory, or all that happens to a file.
  private var watches: [Int32: Set<String>] = [:]
  private var fingerprints: [Fingerprint?] = []
  /// How often a file was written: older kernels' times are too coarse to tell two texts of one length apart.
  private var writes = 0
  private var buffer = [UInt8](repeating: 0, count: 8192)

  /// Begins to watch files, which need not be there; `nil` if the system has no watches left.
  init?(_ paths: [String]) {
    let flags: DescriptorFlags = [.closeOnExec, .nonBlocking]
    guard let inotify = try? FileDescriptor(owning: inotify_init1(flags.rawValue)) else { return nil }
    self.inotify = inotify
    self.paths = paths
    arm()
  }

  /// The descriptor to poll for input.
  var descriptor: CInt { inotify.rawValue }

  /// Takes the waiting events, and returns whether a file is another one than at the last call.
  mutating func takeChange() -> Bool {
    let (before, writesBefore) = (fingerprints, writes)
    guard takeEvents() else { return false }
    arm()
    return fingerprints != before || writes != writesBefore
  }

  private static var directoryMask: UInt32 {
    UInt32(
      IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
  }
  private static var fileMask: UInt32 {
    UInt32(IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF)
  }
  private static var written: UInt32 { UInt32(IN_MODIFY) }
  /// As many as the kernel follows on one way, `MAXSYMLINKS`.
  private static var linkLimit: Int { 40 }

  /// Sets the watches that the present ways to the files need, then looks at the files: a change after that is an
  /// event again.
  private mutating func arm() {
    let old = watches
    watches = [:]
    fingerprints = paths.map { path in
      watchWay(to: path)
      add(path, Self.fileMask, name: "")
      return Self.fingerprint(of: path)
    }
    for watch in old.keys where watches[watch] == nil { inotify_rm_watch(inotify.rawValue, watch) }
  }

  /// Watches every directory on the way to a file for the name by which the way goes on, through all links.
  private mutating func watchWay(to path: String) {
    var directory = ""
    var names = Self.names(in: path)[...]
    var links = 0
    while let name = names.popFirst() {
      // One that is missing is no harm: the directory above it is watched for its name.
      add(directory.isEmpty ? "/" : directory, Self.directoryMask, name: name)
      let next = directory + "/" + name
      guard let target = SystemFile.target(ofLink: next) else {
        directory = next
        continue
      }
      links += 1
      guard links <= Self.linkLimit else { return }
      if target.hasPrefix("/") { directory = "" }
      names = Self.names(in: target) + names
    }
  }

  private mutating func add(_ path: String, _ mask: UInt32, name: String) {
    let watch = unsafe inotify_add_watch(inotify.rawValue, path, mask)
    if watch >= 0 { watches[watch, default: []].insert(name) }
  }

  /// Takes all events; returns whether one is about what is watched.
  private mutating func takeEvents() -> Bool {
    var isRelevant = false
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(inotify.rawValue, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return isRelevant }
      let found = Self.look(at: RawSpan(_elements: buffer.span), before: count, watches)
      isRelevant = isRelevant || found.isRelevant
      writes += found.writes
    }
  }

  //    0        1        2        3        4        5        6        7
  // 0 |               watch               |               mask                |
  // 8 |              cookie               |           name's length           | name, with zeros after it
  /// Returns whether one of the events is about what is watched, and how many tell of writing.
  static func look(
    at bytes: RawSpan, before count: Int, _ watches: [Int32: Set<String>]
  ) -> (isRelevant: Bool, writes: Int) {
    var position = 0
    var (isRelevant, writes) = (false, 0)
    while let watch = try? bytes.integer(Int32.self, at: position, before: count),
      let mask = try? bytes.integer(UInt32.self, at: position + 4, before: count),
      let length = try? bytes.integer(UInt32.self, at: position + 12, before: count)
    {
      let name = position + 16..<position + 16 + Int(length)
      guard name.upperBound <= count, let text = try? bytes.text(in: name) else {
        return (true, writes)
      }
      if mask & Self.written != 0 { writes += 1 }
      // Without a watch: events were lost. Without a name: the file or the directory itself.
      if text.isEmpty || watches[watch]?.contains(text) ?? true { isRelevant = true }
      position = name.upperBound
    }
    return (isRelevant, writes)
  }
}

extension FileWatch {
  private static func names(in path: String) -> [String] {
    path.split(separator: "/").map(String.init)
  }

  private static func fingerprint(of path: String) -> Fingerprint? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Fingerprint(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] })
  }
}
#endif
