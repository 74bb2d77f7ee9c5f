#if os(Linux)
/// The communication semantics of a socket, `SOCK_…`.
///
/// These are enumerators in Glibc and macros in Musl, so the values are written here.
package enum SocketKind: CInt, Sendable {
  /// `SOCK_STREAM`.
  case stream = 1
  /// `SOCK_DGRAM`.
  case datagrams = 2
  /// `SOCK_RAW`.
  case raw = 3
}
#endif
