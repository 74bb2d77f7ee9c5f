#if os(Linux)
import Netlink

extension TrafficConnection {
  /// Creates a connection, or returns `nil` for one without measurements that was not closed.
  ///
  /// - Parameters:
  ///   - user: The calling user; `nil` if its number stands for other users too.
  ///   - closingTime: The time in milliseconds for which a closed connection waits for the peer's end.
  init?(_ socket: SocketMessage, user: UInt32?, closingTime: Int? = nil) {
    guard let metrics = socket.metrics else {
      let lifetime: Int
      switch socket.state {
      case .timeWait: lifetime = Self.closedLifetime
      case .finWait2: lifetime = closingTime ?? Self.closedLifetime
      default: return nil
      }
      self.init(
        local: socket.local.unmapped, peer: socket.remote.unmapped, peerPort: socket.remotePort,
        boundInterface: socket.interface, isOwn: false,
        // The timer starts with the last segment of the peer,
        received: max(lifetime - Int(socket.expiry), 0), identity: socket.cookie)
      // or, before the peer's end, with the call that closed a connection whose end was acknowledged before.
      mayBeOlder = socket.state == .finWait2
      return
    }
    let isConnecting = socket.state == .synSent || socket.state == .synReceived
    // Those of a stall that may begin are not known to be lost. A tail loss probe may precede the timeouts.
    let pending = metrics.unacknowledged > 0 ? Int(metrics.timeouts) + 1 : 0
    self.init(
      local: socket.local.unmapped, peer: socket.remote.unmapped, peerPort: socket.remotePort,
      boundInterface: socket.interface,
      // Without a process, a socket's owner is reported as the superuser.
      isOwn: socket.user == user && socket.inode != 0,
      received: isConnecting ? nil : Int(min(metrics.sinceData, metrics.sinceAcknowledgement)),
      unanswered: Unanswered(socket, metrics), pathMTU: Int(metrics.pathMTU),
      identity: socket.cookie, acknowledged: metrics.acknowledgedBytes,
      losses: SegmentLosses(
        sent: max(Int(metrics.sentDataSegments) - pending, 0),
        lost: max(Int(metrics.retransmissions) - pending, 0)))
  }

  /// The time in milliseconds for which the kernel keeps a closed connection, `TCP_TIMEWAIT_LEN`.
  private static var closedLifetime: Int { 60_000 }

  /// Reads the text of `tcp_fin_timeout`, in seconds; returns milliseconds.
  static func closingTime(_ text: [UInt8]) -> Int? {
    Int(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)).map { $0 * 1000 }
  }
}

extension SocketMessage {
  /// The index of the interface that the socket is bound to.
  fileprivate var interface: Int32? { boundInterface == 0 ? nil : Int32(clamping: boundInterface) }
}

extension TrafficConnection.Unanswered {
  /// Returns `nil` if no timer expired since the last acknowledgement.
  fileprivate init?(_ socket: SocketMessage, _ metrics: TCPMetrics) {
    let timeout = Int(metrics.timeout / 1000)
    let (age, timeouts, sinceSent): (Int, Int, Int)
    switch socket.timer {
    case .retransmission where metrics.timeouts > 0 && metrics.unacknowledged > 0:
      timeouts = Int(metrics.timeouts)
      // The first timeouts of a connecting socket are not doubled.
      let doublings = min(Int(metrics.backoff), timeouts)
      let first = timeout >> doublings
      let earlier = (timeouts - doublings) * first + (timeout - first)
      sinceSent = max(timeout - Int(socket.expiry), 0)
      age = earlier + sinceSent
    case .windowProbe where metrics.probes > 1:
      // The first unanswered probe is what was sent; the following ones repeat it. Their intervals double, also while
      // they are answered, up to two minutes (TCP_RTO_MAX).
      timeouts = Int(metrics.probes) - 1
      let interval = min(timeout << min(Int(metrics.backoff), 16), 120_000)
      sinceSent = max(interval - Int(socket.expiry), 0)
      let earlier = (0..<timeouts).reduce(0) { $0 + interval >> min($1 + 1, 16) }
      age = min(earlier + sinceSent, Int(metrics.sinceAcknowledgement))
    default: return nil
    }
    let outstanding = Int(socket.unacknowledgedBytes) - Int(metrics.unsentBytes)
    // A timeout is doubled in place; the interval of probes is not.
    let first = socket.timer == .windowProbe ? timeout : timeout >> min(Int(metrics.backoff), 16)
    self.init(
      age: age, timeouts: timeouts, timeout: first,
      isLarge: metrics.unacknowledged > 0 && outstanding >= Int(metrics.segmentSize),
      // Where segments are lost at random, most are received.
      isPartlyReceived: metrics.selectivelyAcknowledged > 0
        && 2 * metrics.selectivelyAcknowledged <= metrics.unacknowledged,
      sinceSent: sinceSent)
  }
}
#endif
