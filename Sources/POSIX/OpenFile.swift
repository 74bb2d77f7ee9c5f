#if os(Linux)
import CLibrary

/// A file that stays open and is read again and again from its beginning.
///
/// A file below `/proc/net` or `/proc/sys/net` is that of the opening thread's network namespace, for readers in others too.
package final class OpenFile: Sendable {
  private let descriptor: FileDescriptor

  /// Opens a file for reading.
  package convenience init(_ path: String) throws(Errno) { try self.init(path, O_RDONLY) }

  /// Opens a file with the flags of `open(2)`; a file that this creates is for its owner to write, and for all to read.
  package init(_ path: String, _ flags: CInt) throws(Errno) {
    descriptor = try FileDescriptor(owning: unsafe open(path, flags | O_CLOEXEC, 0o644))
  }

  package var rawValue: CInt { descriptor.rawValue }

  /// Returns the first bytes as one call reads them now, up to a limit.
  package func contents(upTo limit: Int) throws(Errno) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = unsafe pread(descriptor.rawValue, &buffer, buffer.count, 0)
    guard count >= 0 else { throw .last }
    return Array(buffer.prefix(count))
  }
}
#endif
