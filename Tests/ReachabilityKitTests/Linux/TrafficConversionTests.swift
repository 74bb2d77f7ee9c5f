// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Netlink
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct TrafficConversionTests {
  private func unanswered(
    _ timer: TCPTimer, expiry: UInt32, _ change: (inout TCPMetrics) -> Void
  ) -> TrafficConnection.Unanswered? {
    connection(timer, expiry: expiry, change)?.unanswered
  }

  private func connection(
    _ timer: TCPTimer, expiry: UInt32, _ change: (inout TCPMetrics) -> Void
  ) -> TrafficConnection? {
    var metrics = TCPMetrics()
    metrics.timeout = 200_000
    metrics.sinceAcknowledgement = 60_000
    metrics.unacknowledged = 4
    metrics.retransmitted = 1
    change(&metrics)
    var socket = SocketMessage()
    (socket.state, socket.timer, socket.expiry, socket.metrics) = (.established, timer, expiry, metrics)
    return TrafficConnection(socket, user: 0)
  }

  @Test func `a closed connection received its last segment when its timer began`() {
    var socket = SocketMessage()
    (socket.state, socket.expiry, socket.inode) = (.timeWait, 55_000, 0)
    let connection = TrafficConnection(socket, user: 0)
    #expect(connection?.received == 5000)
    #expect(connection?.unanswered == nil)
    #expect(connection?.isOwn == false)
    #expect(connection?.mayBeOlder == false)
    // The kernel also keeps what waits for the peer's end, for as long as a setting says.
    socket.state = .finWait2
    #expect(TrafficConnection(socket, user: 0)?.received == 5000)
    #expect(TrafficConnection(socket, user: 0)?.mayBeOlder == true)
    #expect(TrafficConnection(socket, user: 0, closingTime: 57_000)?.received == 2000)
    #expect(TrafficConnection(socket, user: 0, closingTime: 50_000)?.received == 0)
    socket.state = .lastAcknowledgement
    #expect(TrafficConnection(socket, user: 0) == nil)
    (socket.state, socket.expiry) = (.timeWait, .max)
    #expect(TrafficConnection(socket, user: 0)?.received == 0)
  }

  @Test(arguments: [("60\n", 60_000), ("7", 7000), ("", nil), ("x\n", nil)] as [(String, Int?)])
  func `the time of closing is read in seconds`(_ text: String, _ milliseconds: Int?) {
    #expect(TrafficConnection.closingTime(Array(text.utf8)) == milliseconds)
  }

  @Test(arguments: [("wireguard", true), ("tun", false), ("gre", false), (nil, false)] as [(String?, Bool)])
  func `only the other end of WireGuard answers each packet`(_ type: String?, _ isAnswering: Bool) {
    let tunnel = ReachabilityInterface(
      name: "t0", index: 2, kind: .other, isTunnel: true, linkType: type)
    #expect(tunnel.isAnswering == isAnswering)
  }

  @Test(arguments: [(7, 1, true), (7, 0, false), (8, 1, false)] as [(UInt32, UInt32, Bool)])
  func `a connection belongs to its user while a process has it`(
    _ user: UInt32, _ inode: UInt32, _ isOwn: Bool
  ) {
    var socket = SocketMessage()
    (socket.state, socket.user, socket.inode, socket.metrics) = (.established, user, inode, TCPMetrics())
    #expect(TrafficConnection(socket, user: 7)?.isOwn == isOwn)
  }

  @Test func `data waits since the first of its doubled timeouts began`() {
    let unanswered = unanswered(.retransmission, expiry: 500) { metrics in
      (metrics.timeouts, metrics.backoff, metrics.timeout) = (2, 2, 800_000)
    }
    // 200 and 400 ms, and 300 of the present 800.
    #expect(unanswered?.age == 900)
    #expect(unanswered?.sinceSent == 300)
    #expect(unanswered?.timeout == 200)
  }

  @Test func `the first unanswered probe of a closed window is what was sent`() {
    func probes(_ count: UInt8) -> TrafficConnection.Unanswered? {
      unanswered(.windowProbe, expiry: 1000) { metrics in
        (metrics.probes, metrics.backoff) = (count, 4)
      }
    }
    #expect(probes(1) == nil)
    // The present interval is 3.2 s; those before were 1.6 and 0.8 s.
    #expect(probes(2)?.timeouts == 1)
    #expect(probes(2)?.age == 3800)
    #expect(probes(3)?.age == 4600)
    #expect(probes(3)?.timeout == 200)
  }

  @Test func `a repetition that was not sent is held back, and its pauses are shorter`() {
    func repeated(_ timeouts: UInt8, _ backoff: UInt8, _ timeout: UInt32) -> TrafficConnection.Unanswered? {
      unanswered(.retransmission, expiry: 100) { metrics in
        (metrics.timeouts, metrics.backoff, metrics.timeout) = (timeouts, backoff, timeout)
        metrics.retransmitted = 0
      }
    }
    // A rule drops: 200 and 400 ms, and 700 of the present 800.
    #expect(repeated(2, 2, 800_000)?.age == 1300)
    #expect(repeated(2, 2, 800_000)?.heldBack == 2)
    // A queue is full: 1000 and 500 ms, and 400 of the present 500.
    #expect(repeated(2, 0, 1_000_000)?.age == 1900)
    #expect(repeated(2, 2, 800_000)?.isLarge == false)
  }

  @Test func `data waits for an address while its next hop has none, and until it is tried again`() throws {
    // Sent 1300 ms ago, and tried again at most 700 ms ago.
    func unanswered(_ change: (inout TCPMetrics) -> Void = { _ in }) throws -> TrafficConnection.Unanswered {
      try #require(
        self.unanswered(.retransmission, expiry: 100) { metrics in
          (metrics.timeouts, metrics.backoff, metrics.timeout, metrics.retransmitted) = (2, 2, 800_000, 0)
          change(&metrics)
        })
    }
    func hop(_ state: NeighbourState, _ sinceChange: UInt32?) -> NeighbourMessage {
      var hop = NeighbourMessage()
      (hop.state, hop.sinceChange) = (state, sinceChange)
      return hop
    }
    let held = try unanswered()
    #expect(held.sinceTry == 700)
    #expect(held.mayAwaitAddress)
    for state in [NeighbourState.reachable, .stale, .failed] {
      #expect(!held.mayAwait(hop(state, 72), after: .zero))
      #expect(held.mayAwait(hop(state, 72), after: .milliseconds(1)))
      #expect(held.mayAwait(hop(state, 71), after: .zero))
      #expect(held.mayAwait(hop(state, nil), after: .zero))
    }
    #expect(held.mayAwait(hop(.incomplete, 1000), after: .zero))
    // After five seconds the kernel has given the address up, and dropped what waited.
    let old = try unanswered { ($0.timeouts, $0.backoff, $0.timeout) = (5, 5, 6_400_000) }
    #expect(old.sinceTry == 6300)
    #expect(!old.mayAwait(hop(.reachable, 10), after: .zero))
    #expect(old.mayAwait(hop(.incomplete, 10), after: .zero))
    // What is probed, or was sent again, waits for nothing.
    #expect(try unanswered { $0.retransmitted = 1 }.sinceTry == nil)
    let probed = self.unanswered(.windowProbe, expiry: 100) { metrics in
      (metrics.probes, metrics.unacknowledged, metrics.unsentBytes, metrics.peerWindow) = (2, 0, 50, 1)
    }
    #expect(probed?.heldBack == 3)
    #expect(probed?.sinceTry == nil)
  }

  @Test func `probes of an open window repeat what was never sent`() {
    func probed(_ count: UInt8, _ backoff: UInt8, window: UInt32?) -> TrafficConnection.Unanswered? {
      unanswered(.windowProbe, expiry: 100) { metrics in
        (metrics.probes, metrics.backoff, metrics.unacknowledged) = (count, backoff, 0)
        (metrics.unsentBytes, metrics.peerWindow) = (50, window)
      }
    }
    // A rule drops: 200 ms, and 300 of the present 400.
    #expect(probed(1, 1, window: 1)?.age == 500)
    #expect(probed(1, 1, window: 1)?.heldBack == 2)
    // A queue is full: 200 and 500 ms, and 400 of the present 500.
    #expect(probed(2, 0, window: 1)?.age == 1100)
    // A closed window, or one that an older kernel does not tell.
    for window in [0, nil] as [UInt32?] {
      #expect(probed(1, 1, window: window) == nil)
      #expect(probed(2, 1, window: window)?.isHeldBack == false)
      #expect(probed(2, 1, window: window)?.areProbes == true)
    }
  }

  @Test(
    arguments: [(0, 0, 5, 100), (1, 0, 4, 99), (4, 2, 2, 97), (4, 5, 0, 94)] as [(UInt32, UInt8, Int, Int)])
  func `segments of a stall that may begin do not count as losses`(
    _ unacknowledged: UInt32, _ timeouts: UInt8, _ lost: Int, _ sent: Int
  ) {
    let connection = connection(.retransmission, expiry: 500) { metrics in
      (metrics.unacknowledged, metrics.timeouts, metrics.backoff) = (unacknowledged, timeouts, timeouts)
      (metrics.retransmissions, metrics.sentDataSegments) = (5, 100)
    }
    #expect(connection?.losses == SegmentLosses(sent: sent, lost: lost))
  }

  @Test(arguments: [(2, true), (3, false), (1 << 31, false), (.max, false)] as [(UInt32, Bool)])
  func `a small part of the segments was received where large ones are dropped`(
    _ count: UInt32, _ expected: Bool
  ) {
    let unanswered = unanswered(.retransmission, expiry: 500) { metrics in
      (metrics.timeouts, metrics.backoff, metrics.selectivelyAcknowledged) = (2, 2, count)
    }
    #expect(unanswered?.isPartlyReceived == expected)
  }
}
#endif
