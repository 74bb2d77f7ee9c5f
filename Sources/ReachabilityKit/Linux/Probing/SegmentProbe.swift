// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

/// The test of a full TCP segment at a port of TLS, where a client speaks first and anything may ask for a handshake.
struct SegmentProbe: Sendable {
  enum Result: Equatable, Sendable {
    /// The full segment was acknowledged; `isBackFull` says whether a full one came back.
    case passed(isBackFull: Bool)
    /// The full segment was sent again and again, while a small one behind it was acknowledged.
    case lost
    case undecided
  }

  let plan: PacketSizePlan
  let interface: UInt32?

  /// The ports at which a client begins with TLS: those of HTTPS, of mail, news, directories, DNS, file transfer, Telnet, IRC
  /// and SIP over TLS, and the usual other one of HTTPS.
  static let ports: Set<UInt16> = [
    443, 465, 563, 636, 853, 989, 990, 992, 993, 994, 995, 5061, 8443,
  ]

  /// The number of timeouts after which a full segment is lost; the retransmissions are as many.
  private static var timeoutLimit: Int { 2 }
  /// The interval in which the kernel is asked what is acknowledged, which it does not announce.
  private static var interval: Duration { .milliseconds(20) }
  /// The time in which a busy server answers the acknowledged handshake.
  private static var answerTime: Duration { .seconds(3) }
  /// The number of bytes behind the full segment, which make a small one.
  private static var remainder: Int { 200 }

  /// Connects, begins a handshake and waits for acknowledgements; blocks until then.
  func run(_ interruption: Interruption, within time: Duration) -> Result {
    let end = Moment.now.advanced(by: time)
    var left: Duration { Moment.now.duration(to: end) }
    guard
      let socket = try? ProbeSocket(
        .stream, to: plan.target, plan.address, port: plan.port, interface: interface)
    else { return .undecided }
    guard left > .zero, interruption.wait(for: [0: socket], forInput: false, left) == [0],
      socket.failure == nil, let segments = socket.segments, segments.fullPacket >= plan.full
    else { return .undecided }
    // Otherwise the kernel keeps the small segment back until the full one is acknowledged.
    try? socket.descriptor.setOption(.noDelay, 1)
    socket.abortOnClose()
    guard let hello = TLSHello.bytes(padded: segments.size + Self.remainder),
      (try? socket.send(hello)) != nil
    else { return .undecided }
    var acknowledgement: Moment?
    // The first one.
    var answer: Moment?
    // Until the server ends its direction, or resets the connection.
    var hasInput = true
    while left > .zero, !interruption.isInterrupted, let now = socket.segments {
      if now.isAcknowledged(hello.count) {
        let isBackFull = now.fullReceivedPacket >= plan.full
        let since = acknowledgement ?? .now
        acknowledgement = since
        // Once a server answers, it sends its certificates with the next round trip, or not at all.
        let certificateTime = max(plan.roundTrip * 2, Self.interval * 5)
        let limit = answer?.advanced(by: certificateTime) ?? since.advanced(by: Self.answerTime)
        if isBackFull || !hasInput || limit < .now {
          return .passed(isBackFull: isBackFull)
        }
      } else if now.timeouts >= Self.timeoutLimit, now.isSmallSegmentAcknowledged {
        return .lost
      } else if now.isClosed {
        return .undecided
      }
      let ready = interruption.wait(
        for: hasInput ? [0: socket] : [:], forInput: true, min(left, Self.interval))
      if !ready.isEmpty {
        answer = answer ?? .now
        hasInput = socket.discardInput()
      }
    }
    return acknowledgement == nil ? .undecided : .passed(isBackFull: false)
  }
}

/// What the kernel knows about the segments of a connection.
struct SegmentState: Sendable {
  private let metrics: TCPMetrics
  private let hasTimestamps: Bool
  /// Whether the connection was reset.
  let isClosed: Bool
  /// The size in bytes of the greatest data that arrived in one segment.
  private let receivedSize: UInt32
  private let family: ReachabilityAddress.Family

  /// - Parameter bytes: The kernel structure `tcp_info`.
  init?(_ bytes: [UInt8], _ family: ReachabilityAddress.Family) {
    guard let metrics = unsafe try? TCPMetrics(decoding: bytes.span.bytes, in: 0..<bytes.count),
      let receivedSize = unsafe try? bytes.span.bytes.integer(UInt32.self, at: 20, before: bytes.count)
    else { return nil }
    self.metrics = metrics
    self.receivedSize = receivedSize
    // TCP_CLOSE, TCPI_OPT_TIMESTAMPS.
    isClosed = bytes[0] == 7
    hasTimestamps = bytes[5] & 1 != 0
    self.family = family
  }

  /// The size in bytes of the data of a full segment.
  var size: Int { Int(metrics.segmentSize) }

  /// The bytes of all headers of a segment; the option with timestamps has 12 (RFC 7323).
  private var headers: Int { (family == .v4 ? 20 : 40) + 20 + (hasTimestamps ? 12 : 0) }

  /// The size in bytes of a full packet of the connection, with its headers.
  var fullPacket: Int { size + headers }

  /// The size in bytes of the greatest packet that arrived.
  var fullReceivedPacket: Int { Int(receivedSize) + headers }

  /// The number of retransmission timeouts in a row.
  var timeouts: Int { Int(metrics.timeouts) }

  /// Whether this machine itself did not send what the socket repeats, at least twice.
  var isHeldBack: Bool { metrics.timeouts > 1 && metrics.isRepetitionHeldBack }

  /// Whether the other end has acknowledged so many bytes, and the segment that began the connection.
  func isAcknowledged(_ count: Int) -> Bool { metrics.acknowledgedBytes >= UInt64(count) }

  /// Whether a segment behind a missing one was acknowledged.
  var isSmallSegmentAcknowledged: Bool { metrics.selectivelyAcknowledged > 0 }
}

extension ProbeSocket {
  /// What the kernel knows about the segments of a stream; `TCP_INFO`.
  var segments: SegmentState? {
    var bytes = [UInt8](repeating: 0, count: 256)
    var size = socklen_t(bytes.count)
    // IPPROTO_TCP, TCP_INFO.
    guard unsafe getsockopt(descriptor.rawValue, 6, 11, &bytes, &size) == 0 else { return nil }
    return SegmentState(Array(bytes.prefix(Int(size))), family)
  }

  /// Makes the end of the socket reset the connection, which otherwise stays, and is evidence of a stall if data is lost.
  fileprivate func abortOnClose() {
    var value = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    _ = unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, SO_LINGER, &value, size)
  }

  /// Reads what has arrived.
  ///
  /// - Returns: Whether more may arrive.
  fileprivate func discardInput() -> Bool {
    while true {
      do throws(Errno) {
        guard let bytes = try receive() else { return true }
        if bytes.isEmpty { return false }
      } catch {
        return false
      }
    }
  }
}
#endif
