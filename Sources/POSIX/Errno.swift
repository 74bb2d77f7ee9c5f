// SPDX-License-Identifier: Apache-2.0
import CLibrary

/// An error number of a system call.
package struct Errno: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// No route to the destination, `ENETUNREACH`.
  package static var networkUnreachable: Errno { Errno(rawValue: ENETUNREACH) }
  /// A route that declares the host unreachable, `EHOSTUNREACH`.
  package static var hostUnreachable: Errno { Errno(rawValue: EHOSTUNREACH) }
  /// An invalid request, or a route that discards the packet, `EINVAL`.
  package static var invalidArgument: Errno { Errno(rawValue: EINVAL) }
  /// Prohibited by a route or rule, `EACCES`.
  package static var accessDenied: Errno { Errno(rawValue: EACCES) }
  /// Not permitted, for example by an IPsec policy, `EPERM`.
  package static var notPermitted: Errno { Errno(rawValue: EPERM) }
  /// No such entry, `ENOENT`.
  package static var notFound: Errno { Errno(rawValue: ENOENT) }
  /// Such an entry exists, `EEXIST`.
  package static var exists: Errno { Errno(rawValue: EEXIST) }
  /// No such interface, `ENODEV`.
  package static var noDevice: Errno { Errno(rawValue: ENODEV) }
  /// No handler for the request, for example for IPv6 where it is disabled, `EOPNOTSUPP`.
  package static var notSupported: Errno { Errno(rawValue: EOPNOTSUPP) }
  /// An address family that the kernel does not support, `EAFNOSUPPORT`.
  package static var familyNotSupported: Errno { Errno(rawValue: EAFNOSUPPORT) }
  /// A full socket buffer, so that messages were lost, `ENOBUFS`.
  package static var noBufferSpace: Errno { Errno(rawValue: ENOBUFS) }
  /// No data available without blocking, `EAGAIN`.
  package static var wouldBlock: Errno { Errno(rawValue: EAGAIN) }
  /// A call interrupted by a signal, `EINTR`.
  package static var interrupted: Errno { Errno(rawValue: EINTR) }

  /// Whether descriptors (`EMFILE`, `ENFILE`) or memory (`ENOMEM`) are temporarily exhausted.
  package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(rawValue) }

  /// The error of the calling thread's last system call.
  package static var last: Errno { Errno(rawValue: errno) }

  /// The C library's text, for example "Network is unreachable".
  package var description: String { unsafe String(cString: strerror(rawValue)) }
}
