// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// A TCP socket of the network namespace.
///
/// The kernel structure is `inet_diag_msg`.
package struct SocketMessage: Equatable, Sendable {
  package var family: AddressFamily = .unspecified
  package var state = TCPState(rawValue: 0)
  package var timer = TCPTimer.none
  /// The number of expirations of the timer.
  package var expirations: UInt8 = 0
  package var localPort: UInt16 = 0
  package var remotePort: UInt16 = 0
  package var local = ReachabilityAddress.v4(.init(rawValue: 0))
  package var remote = ReachabilityAddress.v4(.init(rawValue: 0))
  /// The index of the interface that the socket is bound to, or 0.
  package var boundInterface: UInt32 = 0
  /// The identity of the socket, which is never used again.
  package var cookie: UInt64 = 0
  /// The time in milliseconds until the timer expires.
  package var expiry: UInt32 = 0
  /// The number of received bytes that were not read.
  package var unreadBytes: UInt32 = 0
  /// The number of written bytes that were not acknowledged, sent or not.
  package var unacknowledgedBytes: UInt32 = 0
  /// The owner's user id.
  package var user: UInt32 = 0
  /// The number of the socket's file, or 0 if no process has it any more.
  package var inode: UInt32 = 0
  /// The firewall mark of its packets; `nil` where the kernel does not tell: without `CAP_NET_ADMIN`.
  package var mark: UInt32?
  /// Missing for a closed connection.
  package var metrics: TCPMetrics?

  package init() {}

  //    0        1        2        3        4        5        6        7
  // 0 | family |  state |  timer | expir. |    local port   |   remote port   |
  // 8 |                      local address (16 bytes)                          |
  // 24 |                     remote address (16 bytes)                         |
  // 40 |         interface       |               cookie (8 bytes)              |
  // 52 |          expiry         | 56       unread         | 60  unacknowledged |
  // 64 |           user          | 68        inode         | 72  attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    state = TCPState(rawValue: try bytes.integer(at: start + 1, before: end))
    timer = TCPTimer(rawValue: try bytes.integer(at: start + 2, before: end))
    expirations = try bytes.integer(at: start + 3, before: end)
    localPort = UInt16(bigEndian: try bytes.integer(at: start + 4, before: end))
    remotePort = UInt16(bigEndian: try bytes.integer(at: start + 6, before: end))
    local = try Self.address(family, in: bytes, at: start + 8, before: end)
    remote = try Self.address(family, in: bytes, at: start + 24, before: end)
    boundInterface = try bytes.integer(at: start + 40, before: end)
    cookie = try bytes.integer(at: start + 44, before: end)
    expiry = try bytes.integer(at: start + 52, before: end)
    unreadBytes = try bytes.integer(at: start + 56, before: end)
    unacknowledgedBytes = try bytes.integer(at: start + 60, before: end)
    user = try bytes.integer(at: start + 64, before: end)
    inode = try bytes.integer(at: start + 68, before: end)

    var attributes = AttributeReader(in: start + Self.size..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case SocketAttribute.metrics: metrics = try TCPMetrics(decoding: bytes, in: attribute.value)
      case SocketAttribute.mark: mark = try bytes.integer(in: attribute.value)
      default: continue
      }
    }
  }

  /// Reads an address from its 16 bytes, of which IPv4 uses the first four.
  private static func address(
    _ family: AddressFamily, in bytes: RawSpan, at offset: Int, before end: Int
  ) throws(DecodingError) -> ReachabilityAddress {
    guard end - offset >= 16 else { throw DecodingError(.truncated, at: offset) }
    switch family {
    case .ipv4: return try bytes.address(in: offset..<offset + 4)
    case .ipv6: return try bytes.address(in: offset..<offset + 16)
    default: throw DecodingError(.badValue, at: offset)
    }
  }

  /// The size in bytes of the fields before the attributes.
  static var size: Int { 72 }
}

/// The attributes of requests for sockets, `INET_DIAG_REQ_…`, and of their answers, `INET_DIAG_…`.
package enum SocketAttribute {
  /// A program that selects sockets, `INET_DIAG_REQ_BYTECODE`.
  static var program: UInt16 { 1 }
  /// `INET_DIAG_INFO`; for TCP the structure `tcp_info`.
  package static var metrics: UInt16 { 2 }
  /// `INET_DIAG_MARK`.
  package static var mark: UInt16 { 15 }
}

/// The state of a TCP connection, `TCP_…` in the kernel's `enum`.
package struct TCPState: RawRepresentable, Equatable, Sendable {
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
  static var finWait1: TCPState { TCPState(rawValue: 4) }
  /// `TCP_FIN_WAIT2`.
  package static var finWait2: TCPState { TCPState(rawValue: 5) }
  /// Closed on both sides; the socket stays for a minute, `TCP_TIME_WAIT`.
  package static var timeWait: TCPState { TCPState(rawValue: 6) }
  /// `TCP_CLOSE_WAIT`.
  static var closeWait: TCPState { TCPState(rawValue: 8) }
  /// `TCP_LAST_ACK`.
  package static var lastAcknowledgement: TCPState { TCPState(rawValue: 9) }
  /// `TCP_CLOSING`.
  static var closing: TCPState { TCPState(rawValue: 11) }

  /// The states in which a connection exchanges segments, or did so in the last minute.
  static var exchanging: [TCPState] {
    [
      .established, .synSent, .synReceived, .finWait1, .finWait2, .timeWait, .closeWait, .lastAcknowledgement,
      .closing,
    ]
  }
}

/// The timer of a TCP connection that expires next, `idiag_timer`.
package struct TCPTimer: RawRepresentable, Equatable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// No timer runs.
  static var none: TCPTimer { TCPTimer(rawValue: 0) }
  /// The retransmission timer, or that of a tail loss probe.
  package static var retransmission: TCPTimer { TCPTimer(rawValue: 1) }
  /// The timer of probes while the peer's window is closed.
  package static var windowProbe: TCPTimer { TCPTimer(rawValue: 4) }
}
#endif
