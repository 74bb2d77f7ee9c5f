// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import Netlink
import POSIX

/// A watch for files that are written, replaced, removed or created, and for symbolic links on their paths that change.
///
/// Also for all files in one folder, except those whose name begins with a dot, as temporary ones do.
///
/// Not safe for concurrent use. The kernel's interface is `inotify(7)`.
struct FileWatch: ~Copyable, Sendable {
  /// What changed.
  struct Change: Equatable {
    /// Whether it was one of the files.
    var files = false
    /// Whether it was a file in the folder.
    var folder = false
  }

  private let paths: [String]
  private var folder: String?
  private let inotify: FileDescriptor
  private var folderWatch: Int32?
  private var folderVersion: FileVersion?
  /// The names that each watch is for; an empty name stands for every event of a file.
  private var watches: [Int32: Set<String>] = [:]
  private var versions: [FileVersion?] = []
  /// The number of writes: the timestamps of older kernels are too coarse to distinguish two texts of one length.
  private var writes = 0
  private var buffer = [UInt8](repeating: 0, count: 8192)

  /// Starts watching files and a folder, which need not exist; `nil` if the system has no watches left.
  init?(_ paths: [String], folder: String? = nil) {
    let flags: DescriptorFlags = [.closeOnExec, .nonBlocking]
    guard let inotify = try? FileDescriptor(owning: inotify_init1(flags.rawValue)) else { return nil }
    self.inotify = inotify
    self.paths = paths
    self.folder = folder
    arm()
  }

  /// The descriptor to poll for input.
  var descriptor: CInt { inotify.rawValue }

  /// Takes the waiting events and returns what changed since the last call.
  mutating func readChange() -> Change {
    let (before, writesBefore, folderBefore) = (versions, writes, folderVersion)
    let events = readEvents()
    guard events != Change() else { return events }
    arm()
    return Change(
      files: versions != before || writes != writesBefore,
      folder: events.folder || folderVersion != folderBefore)
  }

  private static var directoryMask: UInt32 {
    UInt32(
      IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
  }
  private static var fileMask: UInt32 {
    UInt32(IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF)
  }
  private static var folderMask: UInt32 { directoryMask | UInt32(IN_CLOSE_WRITE) }
  private static var written: UInt32 { UInt32(IN_MODIFY) }
  /// The number of links that the kernel follows on one path, `MAXSYMLINKS`.
  private static var linkLimit: Int { 40 }

  /// Sets the watches that the current paths need, then reads the versions, so that any later change is an event.
  private mutating func arm() {
    let old = watches
    watches = [:]
    versions = paths.map { path in
      watchPath(path)
      add(path, Self.fileMask, name: "")
      return FileVersion(of: path)
    }
    armFolder()
    for watch in old.keys where watches[watch] == nil { inotify_rm_watch(inotify.rawValue, watch) }
  }

  private mutating func armFolder() {
    folderWatch = nil
    guard let folder else { return }
    watchPath(folder)
    folderWatch = add(folder, Self.folderMask, name: "")
    folderVersion = FileVersion(of: folder)
  }

  /// Watches the files in a folder from now on, or in none.
  mutating func setFolder(_ folder: String?) {
    self.folder = folder
    armFolder()
  }

  /// Watches every directory on a path for the next name, through all links.
  private mutating func watchPath(_ path: String) {
    var directory = ""
    var names = Self.names(in: path)[...]
    var links = 0
    while let name = names.popFirst() {
      // If it is missing, the watch of its parent reports its creation.
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

  @discardableResult
  private mutating func add(_ path: String, _ mask: UInt32, name: String) -> Int32? {
    let watch = unsafe inotify_add_watch(inotify.rawValue, path, mask)
    guard watch >= 0 else { return nil }
    watches[watch, default: []].insert(name)
    return watch
  }

  /// Takes all events and returns whether one concerns a watched name, or a file in the folder.
  private mutating func readEvents() -> Change {
    var change = Change()
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(inotify.rawValue, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return change }
      let found = Self.scan(RawSpan(_elements: buffer.span), before: count, watches, folder: folderWatch)
      change.files = change.files || found.isRelevant
      change.folder = change.folder || found.isInFolder
      writes += found.writes
    }
  }

  //    0        1        2        3        4        5        6        7
  // 0 |               watch               |               mask                |
  // 8 |              cookie               |           name's length           | name, with zeros after it
  /// Returns whether one of the events concerns a watched name or a file in the folder, and how many report a write.
  static func scan(
    _ bytes: RawSpan, before count: Int, _ watches: [Int32: Set<String>], folder: Int32? = nil
  ) -> (isRelevant: Bool, isInFolder: Bool, writes: Int) {
    var position = 0
    var (isRelevant, isInFolder, writes) = (false, false, 0)
    while let watch = try? bytes.integer(Int32.self, at: position, before: count),
      let mask = try? bytes.integer(UInt32.self, at: position + 4, before: count),
      let length = try? bytes.integer(UInt32.self, at: position + 12, before: count)
    {
      let name = position + 16..<position + 16 + Int(length)
      guard name.upperBound <= count, let text = try? bytes.text(in: name) else {
        return (true, true, writes)
      }
      if mask & Self.written != 0 { writes += 1 }
      if watch == folder, !text.isEmpty, !text.hasPrefix(".") { isInFolder = true }
      // No watch: events were lost. No name: the file or the directory itself.
      if text.isEmpty || watches[watch]?.contains(text) ?? true { isRelevant = true }
      position = name.upperBound
    }
    return (isRelevant, isInFolder, writes)
  }
}

extension FileWatch {
  private static func names(in path: String) -> [String] {
    path.split(separator: "/").map(String.init)
  }
}

/// The attributes that distinguish two versions of a file without reading it.
struct FileVersion: Equatable {
  private var device: UInt64
  private var inode: UInt64
  private var size: Int64
  /// The times of the last change of the contents and of the attributes, in seconds and nanoseconds.
  private var modified: [Int]

  /// Returns `nil` for a file that is not there.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
  }

  /// Whether the next change has another time: timestamps may be coarse.
  var isSettled: Bool { time(nil) > (modified.first ?? 0) + 2 }
}
#endif
