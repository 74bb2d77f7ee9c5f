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

  /// Replaces the contents; everybody may read the file.
  ///
  /// Returns when the contents are on the disk. On failure the former contents remain.
  package func replace(with text: String) throws(Errno) {
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .last }
    var error = Self.fill(descriptor, with: text)
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
  private static func fill(_ descriptor: CInt, with text: String) -> Errno? {
    // The process's mask may have removed the permission to read.
    guard fchmod(descriptor, 0o644) == 0 else { return .last }
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
