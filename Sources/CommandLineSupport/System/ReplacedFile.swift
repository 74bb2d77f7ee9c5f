// SPDX-License-Identifier: Apache-2.0
import CLibrary
import POSIX

/// A file whose readers find either its former contents or its new ones, never a part.
///
/// New contents are written to another file in the same folder, flushed, and renamed.
package struct ReplacedFile: Sendable {
  package let path: String
  /// A name whose ending no reader of the folder knows.
  private let draft: String

  /// A file that any process may replace.
  package init(_ path: String) {
    self.path = path
    draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
  }

  /// A file whose name this process has locked; removes what a killed one left beside it.
  package init(locked path: String) {
    self.path = path
    draft = "\(path).tmp"
    unsafe unlink(draft)
  }

  /// What has the name of the file.
  package enum Occupant {
    case regularFile
    case symbolicLink
    /// For example a device, whose name must not become that of a file.
    case other
  }

  /// What has the name now; `nil` if nothing has.
  package var occupant: Occupant? {
    status.map { [S_IFREG: .regularFile, S_IFLNK: .symbolicLink][$0.st_mode & S_IFMT] ?? .other }
  }

  private var status: stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  /// Whether another path leads to the file, too.
  package func isSame(as other: String) -> Bool {
    var found = stat()
    guard let status, unsafe stat(other, &found) == 0 else { return false }
    return found.st_ino == status.st_ino && found.st_dev == status.st_dev
  }

  /// Replaces the contents.
  ///
  /// Returns when the contents are on the disk. On failure the former contents remain.
  ///
  /// - Parameter isPublic: Whether everybody may read the file, whatever the process's mask. Otherwise it has the mode
  ///   of the file that it replaces, or else the one that the mask leaves.
  package func replace(with text: String, isPublic: Bool = true) throws(Errno) {
    let former = isPublic ? nil : status.flatMap { $0.st_mode & S_IFMT == S_IFREG ? $0 : nil }
    let mode = isPublic ? 0o644 : former.map { $0.st_mode & 0o777 }
    let descriptor = unsafe open(
      draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode ?? 0o666)
    guard descriptor >= 0 else { throw .last }
    // Only root can keep the owner, who may be the only one to read the file.
    if let former { _ = fchown(descriptor, former.st_uid, former.st_gid) }
    var error = Self.fill(descriptor, with: text, mode: mode)
    _ = close(descriptor)
    if error == nil, unsafe rename(draft, path) != 0 { error = .last }
    guard let error else { return }
    unsafe unlink(draft)
    throw error
  }

  /// Removes the file, if it exists.
  package func remove() {
    unsafe unlink(path)
  }

  /// Returns the first error.
  private static func fill(_ descriptor: CInt, with text: String, mode: mode_t?) -> Errno? {
    // The process's mask may have removed permissions.
    if let mode, fchmod(descriptor, mode) != 0 { return .last }
    var text = text
    return text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[done...])
        let written = unsafe write(descriptor, rest.baseAddress, rest.count)
        if written > 0 {
          done += written
        } else if errno != EINTR {
          return .last
        }
      }
      return fsync(descriptor) == 0 ? nil : .last
    }
  }
}
