// SPDX-License-Identifier: Apache-2.0
/// Turns a reading of this machine's traffic into evidence; pure.
struct EvidenceEvaluator: Sendable {
  /// The time in milliseconds for which received segments count as answers.
  static var answerWindow: Int { 60_000 }
  /// The time in milliseconds for which data of an established connection must be unanswered.
  ///
  /// A tail loss probe before the first timeout adds a fifth of a second that the age does not contain. So an observer
  /// that reads once a second notices within two seconds.
  static var stallLimit: Int { 700 }
  /// The same for the first segment of a connection.
  static var connectingLimit: Int { 3000 }
  /// The same where nothing is known about the path's losses.
  static var firstContactLimit: Int { 5000 }
  /// The limit in milliseconds of the time after a segment was sent in which others may still arrive that were on
  /// their way.
  static var flightLimit: Int { 1000 }

  let reading: TrafficReading

  func evidence(about subject: EvidenceSubject) -> TrafficEvidence {
    if let obstacle = reading.obstacle { return .none(because: obstacle) }
    let candidates: [TrafficConnection]
    let isMember: (TrafficConnection) -> Bool
    let paths: Set<TrafficPath>
    switch subject {
    case .addresses(let addresses, let port, let source, let ways, let isOnPaths):
      let connections =
        isOnPaths
        ? reading.samples.filter { ways.contains($0.path) }.map(\.connection) : reading.connections
      candidates = connections.filter { connection in
        addresses.contains(connection.peer) && port.map { $0 == connection.peerPort } != false
          && source.map { $0 == connection.local } != false
      }
      // Who names a source means its connections, whichever way they take. Answers of a peer are its own on any way.
      isMember = { connection in
        source != nil || !(isOnPaths ? connection.isDisplaced : connection.isLeftBehind)
      }
      paths = ways
    case .paths(let ways):
      isMember = { !$0.isDisplaced }
      candidates = reading.samples.filter { ways.contains($0.path) }.map(\.connection)
      paths = ways
    case .interface(let index, let family):
      let samples = reading.samples.filter { sample in
        sample.path.interface == index && family.map { $0 == sample.path.family } != false
      }
      isMember = { !$0.isDisplaced }
      candidates = samples.map(\.connection)
      paths = Set(samples.lazy.filter { !$0.connection.isDisplaced }.map(\.path))
    }
    var evidence = evaluate(candidates.filter(isMember), paths)
    evidence.leftBehind = TrafficEvidence.LeftBehind(
      candidates.filter { $0.isLeftBehind && !isMember($0) })
    evidence.nextHop = paths.compactMap { reading.nextHops[$0] }.max { $0.state.severity < $1.state.severity }
    evidence.silentTunnel = paths.compactMap { reading.silentTunnels[$0.interface] }.max()
    if evidence.verdict == .none, evidence.silentTunnel != nil {
      evidence.verdict = .stalled
      evidence.stalled = evidence.silentTunnel
      evidence.fault = .undetermined
    }
    return evidence
  }

  private func evaluate(_ members: [TrafficConnection], _ paths: Set<TrafficPath>) -> TrafficEvidence {
    let members = withoutDelays(members, on: paths)
    var evidence = TrafficEvidence(.none, connections: members.count)
    // A stall is refuted only by a segment whose age is known.
    let received = members.compactMap(\.surelyReceived).min()
    let latest = members.compactMap(\.received).min()
    evidence.received = latest.map { .milliseconds($0) }
    // By peer: a second connection that is answered speaks for the peer.
    let peers = ages(of: members, \.received)
    let surePeers = ages(of: members, \.surelyReceived)
    let stalled = members.filter { isUnanswered($0, after: $0.received) }
    let stalledPeers = Set(stalled.filter { isUnanswered($0, after: surePeers[$0.peer]) }.map(\.peer))
    evidence.stalledConnections = stalled.count
    evidence.stalledPeers = stalledPeers.count
    evidence.answeringPeers =
      peers.count { $0.value <= Self.answerWindow && !stalledPeers.contains($0.key) }
    evidence.ownStalledConnections = stalled.filter(\.isOwn).sorted { $0.order < $1.order }.prefix(16)
      .compactMap(TrafficEvidence.StalledConnection.init)

    let decisive = stalled.filter { isUnanswered($0, after: received) }
    if let age = decisive.compactMap(\.unanswered?.age).max() {
      evidence.verdict = .stalled
      evidence.stalled = .milliseconds(min(age, received ?? .max))
      evidence.received = received.map { .milliseconds($0) }
    } else if let latest, latest <= Self.answerWindow {
      evidence.verdict = .answering
    }
    evidence.fault = fault(stalled, peers: stalledPeers, decisive: decisive, received: received) {
      let own = Set(members.map(\.peer))
      let others = reading.samples.filter { sample in
        paths.contains(sample.path) && !own.contains(sample.connection.peer) && !sample.connection.isDisplaced
      }
      return withoutDelays(others.map(\.connection), on: paths)
    }
    evidence.strength = strength(of: evidence, decisive)
    // Where nothing passes, the size is not the reason.
    if evidence.fault != .network, evidence.fault != .thisMachine {
      evidence.suspectedMTU = suspectedMTU(of: members)
    }
    return evidence
  }

  /// Returns the least age of a segment of each peer.
  private func ages(
    of connections: [TrafficConnection], _ age: (TrafficConnection) -> Int?
  ) -> [ReachabilityAddress: Int] {
    var peers: [ReachabilityAddress: Int] = [:]
    for connection in connections {
      guard let age = age(connection) else { continue }
      peers[connection.peer] = min(age, peers[connection.peer] ?? .max)
    }
    return peers
  }

