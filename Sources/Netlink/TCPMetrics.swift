// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// The measurements that the kernel keeps for a TCP connection, as far as the product uses them.
///
/// The kernel structure is `tcp_info`, which later versions extend at its end.
package struct TCPMetrics: Equatable, Sendable {
  /// The number of expirations of the retransmission timer since the last acknowledgement.
  package var timeouts: UInt8 = 0
  /// The number of unanswered probes, for the peer's window or to keep the connection alive.
  package var probes: UInt8 = 0
  /// The number of times that the retransmission timeout was doubled.
  package var backoff: UInt8 = 0
  /// The present retransmission timeout in microseconds, doublings included.
  package var timeout: UInt32 = 0
  /// The size in bytes of the largest segment that is sent now.
  package var segmentSize: UInt32 = 0
  /// The number of segments that were sent and not acknowledged.
  package var unacknowledged: UInt32 = 0
  /// The number of these segments that the peer received out of order.
  package var selectivelyAcknowledged: UInt32 = 0
  /// The number of these segments that were sent again; one that this machine itself dropped is not counted.
  package var retransmitted: UInt32 = 0
  /// The age in milliseconds of the last segment with new data.
  package var sinceData: UInt32 = 0
  /// The age in milliseconds of the last acknowledgement.
  package var sinceAcknowledgement: UInt32 = 0
  /// The path MTU in bytes.
  package var pathMTU: UInt32 = 0
  /// The number of all retransmitted segments.
  package var retransmissions: UInt32 = 0
  /// The number of acknowledged bytes; 0 before Linux 4.1.
  package var acknowledgedBytes: UInt64 = 0
  /// The number of bytes that wait to be sent; 0 before Linux 4.6.
  package var unsentBytes: UInt32 = 0
  /// The number of segments with data that were sent, retransmissions included; 0 before Linux 4.6.
  package var sentDataSegments: UInt32 = 0
  /// The number of bytes that the peer is ready to receive; `nil` before Linux 5.4.
  package var peerWindow: UInt32?

  package init() {}

  /// The size in bytes of the structure in Linux 2.6.
  private static var minimumSize: Int { 104 }

  //     0        1        2         3         4        5        6        7
  //   0 | state | ca st. | timeouts | probes | backoff | opt.  |      (scales)   |
  //   8 |  retransmission timeout    |       ATO       |  16   segment size      |
  //  24 |      unacknowledged   |  28  selectively acknowledged |  36  retransmitted …
  //  52 |  since data received  |  56  since acknowledgement | 60  path MTU | …
  // 100 |    retransmissions    | … 120   acknowledged bytes (8) | …
  // 144 |     unsent bytes      | … 156   sent segments with data | … 228   peer's window | …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard range.count >= Self.minimumSize else { throw DecodingError(.badLength, at: start) }
    timeouts = try bytes.integer(at: start + 2, before: end)
    probes = try bytes.integer(at: start + 3, before: end)
    backoff = try bytes.integer(at: start + 4, before: end)
    timeout = try bytes.integer(at: start + 8, before: end)
    segmentSize = try bytes.integer(at: start + 16, before: end)
    unacknowledged = try bytes.integer(at: start + 24, before: end)
    selectivelyAcknowledged = try bytes.integer(at: start + 28, before: end)
    retransmitted = try bytes.integer(at: start + 36, before: end)
    sinceData = try bytes.integer(at: start + 52, before: end)
    sinceAcknowledgement = try bytes.integer(at: start + 56, before: end)
    pathMTU = try bytes.integer(at: start + 60, before: end)
    retransmissions = try bytes.integer(at: start + 100, before: end)
    // Older kernels send a shorter structure.
    if range.count >= 128 { acknowledgedBytes = try bytes.integer(at: start + 120, before: end) }
    if range.count >= 148 { unsentBytes = try bytes.integer(at: start + 144, before: end) }
    if range.count >= 160 { sentDataSegments = try bytes.integer(at: start + 156, before: end) }
    if range.count >= 232 { peerWindow = try bytes.integer(at: start + 228, before: end) }
  }
}

extension TCPMetrics {
  /// Whether this machine did not send what the retransmission timer repeats: an expiration is counted even if a rule drops
  /// the segment or a queue has no room for it, but the segment only if it left.
  package var isRepetitionHeldBack: Bool { timeouts > 0 && unacknowledged > 0 && retransmitted == 0 }

  /// Whether this machine did not send new data, which is probed like a closed window although the peer's is open.
  package var isDataHeldBack: Bool {
    unacknowledged == 0 && unsentBytes > 0 && peerWindow.map { $0 > 0 } == true
  }
}
#endif
