// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary

/// Files and links through which the system publishes its state.
package enum SystemFile {
  /// Returns the first bytes of a file, up to a limit.
  ///
  /// Never blocks, even if the path leads to a pipe.
  package static func contents(of path: String, upTo limit: Int) throws(Errno) -> [UInt8] {
    let file = try FileDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit, 16384))
    while bytes.count < limit {
      let count = unsafe read(file.rawValue, &buffer, min(buffer.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0, bytes.isEmpty { throw .last }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }

  /// Returns the first line of a file, of which it reads so many bytes; `nil` if it cannot be read.
  package static func line(of path: String, upTo limit: Int) -> String? {
    guard let bytes = try? contents(of: path, upTo: limit) else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Writes to an existing file of the system in one call, as settings below `/proc` need it.
  package static func write(_ text: String, to path: String) throws(Errno) {
    let file = try FileDescriptor(owning: unsafe open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK))
    let bytes = Array(text.utf8)
    guard unsafe CLibrary.write(file.rawValue, bytes, bytes.count) >= 0 else { throw .last }
  }

  /// Returns the target of a symbolic link, or `nil` if the path is not a link.
  package static func target(ofLink path: String) -> String? {
    // PATH_MAX.
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the names in a folder, in no order, without `.` and `..`; none if it can't be read.
  package static func entries(of folder: String, upTo limit: Int) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

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
