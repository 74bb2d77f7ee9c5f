// SPDX-License-Identifier: Apache-2.0
import POSIX

/// The state of this machine's TCP traffic at a moment.
package struct TrafficReading: Sendable {
  /// A connection with the path of its packets.
  package struct Sample: Sendable {
    package var connection: TrafficConnection
    var path: TrafficPath
  }

  package var moment = Moment.now
  /// All connections to other machines, or that may be.
  package var connections: [TrafficConnection] = []
  /// The connections that stall, and those that received something last, with their paths; some hundreds at most.
  package var samples: [Sample] = []
  /// The states of the next hops.
  var nextHops: [TrafficPath: TrafficEvidence.NextHop] = [:]
  /// The tunnels that send and receive nothing, by the interface's index, and for how long.
  var silentTunnels: [Int32: Duration] = [:]
  /// Whether there are tunnels, whose counters say something only in several readings.
  var hasTunnels = false
  /// The counters before the connections were listed; `nil` if they can't be read.
  var counters: TrafficCounters?
  /// Why traffic cannot be read.
  var obstacle: TrafficEvidence.Obstacle?

  /// The reading of a machine without traffic.
  package static var empty: TrafficReading { TrafficReading() }

  /// Whether a retransmission timer expired, so that a stall may begin or end.
  var hasUnanswered: Bool { connections.contains { $0.unanswered != nil } }

  /// Notes which connections' large segments stall while their peers acknowledge the data of other connections.
  ///
  /// - Parameter earlier: The connections at the reading before.
  static func recordPassages(
    in connections: inout [TrafficConnection], after earlier: [TrafficConnection]
  ) {
    let large = connections.indices.filter { connections[$0].unanswered?.isLarge == true }
    if large.isEmpty { return }
    let peers = Set(large.map { connections[$0].peer })
    var known: [UInt64: TrafficConnection] = [:]
    for connection in earlier where peers.contains(connection.peer) {
      known[connection.identity] = connection
    }
    // A segment that was received says nothing: the packets of the peer may pass, and none to it.
    let acknowledging = Set(
      connections.filter { connection in
        peers.contains(connection.peer)
          && connection.acknowledged > known[connection.identity]?.acknowledged ?? 0
      }.map(\.peer))
    for position in large {
      let connection = connections[position]
      // The same data, which has waited since then.
      guard let unanswered = connection.unanswered, let before = known[connection.identity]?.unanswered,
        before.age < unanswered.age, before.timeouts <= unanswered.timeouts
      else { continue }
      let timeouts = acknowledging.contains(connection.peer) ? unanswered.timeouts : nil
      connections[position].unanswered?.timeoutsWhenPassed = before.timeoutsWhenPassed ?? timeouts
    }
  }

  /// Notes which data was held back before, and so is not waiting for an address.
  ///
  /// - Parameter earlier: The connections at the reading before.
  static func keepHeldBack(
    in connections: inout [TrafficConnection], after earlier: [TrafficConnection]
  ) {
    let waiting = connections.indices.filter { connections[$0].unanswered?.mayAwaitAddress == true }
    if waiting.isEmpty { return }
    var known: [UInt64: TrafficConnection.Unanswered] = [:]
    for connection in earlier {
      if let unanswered = connection.unanswered, unanswered.isHeldBack {
        known[connection.identity] = unanswered
      }
    }
    for position in waiting {
      guard let unanswered = connections[position].unanswered,
        let before = known[connections[position].identity], before.age < unanswered.age,
        before.timeouts <= unanswered.timeouts
      else { continue }
      connections[position].unanswered?.sinceTry = nil
    }
  }

  /// Copies to the connections what is known of the samples: which are displaced, and which only wait for an address.
  ///
  /// What may wait, and is no sample, counts as waiting.
  mutating func adoptSamples() {
    guard
      samples.contains(where: { $0.connection.isDisplaced })
        || connections.contains(where: { $0.unanswered?.mayAwaitAddress == true })
    else { return }
    var known: [UInt64: TrafficConnection] = [:]
    for sample in samples { known[sample.connection.identity] = sample.connection }
    for position in connections.indices {
      if let sample = known[connections[position].identity] {
        connections[position] = sample
      } else if connections[position].unanswered?.mayAwaitAddress == true {
        connections[position].unanswered?.heldBack = 0
      }
    }
  }

  /// The number of connections of each kind whose paths are looked up.
  static var sampleLimit: Int { 128 }

  /// Returns the connections to sample: those whose data is unanswered for the shortest time, since older stalls say
  /// nothing about the present, and those that received something last.
  static func choice(of connections: [TrafficConnection]) -> [TrafficConnection] {
    let stalled = positions(connections) { $0.mayStall ? $0.unanswered?.age : nil }
    let answered = positions(connections) { $0.received }
    return Set(stalled + answered).sorted().map { connections[$0] }
  }

  /// Returns the positions of the connections with the smallest values, at most ``sampleLimit``.
  private static func positions(
    _ connections: [TrafficConnection], by value: (TrafficConnection) -> Int?
  ) -> [Int] {
    var best: [(value: Int, position: Int)] = []
    for position in connections.indices {
      guard let value = value(connections[position]) else { continue }
      if best.count == sampleLimit {
        guard value < best[sampleLimit - 1].value else { continue }
        best.removeLast()
      }
      var place = best.count
      while place > 0, best[place - 1].value > value { place -= 1 }
      best.insert((value, position), at: place)
    }
    return best.map(\.position)
  }
}

/// The path of a connection's packets: what connections have in common that share a fault of the network.
struct TrafficPath: Hashable, Sendable {
  /// The index of the interface.
  var interface: Int32
  /// The next hop; `nil` if the peer is on the link.
  var gateway: ReachabilityAddress?
  var family: ReachabilityAddress.Family
}

/// Decides when an observer of evidence needs another reading, and which evidence it receives.
struct EvidenceFollower: Sendable {
  private(set) var reading: TrafficReading?
  private var evidence: TrafficEvidence?
  /// The number of turns without a reading.
  private var skipped = 0

  /// The number of turns after which the connections are listed whatever the counters say.
  private static var skipLimit: Int { 30 }
  /// The same where there are tunnels, whose silence takes several readings to notice.
  private static var tunnelSkipLimit: Int { 5 }

  /// Whether this turn takes another reading.
  ///
  /// A stall begins and ends with retransmissions, or with sent segments that this machine drops, which the counters show at a
  /// hundredth of the cost of a list.
  ///
  /// - Parameter hasTraffic: Whether the counters show what may be a stall, or, with `true`, any received segment.
  mutating func needsReading(_ hasTraffic: (TrafficReading, Bool) -> Bool) -> Bool {
    guard let reading, let evidence else { return true }
    skipped += 1
    let isDue =
      skipped >= (reading.hasTunnels ? Self.tunnelSkipLimit : Self.skipLimit) || reading.hasUnanswered
      || evidence.verdict == .stalled
    return isDue || hasTraffic(reading, evidence.verdict == .none)
  }

  /// Takes the evidence of a reading; returns it if it does not mean the same as the last one.
  mutating func take(_ evidence: TrafficEvidence, of reading: TrafficReading) -> TrafficEvidence? {
    skipped = 0
    self.reading = reading
    let isKnown = self.evidence?.meansSame(as: evidence) == true
    self.evidence = evidence
    return isKnown ? nil : evidence
  }
}
