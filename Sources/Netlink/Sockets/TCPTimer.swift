#if os(Linux)
/// The timer of a TCP connection that expires next, `idiag_timer`.
package struct TCPTimer: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// No timer runs.
  package static var none: TCPTimer { TCPTimer(rawValue: 0) }
  /// The retransmission timer, or that of a tail loss probe.
  package static var retransmission: TCPTimer { TCPTimer(rawValue: 1) }
  /// The keep-alive timer.
  package static var keepAlive: TCPTimer { TCPTimer(rawValue: 2) }
  /// The timer of probes while the peer's window is closed.
  package static var windowProbe: TCPTimer { TCPTimer(rawValue: 4) }
}
#endif
