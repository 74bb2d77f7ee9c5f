// SPDX-License-Identifier: Apache-2.0
/// A TCP connection, as far as it is evidence.
package struct TrafficConnection: Equatable, Sendable {
  /// Data that was sent and not acknowledged after at least one expiration of the retransmission timer.
  struct Unanswered: Equatable, Sendable {
    /// The time in milliseconds since the oldest of this data was sent.
    var age: Int
    /// The number of expirations of the timer since then.
    var timeouts: Int
    /// The first retransmission timeout in milliseconds, before it was doubled.
    var timeout: Int
    /// Whether the data fills at least one segment of the largest size.
    var isLarge: Bool
    /// Whether the peer received a small part of the segments, out of order.
    var isPartlyReceived: Bool
    /// The time in milliseconds since some of this data was sent last.
    var sinceSent = 0
    /// The number of expirations at the first reading that showed the peer answering other connections meanwhile.
    var timeoutsWhenPassed: Int?
    /// How many times this machine tried to send the data, and did not: a rule dropped it, or a queue has no room for it.
    ///
    /// 0 if the data left once since the last acknowledgement, as far as it is known.
    var heldBack = 0
    /// Whether these are probes of a closed window, of which the kernel does not tell whether they left.
    var areProbes = false
    /// The greatest time in milliseconds since this machine last tried to send data that is held back, if it may instead wait
    /// for the link-layer address of its next hop.
    var sinceTry: Int?

    var isHeldBack: Bool { heldBack > 0 }

    /// Whether the data may only wait for an address: the kernel keeps the first segment, and counts no repetition meanwhile.
    var mayAwaitAddress: Bool { isHeldBack && sinceTry != nil }
  }

  var local: ReachabilityAddress
  package var peer: ReachabilityAddress
  package var peerPort: UInt16 = 0
  /// The index of the interface that the socket is bound to.
  var boundInterface: Int32?
  /// Whether the socket belongs to the calling user.
  var isOwn = true
  /// The time in milliseconds since the last segment was received; `nil` if none was.
  package var received: Int?
  /// Whether the last segment may be older than that: of a connection that waits for the peer's end, the kernel keeps
  /// only the moment since which it waits.
  var mayBeOlder = false
  /// Whether the local address belongs to another interface than the one over which packets leave now.
  var isDisplaced = false
  var unanswered: Unanswered?
  /// The path MTU in bytes.
  var pathMTU = 1500
  /// Distinguishes the connection from all others.
  package var identity: UInt64 = 0
  /// The number of bytes that the peer acknowledged.
  var acknowledged: UInt64 = 0
  /// How many segments were lost until now, or until the unanswered data.
  var losses = SegmentLosses()

  /// Whether the connection may stall.
  ///
  /// One expiration is usual where some segments are lost, two happen where many are, and a delay that grows suddenly
  /// looks like a loss.
  var mayStall: Bool { isStalled(afterTimeouts: 2, isPathKnown: true) }

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
    // What was never sent was not lost on the way.
    if unanswered.isHeldBack {
      return unanswered.heldBack >= 2 && unanswered.age >= EvidenceEvaluator.stallLimit
    }
    // The first segment has no measured delay to compare with, and later kernels do not double its timeouts.
    let age =
      received != nil
      ? EvidenceEvaluator.stallLimit
      : isPathKnown ? EvidenceEvaluator.connectingLimit : EvidenceEvaluator.firstContactLimit
    return unanswered.timeouts >= limit && unanswered.age >= age
  }
}

/// How many of the segments with data that connections sent were lost.
struct SegmentLosses: Equatable, Sendable {
  /// The number of segments that were sent, retransmissions included.
  var sent = 0
  /// The number of retransmissions.
  var lost = 0

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
struct TrafficCounters: Equatable, Sendable {
  /// The number of received segments, `Tcp: InSegs`.
  var received: UInt64
  /// The number of sent segments, `Tcp: OutSegs`, also those that this machine drops afterwards.
  var sent: UInt64
  /// The number of retransmitted segments, `Tcp: RetransSegs`.
  var retransmitted: UInt64
}

extension TrafficCounters {
  /// Reads the text of `/proc/net/snmp`: for each protocol a line of names, then one of values.
  ///
  /// Returns `nil` if it lacks the counters.
  init?(_ text: [UInt8]) {
    guard let counters = ProtocolCounters("Tcp", in: text), let received = counters["InSegs"],
      let sent = counters["OutSegs"], let retransmitted = counters["RetransSegs"]
    else { return nil }
    self.init(received: received, sent: sent, retransmitted: retransmitted)
  }
}

/// The counters of a protocol in a file of `/proc/net`, which has a line of names, then one of values.
struct ProtocolCounters {
  private let names: [ArraySlice<UInt8>]
  private let values: [ArraySlice<UInt8>]

  init?(_ name: String, in text: [UInt8]) {
    let prefix = Array("\(name): ".utf8)
    let lines = text.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: prefix) }
    guard lines.count == 2 else { return nil }
    names = lines[0].split(separator: UInt8(ascii: " "))
    values = lines[1].split(separator: UInt8(ascii: " "))
  }

  subscript(_ name: String) -> UInt64? {
    guard let place = names.firstIndex(where: { $0.elementsEqual(name.utf8) }), place < values.count else {
      return nil
    }
    return UInt64(String(decoding: values[place], as: UTF8.self))
  }
}
