#if os(Linux)
import CNetlink
import Netlink

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
  private var buffer = [UInt8](repeating: 0, count: 8192)

  /// Begins to watch files, which need not be there; `nil` if the system has no watches left.
  init?(_ paths: [String]) {
    guard let inotify = try? FileDescriptor(owning: inotify_init1(CInt(Self.closeOnExec | Self.nonBlocking)))
    else {
      return nil
    }
    self.inotify = inotify
    self.paths = paths
    arm()
  }

  /// The descriptor to poll for input.
  var descriptor: CInt { inotify.rawValue }

  /// Takes the waiting events, and returns whether a file is another one than at the last call.
  mutating func takeChange() -> Bool {
    guard takeEvents() else { return false }
    let before = fingerprints
    arm()
    return fingerprints != before
  }

  // IN_CLOEXEC and IN_NONBLOCK.
  private static var closeOnExec: Int { 0o2000000 }
  private static var nonBlocking: Int { 0o4000 }
  /// IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF; IN_ONLYDIR.
  private static var directoryMask: UInt32 { 0x0fc0 | 0x0100_0000 }
  /// IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE, IN_DELETE_SELF, IN_MOVE_SELF.
  private static var fileMask: UInt32 { 0x0c0e }
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

  /// Watches the directories in which the file, and each link on the way to it, is or would be.
  private mutating func watchWay(to path: String) {
    var path = path
    for _ in 0..<Self.linkLimit {
      var (directory, name) = Self.split(path)
      // Where a directory is missing, the next one above is where it would be made.
      while !add(directory, Self.directoryMask, name: name), directory != "/" {
        (directory, name) = Self.split(directory)
      }
      guard let target = Self.target(ofLink: path) else { return }
      path = target.hasPrefix("/") ? target : directory + "/" + target
    }
  }

  @discardableResult
  private mutating func add(_ path: String, _ mask: UInt32, name: String) -> Bool {
    let watch = unsafe inotify_add_watch(inotify.rawValue, path, mask)
    guard watch >= 0 else { return false }
    watches[watch, default: []].insert(name)
    return true
  }

  /// Takes all events; returns whether one is about what is watched.
  private mutating func takeEvents() -> Bool {
    var isRelevant = false
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(inotify.rawValue, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return isRelevant }
      if contains(count) { isRelevant = true }
    }
  }

  //    0        1        2        3        4        5        6        7
  // 0 |               watch               |               mask                |
  // 8 |              cookie               |           name's length           | name, with zeros after it
  private func contains(_ count: Int) -> Bool {
    let bytes = RawSpan(_elements: buffer.span)
    var position = 0
    while let watch = try? bytes.integer(Int32.self, at: position, before: count),
      let length = try? bytes.integer(UInt32.self, at: position + 12, before: count)
    {
      let name = position + 16..<position + 16 + Int(length)
      guard name.upperBound <= count, let text = try? bytes.text(in: name) else { return true }
      // Without a watch: events were lost. Without a name: the file or the directory itself.
      guard let names = watches[watch], !text.isEmpty else { return true }
      if names.contains(text) { return true }
      position = name.upperBound
    }
    return false
  }
}

extension FileWatch {
  private static func split(_ path: String) -> (directory: String, name: String) {
    let parts = path.split(separator: "/")
    return ("/" + parts.dropLast().joined(separator: "/"), parts.last.map(String.init) ?? "")
  }

  private static func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe buffer.baseAddress.map { start in
        unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
      } ?? 0
    }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
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
