// SPDX-License-Identifier: Apache-2.0
import CLibrary
import POSIX

/// The folder and the name of a record, or of another file that has a lock.
///
/// Files are opened and renamed below the descriptor of the folder, and links in it are not followed. So a user who may
/// write to the folder, or move it, cannot lead the record to another place.
struct RecordLocation: Sendable {
  /// A descriptor that is closed with its last owner.
  final class Descriptor: Sendable {
    let rawValue: CInt

    fileprivate init(owning rawValue: CInt) throws(RecordFile.Failure) {
      self.rawValue = rawValue
      if rawValue < 0 { throw .system(.last) }
    }

    deinit {
      if rawValue >= 0 { _ = close(rawValue) }
    }

    var status: stat {
      var status = stat()
      _ = unsafe fstat(rawValue, &status)
      return status
    }
  }

  /// How many links lead to a file at most, as the kernel limits them.
  private static let linkLimit = 40

  /// The path of the file, which is no link.
  let path: String
  let name: String
  let folder: Descriptor

  /// Opens the folder of a file.
  ///
  /// Where only this user and root may put links into the folder, a link at the end of the path may be followed.
  init(_ path: String, followingLink: Bool = true) throws(RecordFile.Failure) {
    var path = path
    for _ in 0..<Self.linkLimit {
      let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
      let (folder, name) = (path[..<start], String(path[start...]))
      let opened = try Self.open(folder.isEmpty ? "." : String(folder))
      guard followingLink, Self.isPrivate(opened.status), let target = Self.target(ofLink: name, in: opened)
      else {
        (self.path, self.name, self.folder) = (path, name, opened)
        return
      }
      path = target.hasPrefix("/") ? target : folder + target
    }
    throw .system(Errno(rawValue: ELOOP))
  }

  private static func open(_ folder: String) throws(RecordFile.Failure) -> Descriptor {
    let descriptor = unsafe CLibrary.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #if os(Linux)
    // A folder whose names this user cannot list.
    if descriptor < 0, errno == EACCES {
      return try Descriptor(
        owning: unsafe CLibrary.open(folder, DescriptorFlags.pathOnly.rawValue | O_DIRECTORY | O_CLOEXEC))
    }
    #endif
    return try Descriptor(owning: descriptor)
  }

  private static func target(ofLink name: String, in folder: Descriptor) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlinkat(folder.rawValue, name, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: - Trust

  /// Whether only this user and root can put files into a folder.
  private static func isPrivate(_ folder: stat) -> Bool {
    [0, geteuid()].contains(folder.st_uid) && folder.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  /// Whether a file may be appended to: where others can put files into the folder, it must belong to this user or to
  /// the owner of the folder, and have no other name elsewhere.
  func isTrusted(_ file: stat) -> Bool {
    let folder = folder.status
    return Self.isPrivate(folder)
      || (file.st_nlink == 1 && [folder.st_uid, geteuid()].contains(file.st_uid))
  }

  // MARK: - Files

  var isRemoved: Bool { folder.status.st_nlink == 0 }

  /// Opens a regular file of the folder.
  func open(_ name: String, _ flags: CInt, mode: mode_t = 0) throws(RecordFile.Failure) -> Descriptor {
    let file: Descriptor
    do throws(RecordFile.Failure) {
      // Opening a pipe must not block the command.
      file = try Descriptor(
        owning: unsafe openat(folder.rawValue, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode))
    } catch {
      throw error == .system(Errno(rawValue: ELOOP)) ? .link : error
    }
    guard file.status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard isTrusted(file.status) else { throw .untrusted }
    return file
  }

  /// The status of a file of the folder, or of a link; `nil` if it does not exist.
  func status(of name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(folder.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Whether a name of the folder leads to an open file.
  func leads(_ name: String, to file: Descriptor) -> Bool {
    let own = file.status
    return status(of: name).map { $0.st_ino == own.st_ino && $0.st_dev == own.st_dev } ?? false
  }

  func rename(_ name: String, to other: String) throws(RecordFile.Failure) {
    if unsafe renameat(folder.rawValue, name, folder.rawValue, other) != 0 { throw .system(.last) }
  }

  /// Waits until the names of the folder are on the disk.
  func synchronize() {
    // Some file systems synchronize no folders.
    _ = fsync(folder.rawValue)
  }
}

/// A lock for the name of a file, which the kernel releases when the process ends.
///
/// It is a file beside the other one that no other user can open: a user who may open a file may lock it for ever.
struct FileLock: Sendable {
  /// How often the file of a lock may be removed while it is locked.
  private static let attemptLimit = 100

  private let location: RecordLocation
  private let descriptor: RecordLocation.Descriptor

  /// Locks the name of a file, which need not exist, for this process.
  ///
  /// - Parameter mayBeFile: Whether the file itself is locked where this user may not create another one.
  init(_ location: RecordLocation, mayBeFile: Bool = false) throws(RecordFile.Failure) {
    for _ in 0..<Self.attemptLimit {
      let lock = try Self.open(location, mayBeFile: mayBeFile)
      guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
        throw errno == EWOULDBLOCK ? .inUse : .system(.last)
      }
      // The last owner may have removed the file before it released the lock.
      if location.leads(Self.name(for: location), to: lock) || location.leads(location.name, to: lock) {
        (self.location, descriptor) = (location, lock)
        return
      }
    }
    throw .inUse
  }

  private static func name(for location: RecordLocation) -> String { ".\(location.name).lock" }

  private static func open(
    _ location: RecordLocation, mayBeFile: Bool
  ) throws(RecordFile.Failure) -> RecordLocation.Descriptor {
    let name = name(for: location)
    do throws(RecordFile.Failure) {
      return try location.open(name, O_RDWR | O_CREAT, mode: S_IRUSR | S_IWUSR)
    } catch {
      guard case .system = error else { throw .untrustedLock(name) }
      let exists = location.status(of: name) != nil
      if mayBeFile, !exists { return try location.open(location.name, O_RDWR) }
      throw exists && error == .system(.accessDenied) ? .untrustedLock(name) : error
    }
  }

  /// Lets another process lock the name; this one must not write the file any more.
  func remove() {
    unsafe unlinkat(location.folder.rawValue, Self.name(for: location), 0)
  }
}
