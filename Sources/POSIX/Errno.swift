#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An error number of a system call.
package struct Errno: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// No route leads there, `ENETUNREACH`.
  package static var networkUnreachable: Errno { Errno(rawValue: ENETUNREACH) }
  /// A route says that the host can't be reached, `EHOSTUNREACH`.
  package static var hostUnreachable: Errno { Errno(rawValue: EHOSTUNREACH) }
  /// The request makes no sense, or a route discards the packet, `EINVAL`.
  package static var invalidArgument: Errno { Errno(rawValue: EINVAL) }
  /// A route or rule prohibits it, `EACCES`.
  package static var accessDenied: Errno { Errno(rawValue: EACCES) }
  /// There is no such thing, `ENOENT`.
  package static var notFound: Errno { Errno(rawValue: ENOENT) }
  /// There is no such interface, `ENODEV`.
  package static var noDevice: Errno { Errno(rawValue: ENODEV) }
  /// The kernel has nothing that could answer, such as for IPv6 where that is disabled, `EOPNOTSUPP`.
  package static var notSupported: Errno { Errno(rawValue: EOPNOTSUPP) }
  /// The kernel does not know the address family, `EAFNOSUPPORT`.
  package static var familyNotSupported: Errno { Errno(rawValue: EAFNOSUPPORT) }
  /// Messages were lost because the socket's buffer was full, `ENOBUFS`.
  package static var noBufferSpace: Errno { Errno(rawValue: ENOBUFS) }
  /// Nothing to read now, `EAGAIN`.
  package static var wouldBlock: Errno { Errno(rawValue: EAGAIN) }
  /// A signal came first, `EINTR`.
  package static var interrupted: Errno { Errno(rawValue: EINTR) }
  /// The message is longer than the buffer, `EMSGSIZE`.
  package static var messageTooLong: Errno { Errno(rawValue: EMSGSIZE) }

  /// Whether the system is short of descriptors (`EMFILE`, `ENFILE`) or memory (`ENOMEM`) for now.
  package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(rawValue) }

  /// The error of the system call that the calling thread made last.
  package static var last: Errno { Errno(rawValue: errno) }

  /// The C library's text, such as "Network is unreachable".
  package var description: String {
    guard let text = unsafe strerror(rawValue) else { return "error \(rawValue)" }
    return unsafe String(cString: text)
  }
}