  /// Returns connections of some paths, with unanswered data only where they stall.
  private func withoutDelays(
    _ connections: [TrafficConnection], on paths: Set<TrafficPath>
  ) -> [TrafficConnection] {
    let waiting = connections.indices.filter { connections[$0].unanswered != nil }
    if waiting.isEmpty { return connections }
    let losses = reading.samples.reduce(SegmentLosses()) {
      paths.contains($1.path) && !$1.connection.isDisplaced ? $0 + $1.connection.losses : $0
    }
    var connections = connections
    for position in waiting where !connections[position].isStalled(amid: losses) {
      connections[position].unanswered = nil
    }
    return connections
  }

  /// Whether data stalls, and no segment arrived since it was sent, whose age is given.
  private func isUnanswered(_ connection: TrafficConnection, after received: Int?) -> Bool {
    guard let unanswered = connection.unanswered else { return false }
    guard let received else { return true }
    // Segments that were on their way when the network broke still arrive.
    return unanswered.age <= received + min(unanswered.timeout, Self.flightLimit)
  }

  private func fault(
    _ stalled: [TrafficConnection], peers: Set<ReachabilityAddress>, decisive: [TrafficConnection],
    received: Int?, _ findOthers: () -> [TrafficConnection]
  ) -> TrafficEvidence.Fault? {
    guard !stalled.isEmpty else { return nil }
    // What this machine did not send says nothing about the network.
    let suspects = decisive.isEmpty ? stalled : decisive
    let sent = suspects.filter { $0.unanswered?.isHeldBack != true }
    if sent.count < suspects.count, sent.allSatisfy({ $0.unanswered?.areProbes == true }) {
      return .thisMachine
    }
    let decisive = decisive.isEmpty ? decisive : sent
    // Some members answer, but not these.
    guard !decisive.isEmpty else { return peers.isEmpty ? .connection : .peer }
    let others = findOthers()
    let answered = (others.compactMap(\.surelyReceived) + [received].compactMap(\.self)).min()
    let isOthersAnswering = decisive.allSatisfy { !isUnanswered($0, after: answered) }
    if isOthersAnswering { return .peer }
    let alike = others.filter { isUnanswered($0, after: answered) && $0.unanswered?.isHeldBack != true }
    let silent = Set((decisive + alike).map(\.peer))
    return silent.count > 1 ? .network : .undetermined
  }

  private func strength(
    of evidence: TrafficEvidence, _ decisive: [TrafficConnection]
  ) -> TrafficEvidence.Strength {
    switch evidence.verdict {
    case .none: .weak
    case .answering: evidence.received.map { $0 <= .seconds(10) } == true ? .strong : .weak
    case .stalled:
      // That other peers answer says where the fault is, but not that there is one.
      evidence.fault == .network || evidence.fault == .thisMachine || Set(decisive.map(\.peer)).count > 1
        || decisive.contains { ($0.unanswered?.timeouts ?? 0) >= 5 } ? .strong : .weak
    }
  }

  /// Returns the path MTU of a connection whose large segments stall while small ones pass.
  private func suspectedMTU(of members: [TrafficConnection]) -> Int? {
    let large = members.filter { $0.unanswered?.isLarge == true }
    if large.isEmpty { return nil }
    // A small segment at the end of the data arrived, and the large ones were lost more often than by chance,
    let isTailReceived = large.first { connection in
      connection.unanswered.map { $0.isPartlyReceived && $0.timeouts >= 3 } == true
    }
    if let connection = isTailReceived { return connection.pathMTU }
    // or those of another connection did, before the large ones were sent again. That they do now means little: a
    // connection sends again some time after the network was restored.
    return large.first { connection in
      guard let unanswered = connection.unanswered, let passed = unanswered.timeoutsWhenPassed else {
        return false
      }
      return unanswered.timeouts > passed && unanswered.sinceSent >= unanswered.timeout
    }?.pathMTU
  }
}

extension TrafficEvidence.NextHop.State {
  /// The place in the order of increasing trouble.
  fileprivate var severity: Int {
    switch self {
    case .confirmed: 0
    case .unconfirmed: 1
    case .probing: 2
    case .failed: 3
    }
  }
}

extension TrafficEvidence.StalledConnection {
  fileprivate init?(_ connection: TrafficConnection) {
    guard let unanswered = connection.unanswered else { return nil }
    self.init(
      peer: connection.peer, port: connection.peerPort, duration: .milliseconds(unanswered.age),
      timeouts: unanswered.timeouts)
  }
}

extension TrafficEvidence.LeftBehind {
  /// Returns `nil` without connections.
  fileprivate init?(_ connections: [TrafficConnection]) {
    guard let age = connections.compactMap(\.unanswered?.age).max() else { return nil }
    self.init(
      connections: connections.count, duration: .milliseconds(age),
      addresses: Set(connections.map(\.local)).sorted { $0.description < $1.description })
  }
}

extension TrafficConnection {
  /// The order of stalled connections: the youngest first.
  fileprivate var order: Int { unanswered?.age ?? .max }
}

/// What evidence is about, with everything that decides which connections belong to it.
enum EvidenceSubject: Equatable, Sendable {
  /// Connections to these addresses, whose packets take one of these paths; by a port and from an address, if given.
  ///
  /// - Parameter isOnPaths: Whether only connections that take one of the paths count, as for a target with an interface.
  case addresses(
    Set<ReachabilityAddress>, port: UInt16?, source: ReachabilityAddress?, paths: Set<TrafficPath>,
    isOnPaths: Bool = false)
  /// Connections whose packets take one of these paths.
  case paths(Set<TrafficPath>)
  /// Connections over an interface, of a family if given.
  case interface(Int32, ReachabilityAddress.Family?)
}
