#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open descriptor that has one owner and is closed with it.
package struct FileDescriptor: ~Copyable, Sendable {
  package let rawValue: CInt

  /// Takes over a descriptor that a system call returned; a negative one throws the call's error.
  package init(owning rawValue: CInt) throws(Errno) {
    guard rawValue >= 0 else { throw .last }
    self.rawValue = rawValue
  }

  deinit {
    // The result is of no use: after EINTR the descriptor is gone on Linux all the same.
    _ = close(rawValue)
  }
}
#endif
