#if os(Linux)
/// The attributes of requests for sockets, `INET_DIAG_REQ_…`, and of their answers, `INET_DIAG_…`.
package enum SocketAttribute {
  /// A program that selects sockets, `INET_DIAG_REQ_BYTECODE`.
  package static var program: UInt16 { 1 }
  /// `INET_DIAG_INFO`; for TCP the structure `tcp_info`.
  package static var metrics: UInt16 { 2 }
}
#endif
