#if os(Linux)
import CLibrary

/// An open descriptor with one owner, closed at the end of the owner's lifetime.
package struct FileDescriptor: ~Copyable, Sendable {
  package let rawValue: CInt

  /// Takes ownership of a system call's result; a negative one throws the error of the call.
  package init(owning rawValue: CInt) throws(Errno) {
    guard rawValue >= 0 else { throw .last }
    self.rawValue = rawValue
  }

  deinit {
    // Linux releases the descriptor even if close fails with EINTR, so the result does not matter.
    _ = close(rawValue)
  }
}
#endif
