import CLibrary
import POSIX

/// A lock for the name of a file, which the kernel releases when the process ends.
///
/// It is a file beside the other one that no other user can open: a user who may open a file may lock it for ever.
final class FileLock: Sendable {
  /// Why a lock is not available.
  enum Failure: Error, Equatable {
    /// Another process holds it.
    case inUse
    case system(Errno)
  }

  /// How often the file of a lock may be removed while it is locked.
  private static let attemptLimit = 100

  private let path: String
  private let descriptor: CInt

  /// Locks the name of a file, which need not exist, for this process.
  init(for path: String) throws(Failure) {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    self.path = "\(path[..<start]).\(path[start...]).lock"
    for _ in 0..<Self.attemptLimit {
      let descriptor = unsafe open(
        self.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR)
      guard descriptor >= 0 else { throw .system(.last) }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let error = errno == EWOULDBLOCK ? Failure.inUse : .system(.last)
        _ = close(descriptor)
        throw error
      }
      // The last owner may have removed the file before it released the lock.
      if leads(self.path, to: descriptor) {
        self.descriptor = descriptor
        return
      }
      _ = close(descriptor)
    }
    throw .inUse
  }

  deinit { _ = close(descriptor) }

  /// Lets another process lock the name; this one must not write the file any more.
  func remove() { unsafe unlink(path) }
}

private func leads(_ path: String, to descriptor: CInt) -> Bool {
  var (own, other) = (stat(), stat())
  return unsafe fstat(descriptor, &own) == 0 && lstat(path, &other) == 0
    && own.st_dev == other.st_dev && own.st_ino == other.st_ino
}
