#if os(Linux)
/// The state of a TCP connection, `TCP_…` in the kernel's `enum`.
package struct TCPState: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `TCP_ESTABLISHED`.
  package static var established: TCPState { TCPState(rawValue: 1) }
  /// The first segment was sent, `TCP_SYN_SENT`.
  package static var synSent: TCPState { TCPState(rawValue: 2) }
  /// `TCP_SYN_RECV`.
  package static var synReceived: TCPState { TCPState(rawValue: 3) }
  /// `TCP_FIN_WAIT1`.
  package static var finWait1: TCPState { TCPState(rawValue: 4) }
  /// `TCP_FIN_WAIT2`.
  package static var finWait2: TCPState { TCPState(rawValue: 5) }
  /// Closed on both sides; the socket stays for a minute, `TCP_TIME_WAIT`.
  package static var timeWait: TCPState { TCPState(rawValue: 6) }
  /// `TCP_CLOSE_WAIT`.
  package static var closeWait: TCPState { TCPState(rawValue: 8) }
  /// `TCP_LAST_ACK`.
  package static var lastAcknowledgement: TCPState { TCPState(rawValue: 9) }
  /// `TCP_CLOSING`.
  package static var closing: TCPState { TCPState(rawValue: 11) }

  /// The states in which a connection exchanges segments, or did so in the last minute.
  package static var exchanging: [TCPState] {
    [
      .established, .synSent, .synReceived, .finWait1, .finWait2, .timeWait, .closeWait, .lastAcknowledgement,
      .closing,
    ]
  }
}
#endif
