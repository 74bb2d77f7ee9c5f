#if os(Linux)
import POSIX

/// What the counters of a tunnel showed since it received a packet.
struct TunnelHistory {
  private var received: UInt64
  private var sent: UInt64
  /// The moment of the first reading with this number of received packets.
  private var since: Moment
  /// The moment of the first reading with more sent packets, and nothing received.
  private var firstSent: Moment?
  /// The number of readings with more sent packets than the one before.
  private var growths = 0

  init(received: UInt64, sent: UInt64, since moment: Moment) {
    self.received = received
    self.sent = sent
    since = moment
  }

  /// A tunnel whose packets are answered receives something within this time: WireGuard sends a keep-alive after 10 s.
  private static var limit: Duration { .seconds(15) }
  private static var growthLimit: Int { 3 }

  mutating func note(received: UInt64, sent: UInt64, at moment: Moment) {
    if received != self.received {
      self = TunnelHistory(received: received, sent: sent, since: moment)
    } else if sent != self.sent {
      self.sent = sent
      growths += 1
      firstSent = firstSent ?? moment
    }
  }

  /// Returns for how long packets were sent and none received, if that means something.
  func silence(at moment: Moment) -> Duration? {
    guard let firstSent, growths >= Self.growthLimit else { return nil }
    let silence = firstSent.duration(to: moment)
    return silence >= Self.limit ? silence : nil
  }
}
#endif
