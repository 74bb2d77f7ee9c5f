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
