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
    case system(Errno)
  }

  let path: String
  private let descriptor: CInt

  private init(opening path: String, _ flags: CInt = 0) throws(Failure) {
    self.path = path
    // Opening a pipe must not block the command.
    descriptor = unsafe open(
      path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags, mode_t(0o644))
    guard descriptor >= 0 else { throw .system(.last) }
    guard status(of: descriptor).st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK ? .inUse : .system(.last)
    }
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Opens and locks a file, creates it if it does not exist, and removes an unfinished last line.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - beginning: The text that the file begins with if it is not empty.
  static func forAppending(at path: String, beginningWith beginning: String) throws(Failure) -> RecordFile {
    while true {
      let file = try RecordFile(opening: path)
      // The last owner may have renamed the file before it released the lock.
      guard file.isInPlace else { continue }
      let start = file.bytes(at: 0, upTo: beginning.utf8.count)
      guard beginning.utf8.starts(with: start) else { throw .foreign }
      if let error = file.removeUnfinishedLine() { throw .system(error) }
      file.synchronizeFolder()
      return file
    }
  }

  /// The size in bytes.
  var size: Int { Int(status(of: descriptor).st_size) }

  /// Whether the path still leads to this file.
  var isInPlace: Bool {
    let own = status(of: descriptor)
    var other = stat()
    return unsafe stat(path, &other) == 0 && other.st_ino == own.st_ino && other.st_dev == own.st_dev
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
      let written = unsafe bytes[done...].withUnsafeBytes { unsafe writeBytes(descriptor, $0) }
      if written >= 0 {
        done += written
      } else if errno != EINTR {
        let error = Errno.last
        let whole = allOrNothing ? 0 : (bytes[..<done].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        _ = ftruncate(descriptor, off_t(start + whole))
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
      let chunk = bytes(at: start, upTo: end - start)
      guard chunk.count == end - start else { return .last }
      if let index = chunk.lastIndex(of: UInt8(ascii: "\n")) {
        end = start + index + 1
        break
      }
      end = start
    }
    return end == size || ftruncate(descriptor, off_t(end)) == 0 ? nil : .last
  }

  /// Waits until the content is on the disk; the call is `fdatasync(2)`.
  func synchronize() -> Errno? {
    #if canImport(Darwin)
    fsync(descriptor) == 0 ? nil : .last
    #else
    fdatasync(descriptor) == 0 ? nil : .last
    #endif
  }

  /// Waits until the name of the file is on the disk.
  func synchronizeFolder() {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // Some file systems synchronize no folders.
    _ = fsync(descriptor)
    close(descriptor)
  }

  /// Renames the file to `PATH.1`, older ones to `PATH.2` and so on, and creates an empty one in its place.
  ///
  /// If it fails, this file keeps its name.
  ///
  /// - Parameter kept: The number of older files to keep; the oldest of more is removed.
  func rotated(keeping kept: Int) throws(Failure) -> RecordFile {
    let names = (1...kept).map { "\(path).\($0)" }
    // Only names before a free one have to move.
    let count = names.firstIndex { unsafe access($0, F_OK) != 0 } ?? kept - 1
    for index in stride(from: count, to: 0, by: -1) { unsafe rename(names[index - 1], names[index]) }
    guard unsafe rename(path, names[0]) == 0 else { throw .system(.last) }
    do {
      let file = try RecordFile(opening: path, O_EXCL)
      file.synchronizeFolder()
      return file
    } catch {
      // Another process may have created a file in between, which stays.
      if error != .system(Errno(rawValue: EEXIST)) { unsafe rename(names[0], path) }
      throw error
    }
  }

  private func bytes(at offset: Int, upTo count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
      read = unsafe max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }
  }
}

private func status(of descriptor: CInt) -> stat {
  var status = stat()
  _ = unsafe fstat(descriptor, &status)
  return status
}

// Outside of the type, where `write` could be its own.
private func writeBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
