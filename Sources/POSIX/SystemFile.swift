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
#endif
