// SPDX-License-Identifier: Apache-2.0
import CLibrary
import POSIX

/// A file to which one process appends whole lines.
final class RecordFile: Sendable {
  /// Why a file cannot be appended to.
  enum Failure: Error, Equatable {
    /// Another process holds the lock.
    case inUse
    case notRegular
    /// The file has content of another kind.
    case foreign
    /// A symbolic link in a folder that others may write to.
    case link
    /// Another user may have put the file there.
    case untrusted
    /// Another user may have put the file of the lock there.
    case untrustedLock(String)
    case system(Errno)
  }

  /// How many names of older files are looked at beyond those that are kept.
  private static let foreignLimit = 1000

  private let location: RecordLocation
  /// The text that each file begins with.
  private let beginning: String
  private let descriptor: RecordLocation.Descriptor
  private let lock: FileLock

  private init(
    at location: RecordLocation, beginningWith beginning: String, _ lock: FileLock, _ flags: CInt = 0
  ) throws(Failure) {
    (self.location, self.beginning, self.lock) = (location, beginning, lock)
    descriptor = try location.open(location.name, O_RDWR | O_APPEND | O_CREAT | flags, mode: 0o644)
    guard Self.begins(descriptor, with: beginning) else { throw .foreign }
    if let error = removeUnfinishedLine() { throw .system(error) }
    location.synchronize()
  }

  /// Opens and locks a file, creates it if it does not exist, and removes an unfinished last line.
  ///
  /// - Parameter beginning: The text that the file begins with if it is not empty.
  static func forAppending(at path: String, beginningWith beginning: String) throws(Failure) -> RecordFile {
    let location = try RecordLocation(path)
    // What cannot be a record gets no lock beside it.
    let descriptor = try location.open(location.name, O_RDWR | O_CREAT, mode: 0o644)
    guard begins(descriptor, with: beginning) else { throw .foreign }
    return try RecordFile(at: location, beginningWith: beginning, FileLock(location, mayBeFile: true))
  }

  /// Opens the file that has the name now, or creates one.
  ///
  /// - Parameter path: The path by which the folder is opened again if it was removed.
  func reopened(at path: String) throws(Failure) -> RecordFile {
    if location.isRemoved { return try .forAppending(at: path, beginningWith: beginning) }
    return try RecordFile(at: location, beginningWith: beginning, lock)
  }

  /// Lets another process append to the file; this one must not append any more.
  func unlock() { lock.remove() }

  /// The path of the file.
  var path: String { location.path }

  /// The size in bytes.
  var size: Int { Int(descriptor.status.st_size) }

  /// Whether the name still leads to this file, and nothing has changed the size that it had.
  func isUnchanged(from size: Int) -> Bool {
    location.leads(location.name, to: descriptor) && self.size == size
  }

  /// Appends lines with as few calls as the system permits, usually one.
  ///
  /// - Parameters:
  ///   - bytes: Whole lines.
  ///   - allOrNothing: Whether no line stays if there is no room for all.
  /// - Returns: The number of bytes of whole lines that the file has now, and the error if that is not all. A line that
  ///   is not whole is removed.
  func append(_ bytes: [UInt8], allOrNothing: Bool = false) -> (count: Int, error: Errno?) {
    let start = size
    var done = 0
    while done < bytes.count {
      let written = unsafe bytes[done...].withUnsafeBytes {
        unsafe write(descriptor.rawValue, $0.baseAddress, $0.count)
      }
      if written >= 0 {
        done += written
      } else if errno != EINTR {
        let error = Errno.last
        let whole = allOrNothing ? 0 : (bytes[..<done].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        _ = ftruncate(descriptor.rawValue, off_t(start + whole))
        return (whole, error)
      }
    }
    return (done, nil)
  }

  /// Cuts the file after its last line feed.
  func removeUnfinishedLine() -> Errno? {
    let size = size
    var end = size
    while end > 0 {
      let start = max(0, end - 65536)
      let chunk = Self.bytes(of: descriptor, at: start, upTo: end - start)
      guard chunk.count == end - start else { return .last }
      if let index = chunk.lastIndex(of: UInt8(ascii: "\n")) {
        end = start + index + 1
        break
      }
      end = start
    }
    return end == size || ftruncate(descriptor.rawValue, off_t(end)) == 0 ? nil : .last
  }

  /// Waits until the content is on the disk; the call is `fdatasync(2)`.
  func synchronize() -> Errno? {
    #if canImport(Darwin)
    fsync(descriptor.rawValue) == 0 ? nil : .last
    #else
    fdatasync(descriptor.rawValue) == 0 ? nil : .last
    #endif
  }

  // MARK: - Older files

  /// Renames the file to `PATH.1`, older ones to `PATH.2` and so on, and creates an empty one in its place.
  ///
  /// A file with such a name that is no record keeps it, and its number is left out. If it fails, this file keeps its
  /// name.
  ///
  /// - Parameter kept: The number of older files to keep; the oldest of more is removed.
  func rotated(keeping kept: Int) throws(Failure) -> RecordFile {
    var names: [String] = []
    // Only names before a free one have to move.
    for number in 1...kept + Self.foreignLimit where names.count < kept {
      let name = "\(location.name).\(number)"
      if location.status(of: name) == nil {
        names.append(name)
        break
      }
      if isRecord(name) { names.append(name) }
    }
    guard let first = names.first else { throw .system(Errno(rawValue: EEXIST)) }
    for index in names.indices.dropFirst().reversed() {
      try? location.rename(names[index - 1], to: names[index])
    }
    try location.rename(location.name, to: first)
    do throws(Failure) {
      return try RecordFile(at: location, beginningWith: beginning, lock, O_EXCL)
    } catch {
      // Another process may have created a file in between, which stays.
      if error != .system(Errno(rawValue: EEXIST)) { try? location.rename(first, to: location.name) }
      throw error
    }
  }

  /// Whether a file of the folder is a record.
  private func isRecord(_ name: String) -> Bool {
    guard location.status(of: name).map({ $0.st_mode & S_IFMT == S_IFREG && $0.st_size > 0 }) == true,
      let descriptor = try? location.open(name, O_RDONLY)
    else { return false }
    return Self.begins(descriptor, with: beginning)
  }

  // MARK: - Content

  /// Whether a file begins with a text, or is a part of it.
  private static func begins(_ descriptor: RecordLocation.Descriptor, with beginning: String) -> Bool {
    beginning.utf8.starts(with: bytes(of: descriptor, at: 0, upTo: beginning.utf8.count))
  }

  private static func bytes(
    of descriptor: RecordLocation.Descriptor, at offset: Int, upTo count: Int
  ) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
      read = unsafe max(0, pread(descriptor.rawValue, buffer.baseAddress, count, off_t(offset)))
    }
  }
}
