import CLibrary
import POSIX

/// A file that is read once, from its beginning to its end.
struct RecordInput: ~Copyable {
  private let descriptor: CInt

  init(_ path: String) throws(Errno) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .last }
  }

  deinit {
    _ = close(descriptor)
  }

  /// Reads the next bytes into the buffer; returns their number, zero at the end.
  func read(_ buffer: inout [UInt8]) throws(Errno) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe readBytes(descriptor, $0) }
      if count >= 0 { return count }
      if errno != EINTR { throw .last }
    }
  }
}

// Outside of the type, where `read` is its own.
private func readBytes(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(descriptor, buffer.baseAddress, buffer.count)
}
