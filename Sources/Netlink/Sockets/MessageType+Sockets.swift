#if os(Linux)
extension MessageType {
  /// A request for the TCP sockets of both address families, and each answer; `TCPDIAG_GETSOCK`.
  ///
  /// Its successor, `SOCK_DIAG_BY_FAMILY`, lists one family, so both would take two walks through all sockets.
  package static var listTCPSockets: MessageType { MessageType(rawValue: 18) }
}
#endif
