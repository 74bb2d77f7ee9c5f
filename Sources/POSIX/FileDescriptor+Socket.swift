#if os(Linux)
import CLibrary

extension FileDescriptor {
  /// Opens a socket; the system call is `socket(2)`.
  package static func openSocket(
    _ domain: CInt, _ kind: SocketKind, _ flags: DescriptorFlags = .closeOnExec, protocol number: CInt = 0
  ) throws(Errno) -> FileDescriptor {
    try FileDescriptor(owning: socket(domain, kind.rawValue | flags.rawValue, number))
  }

  /// Sets a socket option; the system call is `setsockopt(2)`.
  package borrowing func setOption(_ option: SocketOption, _ value: UInt32) throws(Errno) {
    var value = value
    guard unsafe setsockopt(rawValue, option.level, option.name, &value, 4) == 0 else { throw .last }
  }
}
#endif
