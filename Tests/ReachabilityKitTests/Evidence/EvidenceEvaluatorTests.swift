// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct EvidenceEvaluatorTests {
  private static let way = TrafficPath(interface: 2, gateway: "10.1.0.254", family: .v4)

  /// A connection to `10.2.0.N`.
  ///
  /// - Parameters:
  ///   - peer: N.
  ///   - received: The age of the last segment in milliseconds; `nil` before the first one.
  ///   - unanswered: The age of unanswered data.
  private func connection(
    _ peer: UInt8, received: Int? = nil, unanswered: Int? = nil, timeouts: Int = 2, timeout: Int = 200,
    isOwn: Bool = true, isLarge: Bool = false, isPartlyReceived: Bool = false, sinceSent: Int = 0,
    timeoutsWhenPassed: Int? = nil, heldBack: Int = 0, areProbes: Bool = false,
    losses: SegmentLosses = .init(sent: 1000)
  ) -> TrafficConnection {
    TrafficConnection(
      local: "10.1.0.1", peer: .v4(.init(rawValue: 0x0a02_0000 | UInt32(peer))), peerPort: 443, isOwn: isOwn,
      received: received,
      unanswered: unanswered.map {
        .init(
          age: $0, timeouts: timeouts, timeout: timeout, isLarge: isLarge, isPartlyReceived: isPartlyReceived,
          sinceSent: sinceSent, timeoutsWhenPassed: timeoutsWhenPassed, heldBack: heldBack,
          areProbes: areProbes)
      }, losses: losses)
  }

  private func evidence(
    _ connections: [TrafficConnection], about peer: UInt8? = nil,
    _ change: (inout TrafficReading) -> Void = { _ in }
  ) -> TrafficEvidence {
    var reading = TrafficReading(
      connections: connections, samples: connections.map { .init(connection: $0, path: Self.way) },
      nextHops: [Self.way: .init(address: "10.1.0.254", state: .confirmed)])
    change(&reading)
    let subject: EvidenceSubject =
      peer.map {
        .addresses(
          [.v4(.init(rawValue: 0x0a02_0000 | UInt32($0)))], port: nil, source: nil, paths: [Self.way])
      } ?? .paths([Self.way])
    return EvidenceEvaluator(reading: reading).evidence(about: subject)
  }

  /// One loss in a hundred is usual, one in twenty is not; forty segments are enough to know.
  @Test(arguments: [(0, 39, 2), (1, 101, 2), (1, 100, 3), (1, 39, 3), (2, 41, 3), (2, 40, 4)])
  func `the more segments are lost, the more expirations are usual`(_ lost: Int, _ sent: Int, _ count: Int) {
    #expect(SegmentLosses(sent: sent, lost: lost).unusualTimeouts == count)
  }

  @Test func `with an interface, connections over another one do not count`() {
    let other = TrafficPath(interface: 3, gateway: "10.5.0.254", family: .v4)
    var reading = TrafficReading(connections: [connection(1, received: 10)])
    reading.samples = [.init(connection: reading.connections[0], path: Self.way)]
    let peer = reading.connections[0].peer
    func verdict(_ path: TrafficPath, isOnPaths: Bool) -> TrafficEvidence.Verdict {
      EvidenceEvaluator(reading: reading).evidence(
        about: .addresses([peer], port: nil, source: nil, paths: [path], isOnPaths: isOnPaths)
      ).verdict
    }
    #expect(verdict(other, isOnPaths: true) == .none)
    #expect(verdict(Self.way, isOnPaths: true) == .answering)
    #expect(verdict(other, isOnPaths: false) == .answering)
  }

  @Test func `no connection is no evidence`() {
    let evidence = evidence([])
    #expect(evidence.verdict == .none)
    #expect(evidence.received == nil)
    #expect(evidence.fault == nil)
    #expect(evidence.nextHop == .init(address: "10.1.0.254", state: .confirmed))
  }

  @Test(
    arguments: [(0, .strong), (10_000, .strong), (10_001, .weak), (60_000, .weak)]
      as [(Int, TrafficEvidence.Strength)])
  func `a segment of the last minute is an answer, of ten seconds a strong one`(
    _ age: Int, _ strength: TrafficEvidence.Strength
  ) {
    let evidence = evidence([connection(1, received: age)])
    #expect(evidence.verdict == .answering)
    #expect(evidence.strength == strength)
    #expect(evidence.received == .milliseconds(age))
    #expect(evidence.answeringPeers == 1)
  }

  @Test func `an older segment is no evidence`() {
    let evidence = evidence([connection(1, received: 60_001)])
    #expect(evidence.verdict == .none)
    #expect(evidence.answeringPeers == 0)
    #expect(evidence.received == .milliseconds(60_001))
  }

  @Test func `one timeout is no stall`() {
    #expect(evidence([connection(1, received: 5000, unanswered: 4000, timeouts: 1)]).verdict == .answering)
  }

  @Test(arguments: [(699, .answering), (700, .stalled)] as [(Int, TrafficEvidence.Verdict)])
  func `data is stalled after two timeouts and 700 ms`(_ age: Int, _ verdict: TrafficEvidence.Verdict) {
    #expect(evidence([connection(1, received: 2000, unanswered: age)]).verdict == verdict)
  }

  @Test(arguments: [(2999, .none), (3000, .stalled)] as [(Int, TrafficEvidence.Verdict)])
  func `a first segment is stalled after 3 s`(_ age: Int, _ verdict: TrafficEvidence.Verdict) {
    #expect(evidence([connection(1, unanswered: age)]).verdict == verdict)
  }

  @Test(arguments: [(4999, .none), (5000, .stalled)] as [(Int, TrafficEvidence.Verdict)])
  func `the first segment on a path is stalled after 5 s`(_ age: Int, _ verdict: TrafficEvidence.Verdict) {
    let first = connection(1, unanswered: age, timeouts: 3, losses: .init())
    #expect(evidence([first]).verdict == verdict)
  }

  @Test func `a connection's own history counts where its path is not known`() {
    let connection = connection(1, received: 2000, unanswered: 1000)
    #expect(evidence([connection], about: 1) { $0.samples = [] }.verdict == .stalled)
  }

  @Test func `one peer that stalls leaves the fault undetermined`() {
    let evidence = evidence([connection(1, received: 3000, unanswered: 2900)])
    #expect(evidence.fault == .undetermined)
    #expect(evidence.strength == .weak)
    #expect(evidence.stalled == .milliseconds(2900))
  }

  @Test func `packets that never left are this machine's fault, and sure`() {
    for received in [3000, nil] {
      let evidence = evidence([
        connection(
          1, received: received, unanswered: 700, timeouts: 1, isLarge: true, heldBack: 2, losses: .init())
      ])
      #expect(evidence.verdict == .stalled)
      #expect(evidence.fault == .thisMachine)
      #expect(evidence.strength == .strong)
      #expect(evidence.suspectedMTU == nil)
    }
    #expect(evidence([connection(1, unanswered: 699, heldBack: 2)]).verdict == .none)
    #expect(evidence([connection(1, unanswered: 5000, timeouts: 4, heldBack: 1)]).verdict == .none)
  }

  @Test func `packets that never left say nothing about the network`() {
    let held = connection(1, received: 3000, unanswered: 2900, heldBack: 3)
    // One that did leave, and is unanswered, is judged without them.
    #expect(evidence([held, connection(2, received: 3100, unanswered: 2000)]).fault == .undetermined)
    #expect(
      evidence([held, connection(2, received: 3100, unanswered: 2000)], about: 1).fault == .thisMachine)
    #expect(
      evidence([held, connection(2, received: 3100, unanswered: 2000)], about: 2).fault == .undetermined)
    // Whether probes of a closed window left is not known.
    let probes = connection(2, received: 3100, unanswered: 2000, areProbes: true)
    #expect(evidence([held, probes]).fault == .thisMachine)
    #expect(evidence([probes]).fault == .undetermined)
    // Where others answer, the path is well, and this machine is still at fault.
    let answered = evidence([held, connection(2, received: 10)])
    #expect(answered.verdict == .answering && answered.fault == .thisMachine)
    #expect(evidence([held, connection(1, received: 10)]).fault == .thisMachine)
  }

  @Test func `five timeouts are strong evidence`() {
    #expect(evidence([connection(1, received: 7000, unanswered: 6900, timeouts: 5)]).strength == .strong)
  }

  @Test func `several peers that stall are a fault of the network`() {
    let evidence = evidence([
      connection(1, received: 3000, unanswered: 2900), connection(2, received: 3100, unanswered: 2000),
    ])
    #expect(evidence.verdict == .stalled)
    #expect(evidence.fault == .network)
    #expect(evidence.strength == .strong)
    #expect(evidence.stalledPeers == 2)
    #expect(evidence.stalled == .milliseconds(2900))
  }

  @Test func `a peer that stalls as others do is strong evidence of a fault of the network`() {
    let evidence = evidence(
      [connection(1, received: 3000, unanswered: 2900), connection(2, received: 3100, unanswered: 2000)],
      about: 1)
    #expect(evidence.stalledPeers == 1)
    #expect(evidence.fault == .network)
    #expect(evidence.strength == .strong)
  }

  @Test func `a peer that stalls while another answers is at fault`() {
    let connections = [connection(1, received: 9000, unanswered: 8000), connection(2, received: 1000)]
    let path = evidence(connections)
    #expect(path.verdict == .answering)
    #expect(path.fault == .peer)
    #expect(path.stalledPeers == 1)
    #expect(path.answeringPeers == 1)
    let peer = evidence(connections, about: 1)
    #expect(peer.verdict == .stalled)
    #expect(peer.fault == .peer)
    // The answers of others are no evidence against this one.
    #expect(peer.strength == .weak)
    #expect(evidence(connections, about: 2).fault == nil)
  }

  @Test func `a segment that was on its way does not refute a stall`() {
    let connections = [connection(1, received: 3000, unanswered: 2900), connection(2, received: 2700)]
    #expect(evidence(connections).verdict == .stalled)
    // The timeout is the limit, but no more than a second.
    #expect(
      evidence([connection(1, received: 3000, unanswered: 2900), connection(2, received: 2699)]).verdict
        == .answering)
    let slow = connection(1, received: 9000, unanswered: 8000, timeout: 3000)
    #expect(evidence([slow, connection(2, received: 7000)]).verdict == .stalled)
    #expect(evidence([slow, connection(2, received: 6999)]).verdict == .answering)
    // The claimed time contains no received segment.
    #expect(evidence(connections).stalled == .milliseconds(2700))
  }

  @Test func `an old stall does not hide that all peers stall now`() {
    let evidence = evidence([
      connection(1, received: 90_000, unanswered: 80_000, timeouts: 8),
      connection(2, received: 3000, unanswered: 2900),
      connection(3, received: 3100, unanswered: 2800),
    ])
    #expect(evidence.verdict == .stalled)
    #expect(evidence.fault == .network)
    #expect(evidence.stalled == .milliseconds(2900))
    #expect(evidence.stalledPeers == 3)
  }

  @Test func `a stalled connection to a peer that answers others is its own fault`() {
    let connections = [connection(1, received: 9000, unanswered: 8000), connection(1, received: 500)]
    let evidence = evidence(connections, about: 1)
    #expect(evidence.verdict == .answering)
    #expect(evidence.fault == .connection)
    #expect(evidence.stalledConnections == 1)
    #expect(evidence.stalledPeers == 0)
  }

  @Test(arguments: [(2, nil), (3, 1500)] as [(Int, Int?)])
  func `large data that stalls while its end arrived names the path MTU`(_ timeouts: Int, _ expected: Int?) {
    let evidence = evidence([
      connection(
        1, received: 2900, unanswered: 2900, timeouts: timeouts, isLarge: true, isPartlyReceived: true)
    ])
    #expect(evidence.suspectedMTU == expected)
  }

  @Test func `large data that is lost again after small data passed names the path MTU`() {
    func suspected(timeouts: Int, since: Int?, sinceSent: Int = 300) -> Int? {
      let large = connection(
        1, received: 5000, unanswered: 4900, timeouts: timeouts, isLarge: true, sinceSent: sinceSent,
        timeoutsWhenPassed: since)
      return evidence([large, connection(1, received: 500)]).suspectedMTU
    }
    #expect(suspected(timeouts: 4, since: 3) == 1500)
    // Not sent again since then, as after the end of a cut.
    #expect(suspected(timeouts: 3, since: 3) == nil)
    #expect(suspected(timeouts: 4, since: nil) == nil)
    // The answer may be on its way.
    #expect(suspected(timeouts: 4, since: 3, sinceSent: 199) == nil)
  }

  @Test func `a network in which nothing passes has no suspected path MTU`() {
    let large = connection(
      1, received: 5000, unanswered: 4900, timeouts: 4, isLarge: true, isPartlyReceived: true)
    #expect(evidence([large]).suspectedMTU == 1500)
    #expect(evidence([large, connection(2, received: 5000, unanswered: 4900)]).suspectedMTU == nil)
  }

  @Test(arguments: [
    // Rare losses of a connection with a history, and none.
    (1000, 9, 0, 0, 2), (40, 0, 0, 0, 2),
    // One of a hundred, one of twenty.
    (1000, 10, 0, 0, 3), (1000, 49, 0, 0, 3), (1000, 50, 0, 0, 4),
    // Too few segments to know.
    (39, 0, 0, 0, 3), (39, 20, 0, 0, 3),
    // The history of other connections counts, their losses too.
    (1, 0, 39, 0, 2), (1000, 0, 1000, 20, 3), (1000, 0, 1000, 100, 4),
    // One that loses segments among many that do not.
    (40, 1, 100_000, 0, 3), (100, 5, 100_000, 0, 4),
  ])
  func `where losses are not known to be rare, more timeouts are necessary`(
    _ sent: Int, _ lost: Int, _ othersSent: Int, _ othersLost: Int, _ limit: Int
  ) {
    func verdict(_ timeouts: Int) -> TrafficEvidence.Verdict {
      evidence([
        connection(
          1, received: 5000, unanswered: 4900, timeouts: timeouts, losses: .init(sent: sent, lost: lost)),
        connection(2, received: 5000, losses: .init(sent: othersSent, lost: othersLost)),
      ]).verdict
    }
    #expect(verdict(limit - 1) == .answering)
    #expect(verdict(limit) == .stalled)
  }

  @Test func `displaced connections say nothing about the path, and are left behind if they stall`() {
    var old = connection(1, received: 9000, unanswered: 8000, losses: .init(sent: 1000))
    old.isDisplaced = true
    var younger = connection(2, received: 9000, unanswered: 3000)
    younger.isDisplaced = true
    var idle = connection(3, received: 2000)
    idle.isDisplaced = true
    var attempt = connection(4, unanswered: 9000, timeouts: 5)
    attempt.isDisplaced = true
    let alone = evidence([old, younger, idle, attempt])
    #expect(alone.verdict == .none)
    #expect(alone.connections == 0)
    #expect(alone.fault == nil)
    #expect(
      alone.leftBehind
        == .init(connections: 2, duration: .milliseconds(8000), addresses: ["10.1.0.1"]))
    let answered = evidence([old, connection(5, received: 10)])
    #expect(answered.verdict == .answering)
    #expect(answered.leftBehind?.connections == 1)
    #expect(evidence([idle, attempt]).leftBehind == nil)
    // They are no reason to blame the network for another's stall, or to excuse it.
    #expect(evidence([old, connection(5, received: 9000, unanswered: 8000)]).fault == .undetermined)
    #expect(
      evidence([idle, connection(5, received: 9000, unanswered: 8000)], about: 5).fault == .undetermined)
  }

  @Test func `losses and paths of displaced connections are not those of a path or an interface`() {
    var old = connection(1, received: 9000, losses: .init(sent: 1000, lost: 500))
    old.isDisplaced = true
    let stalled = connection(2, received: 5000, unanswered: 4900, timeouts: 2)
    #expect(evidence([stalled]).verdict == .stalled)
    #expect(evidence([old, stalled]).verdict == .stalled)

    let former = TrafficPath(interface: 2, gateway: "10.1.0.253", family: .v4)
    var reading = TrafficReading(connections: [old, stalled])
    reading.samples = [.init(connection: old, path: former), .init(connection: stalled, path: Self.way)]
    reading.nextHops = [
      Self.way: .init(address: "10.1.0.254", state: .confirmed),
      former: .init(address: "10.1.0.253", state: .failed),
    ]
    let ofInterface = EvidenceEvaluator(reading: reading).evidence(about: .interface(2, nil))
    #expect(ofInterface.nextHop == reading.nextHops[Self.way])
    #expect(ofInterface.connections == 1)
  }

  @Test func `a peer's evidence leaves out what a change left behind, unless a source is named`() {
    var old = connection(1, received: 9000, unanswered: 8000)
    old.isDisplaced = true
    let peer = evidence([old], about: 1)
    #expect(peer.verdict == .none)
    #expect(peer.leftBehind?.connections == 1)
    let reading = TrafficReading(connections: [old], samples: [.init(connection: old, path: Self.way)])
    func named(_ source: ReachabilityAddress?, isOnPaths: Bool) -> TrafficEvidence {
      EvidenceEvaluator(reading: reading).evidence(
        about: .addresses([old.peer], port: nil, source: source, paths: [Self.way], isOnPaths: isOnPaths))
    }
    #expect(named("10.1.0.1", isOnPaths: true).verdict == .stalled)
    #expect(named("10.1.0.1", isOnPaths: false).leftBehind == nil)
    #expect(named(nil, isOnPaths: true).verdict == .none)
    #expect(named(nil, isOnPaths: true).leftBehind?.connections == 1)
    // An answer is the peer's, whichever way it came.
    var working = connection(1, received: 100)
    working.isDisplaced = true
    #expect(evidence([working], about: 1).verdict == .answering)
    #expect(evidence([working]).verdict == .none)
  }

  @Test func `a segment that may be older is an answer, but does not refute a stall`() {
    var closed = connection(1, received: 100)
    closed.mayBeOlder = true
    #expect(evidence([closed]).verdict == .answering)
    #expect(evidence([closed]).answeringPeers == 1)
    let stall = evidence([closed, connection(2, received: 9000, unanswered: 8000)])
    #expect(stall.verdict == .stalled)
    #expect(stall.received == .milliseconds(9000))
    #expect(stall.stalled == .milliseconds(8000))
    #expect(
      evidence([closed, connection(2, received: 9000, unanswered: 8000)], about: 2).fault == .undetermined)
    // Of the same peer.
    #expect(evidence([closed, connection(1, received: 9000, unanswered: 8000)]).stalledPeers == 1)
  }

  @Test func `stalled connections of other users are counted, not named`() {
    let evidence = evidence([
      connection(1, received: 3000, unanswered: 2900, isOwn: false),
      connection(2, received: 3000, unanswered: 2800),
    ])
    #expect(evidence.stalledConnections == 2)
    #expect(
      evidence.ownStalledConnections == [
        .init(peer: "10.2.0.2", port: 443, duration: .milliseconds(2800), timeouts: 2)
      ])
  }

  @Test func `at most 16 stalled connections are named, the youngest first`() {
    let evidence = evidence((1...20).map { connection($0, received: 9000, unanswered: 1000 + 100 * Int($0)) })
    #expect(evidence.stalledConnections == 20)
    #expect(evidence.ownStalledConnections.count == 16)
    #expect(evidence.ownStalledConnections.first?.peer == "10.2.0.1")
  }

  @Test func `a tunnel that only sends is a weak stall where nothing else is known`() {
    #expect(evidence([]) { $0.silentTunnels = [2: .seconds(20)] }.verdict == .stalled)
    #expect(evidence([]) { $0.silentTunnels = [3: .seconds(20)] }.verdict == .none)
    // Segments that arrived through it are worth more.
    #expect(
      evidence([connection(1, received: 9000)]) { $0.silentTunnels = [2: .seconds(20)] }.verdict == .answering
    )
    let evidence = evidence([connection(1, received: 70_000)]) { $0.silentTunnels = [2: .seconds(20)] }
    #expect(evidence.verdict == .stalled)
    #expect(evidence.strength == .weak)
    #expect(evidence.silentTunnel == .seconds(20))
  }

  @Test func `what cannot be read is no evidence, with the reason`() {
    let evidence = evidence([connection(1, received: 1)]) { $0.obstacle = .notPermitted }
    #expect(evidence == .none(because: .notPermitted))
  }

  @Test func `connections that stalled or answered last are sampled`() {
    let answered = (0..<1000).map { connection(1, received: $0) }
    let stalled = (0..<1000).map { connection(2, received: 100_000, unanswered: 900 + $0) }
    let choice = TrafficReading.choice(of: answered.reversed() + stalled)
    #expect(choice.count == 256)
    #expect(choice.compactMap(\.received).filter { $0 < 1000 }.max() == 127)
    #expect(choice.compactMap(\.unanswered?.age).max() == 900 + 127)
  }
}
