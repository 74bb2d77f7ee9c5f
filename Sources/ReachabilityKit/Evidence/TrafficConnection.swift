/// A TCP connection, as far as it is evidence.
package struct TrafficConnection: Hashable, Sendable {
  /// Data that was sent and not acknowledged after at least one expiration of the retransmission timer.
  package struct Unanswered: Hashable, Sendable {
    /// The time in milliseconds since the oldest of this data was sent.
    package var age: Int
    /// The number of expirations of the timer since then.
    package var timeouts: Int
    /// The first retransmission timeout in milliseconds, before it was doubled.
    package var timeout: Int
    /// Whether the data fills at least one segment of the largest size.
    package var isLarge: Bool
    /// Whether the peer received a small part of the segments, out of order.
    package var isPartlyReceived: Bool
    /// The time in milliseconds since some of this data was sent last.
    package var sinceSent: Int
    /// The number of expirations at the first reading that showed the peer answering other connections meanwhile.
    package var timeoutsWhenPassed: Int?

    package init(
      age: Int, timeouts: Int, timeout: Int, isLarge: Bool, isPartlyReceived: Bool, sinceSent: Int = 0,
      timeoutsWhenPassed: Int? = nil
    ) {
      self.age = age
      self.timeouts = timeouts
      self.timeout = timeout
      self.isLarge = isLarge
      self.isPartlyReceived = isPartlyReceived
      self.sinceSent = sinceSent
      self.timeoutsWhenPassed = timeoutsWhenPassed
    }
  }

  /// Distinguishes the connection from all others.
  package var identity: UInt64
  package var local: IPAddress
  package var peer: IPAddress
  package var peerPort: UInt16
  /// The index of the interface that the socket is bound to.
  var boundInterface: Int32?
  /// Whether the socket belongs to the calling user.
  package var isOwn: Bool
  /// The time in milliseconds since the last segment was received; `nil` if none was.
  package var received: Int?
  /// Whether the last segment may be older than that: of a connection that waits for the peer's end, the kernel keeps
  /// only the moment since which it waits.
  package var mayBeOlder = false
  /// Whether the local address belongs to another interface than the one over which packets leave now.
  package var isDisplaced = false
  package var unanswered: Unanswered?
  /// The path MTU in bytes.
  var pathMTU: Int
  /// The number of bytes that the peer acknowledged.
  package var acknowledged: UInt64
  /// How many segments were lost until now, or until the unanswered data.
  package var losses: SegmentLosses

  package init(
    local: IPAddress, peer: IPAddress, peerPort: UInt16 = 0, boundInterface: Int32? = nil, isOwn: Bool = true,
    received: Int? = nil, unanswered: Unanswered? = nil, pathMTU: Int = 1500, identity: UInt64 = 0,
    acknowledged: UInt64 = 0, losses: SegmentLosses = .init()
  ) {
    self.identity = identity
    self.acknowledged = acknowledged
    self.losses = losses
    self.local = local
    self.peer = peer
    self.peerPort = peerPort
    self.boundInterface = boundInterface
    self.isOwn = isOwn
    self.received = received
    self.unanswered = unanswered
    self.pathMTU = pathMTU
  }

  /// Whether the connection may stall.
  ///
  /// One expiration is usual where some segments are lost, two happen where many are, and a delay that grows suddenly
  /// looks like a loss.
  package var mayStall: Bool { isStalled(afterTimeouts: 2, isPathKnown: true) }

  /// Whether the connection stalls: more timeouts are necessary unless losses are known to be rare.
  ///
  /// - Parameter losses: The losses of all connections on the path.
  func isStalled(amid losses: SegmentLosses) -> Bool {
    let isKnown = losses.areKnown || self.losses.areKnown
    let limit = max(self.losses.unusualTimeouts, losses.unusualTimeouts, isKnown ? 2 : 3)
    return isStalled(afterTimeouts: limit, isPathKnown: isKnown)
  }

  /// The age of the last segment if it is known, and not only a lower limit.
  var surelyReceived: Int? { mayBeOlder ? nil : received }

  /// Whether the connection worked, and its data is unanswered since packets leave over another interface.
  var isLeftBehind: Bool { isDisplaced && received != nil && isStalled(amid: losses) }

  private func isStalled(afterTimeouts limit: Int, isPathKnown: Bool) -> Bool {
    guard let unanswered else { return false }
    // The first segment has no measured delay to compare with, and later kernels do not double its timeouts.
    let age =
      received != nil
      ? EvidenceEvaluator.stallLimit
      : isPathKnown ? EvidenceEvaluator.connectingLimit : EvidenceEvaluator.firstContactLimit
    return unanswered.timeouts >= limit && unanswered.age >= age
  }
}

/// How many of the segments with data that connections sent were lost.
package struct SegmentLosses: Hashable, Sendable {
  /// The number of segments that were sent, retransmissions included.
  package var sent: Int
  /// The number of retransmissions.
  package var lost: Int

  package init(sent: Int = 0, lost: Int = 0) {
    self.sent = sent
    self.lost = lost
  }

  /// The number of segments from which on a loss of one in ten would have shown.
  private static var trial: Int { 40 }

  var areKnown: Bool { sent >= Self.trial }

  /// The number of expirations in a row that such losses rarely cause.
  var unusualTimeouts: Int {
    if lost == 0 || lost * 100 < sent { return 2 }
    return !areKnown || lost * 20 < sent ? 3 : 4
  }

  static func + (one: SegmentLosses, other: SegmentLosses) -> SegmentLosses {
    SegmentLosses(sent: one.sent + other.sent, lost: one.lost + other.lost)
  }
}

/// The counters of a network's TCP segments.
package struct TrafficCounters: Hashable, Sendable {
  /// The number of received segments, `Tcp: InSegs`.
  package var received: UInt64
  /// The number of retransmitted segments, `Tcp: RetransSegs`.
  package var retransmitted: UInt64

  package init(received: UInt64, retransmitted: UInt64) {
    self.received = received
    self.retransmitted = retransmitted
  }

  /// Reads the text of `/proc/net/snmp`: for each protocol a line of names, then one of values.
  ///
  /// Returns `nil` if it lacks the counters.
  package init?(_ text: [UInt8]) {
    let prefix = Array("Tcp: ".utf8)
    let lines = text.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: prefix) }
    guard lines.count == 2 else { return nil }
    let names = lines[0].split(separator: UInt8(ascii: " "))
    let values = lines[1].split(separator: UInt8(ascii: " "))
    func value(_ name: String) -> UInt64? {
      guard let place = names.firstIndex(where: { $0.elementsEqual(name.utf8) }), place < values.count else {
        return nil
      }
      return UInt64(String(decoding: values[place], as: UTF8.self))
    }
    guard let received = value("InSegs"), let retransmitted = value("RetransSegs") else { return nil }
    self.init(received: received, retransmitted: retransmitted)
  }
}
