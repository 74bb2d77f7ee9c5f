#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension FileDescriptor {
  /// Sets an option of a socket that is a number.
  ///
  /// The system call is `setsockopt`.
  package borrowing func setOption(_ option: CInt, _ value: UInt32, level: CInt = SOL_SOCKET) throws(Errno) {
    var value = value
    guard unsafe setsockopt(rawValue, level, option, &value, 4) == 0 else { throw .last }
  }
}
#endif
