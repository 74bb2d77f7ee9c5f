// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic

/// What the relay saw and did in one scenario: the truth, without the product and without the kernel.
struct Record {
  /// A TCP connection.
  struct Flow {
    var slot: Int
    /// The end of the data that was delivered to the client without a gap.
    private var next: UInt32?
    /// What was delivered after a gap.
    private var later: [(start: UInt32, end: UInt32)] = []
    /// The end of the client's data that was seen.
    var seen: UInt32?
    /// The retransmission timeout at the moment of the cut, in nanoseconds; `nil` if there was no connection.
    var timeout: Int64?
    /// The segments with data that were sent and lost before the cut.
    var losses = traffic_losses()
    /// When the client first sent new data during the cut; the relay saw it.
    var firstInCut: Int64?
    /// When the client closed its end.
    var closed: Int64?

    init(slot: Int) { self.slot = slot }

    /// Notes a segment for the client; returns whether the kernel processes such a segment, as ``Delivery/isNew`` says.
    mutating func receive(_ segment: Segment) -> Bool {
      guard let before = next else {
        next = segment.end
        return true
      }
      if segment.isSYN || segment.end.precedes(before) { return false }
      later.append((segment.sequence, segment.end))
      var reached = before
      while let place = later.firstIndex(where: { !reached.precedes($0.start) }) {
        let range = later.remove(at: place)
        if reached.precedes(range.end) { reached = range.end }
      }
      next = reached
      return true
    }
  }

  /// A segment that the relay delivered to the client.
  struct Delivery {
    var time: Int64
    var flow: UInt64
    /// Whether the kernel processes such a segment: not one that ends before what was received, such as a repetition.
    var isNew: Bool
  }

  /// What one peer's packets met.
  struct PeerRecord {
    var deliveries: [Delivery] = []
    /// When segments that expect an answer were delivered to the server.
    var forwarded: [Int64] = []
    /// When the server sent anything.
    var answered: [Int64] = []
    /// When segments of the client that expect an answer were lost or dropped, and segments for the client.
    var losses: [Int64] = []
    /// When large packets were dropped for their size.
    var oversized: [Int64] = []
  }

  var flows: [UInt64: Flow] = [:]
  var peers: [Int: PeerRecord] = [:]
  /// The time by which the relay delivered packets later than planned, at most.
  var lag: Int64 = 0
  var packets = 0
  /// Whether this program had no processor for some time, so that packets were late that no rule delayed.
  var isDisturbed = false
}

extension UInt32 {
  /// Whether a sequence number comes before another one.
  func precedes(_ other: UInt32) -> Bool { Int32(bitPattern: self &- other) < 0 }
}
