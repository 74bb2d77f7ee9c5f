#if os(Linux)
import Netlink

extension NetworkTracker {
  /// What the kernel knows about the paths of connections.
  struct TrafficSurroundings {
    var samples: [TrafficReading.Sample] = []
    var nextHops: [TrafficPath: TrafficEvidence.NextHop] = [:]
    var tunnels: [StatisticsMessage] = []
  }

  /// The number of next hops whose state is looked up.
  private static var nextHopLimit: Int { 16 }

  /// Looks up the paths of connections; one to an address of this machine has none.
  mutating func trafficSurroundings(of connections: [TrafficConnection]) -> TrafficSurroundings {
    update()
    var surroundings = TrafficSurroundings()
    var replies = [RouteReply?](repeating: nil, count: connections.count)
    let user = user
    try? client.lookUp(connections.count) { index in
      let connection = connections[index]
      let question = RouteQuestion(
        connection.peer, source: connection.local, interface: connection.boundInterface, transport: .tcp,
        port: connection.peerPort)
      return RouteRequest(question, of: user)
    } answer: { index, bytes, message throws(DecodingError) in
      if case .route(let reply) = RouteAnswer(try message.lookup(of: bytes)) { replies[index] = reply }
    }
    for (connection, reply) in zip(connections, replies) {
      // A connection whose route is gone still belongs to its interface, if it is bound to one.
      guard reply?.kind.isHere != true,
        let interface = connection.boundInterface ?? reply?.interface
          ?? networkState.interface(having: connection.local)
      else { continue }
      surroundings.samples.append(
        .init(
          connection,
          TrafficPath(interface: interface, gateway: reply?.gateway, family: connection.peer.family)))
    }
    for path in Set(surroundings.samples.map(\.path)).prefix(Self.nextHopLimit) {
      guard let gateway = path.gateway else { continue }
      let entry = try? client.neighbour(gateway, on: path.interface)
      guard let state = (entry ?? nil).flatMap({ TrafficEvidence.NextHop.State($0.state) }) else { continue }
      surroundings.nextHops[path] = .init(address: gateway, state: state)
    }
    for (index, link) in networkState.links where link.interface.isTunnel && link.condition == .up {
      if let counters = (try? client.statistics(of: index)) ?? nil { surroundings.tunnels.append(counters) }
    }
    return surroundings
  }
}

extension TrafficEvidence.NextHop.State {
  /// Returns `nil` before the first address resolution.
  fileprivate init?(_ state: NeighbourState) {
    if !state.isDisjoint(with: [.reachable, .needless, .permanent]) {
      self = .confirmed
    } else if !state.isDisjoint(with: [.probe, .incomplete]) {
      self = .probing
    } else if !state.isDisjoint(with: [.stale, .delay]) {
      self = .unconfirmed
    } else if state.contains(.failed) {
      self = .failed
    } else {
      return nil
    }
  }
}
#endif
