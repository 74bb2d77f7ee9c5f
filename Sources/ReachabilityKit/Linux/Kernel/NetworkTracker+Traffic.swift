// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

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
  ///
  /// Data counts as held back only if it does not wait for the address of its next hop.
  ///
  /// - Parameter moment: That of the connections' ages, or one before.
  mutating func trafficSurroundings(
    of connections: [TrafficConnection], at moment: Moment
  ) -> TrafficSurroundings {
    update()
    var surroundings = TrafficSurroundings()
    var replies = replies(
      connections.map { connection in
        RouteRequest(
          connection.peer, source: connection.local, interface: connection.boundInterface,
          destinationPort: connection.peerPort
        ).over(.tcp)
      })
    let displaced = displacements(of: connections, replies)
    for (position, reply) in displaced { replies[position] = reply }
    var neighbours: [NextHopWatch.NextHop: NeighbourMessage?] = [:]
    for (position, (connection, reply)) in zip(connections, replies).enumerated() {
      var connection = connection
      connection.isDisplaced = displaced[position] != nil
      // A connection whose route is gone still belongs to its interface, if it is bound to one.
      guard reply?.kind.isHere != true,
        let interface = connection.boundInterface ?? reply?.interface
          ?? networkState.interface(having: connection.local)
      else { continue }
      let path = TrafficPath(interface: interface, gateway: reply?.gateway, family: connection.peer.family)
      if let unanswered = connection.unanswered, unanswered.mayAwaitAddress {
        let hop = reply.flatMap { $0.detour == nil ? $0.gateway : $0.segment } ?? connection.peer
        // That of a socket bound to a VRF has no neighbours.
        let neighbour = NextHopWatch.NextHop(address: hop, interface: reply?.interface ?? interface)
        if awaitsAddress(unanswered, of: neighbour, at: moment, &neighbours) {
          connection.unanswered?.heldBack = 0
        }
      }
      surroundings.samples.append(.init(connection: connection, path: path))
    }
    for path in Set(surroundings.samples.map(\.path)).prefix(Self.nextHopLimit) {
      guard let gateway = path.gateway else { continue }
      let entry = try? client.neighbour(gateway, on: path.interface)
      guard let state = (entry ?? nil).flatMap({ TrafficEvidence.NextHop.State($0.state) }) else { continue }
      surroundings.nextHops[path] = .init(address: gateway, state: state)
    }
    for (index, link) in networkState.links where link.interface.isAnswering && link.condition == .up {
      if let counters = (try? client.statistics(of: index)) ?? nil { surroundings.tunnels.append(counters) }
    }
    return surroundings
  }

  /// Whether data that did not leave may wait until the link-layer address of its next hop is known.
  ///
  /// - Parameter known: The entries that were looked up before.
  private mutating func awaitsAddress(
    _ unanswered: TrafficConnection.Unanswered, of hop: NextHopWatch.NextHop, at moment: Moment,
    _ known: inout [NextHopWatch.NextHop: NeighbourMessage?]
  ) -> Bool {
    if known[hop] == nil {
      guard known.count < Self.nextHopLimit else { return true }
      do throws(NetlinkError) {
        known[hop] = .some(try client.neighbour(hop.address, on: hop.interface))
      } catch {
        return true
      }
    }
    // A packet that comes so far leaves an entry.
    guard let entry = known[hop] ?? nil else { return false }
    return unanswered.mayAwait(entry, after: moment.duration(to: .now))
  }

  private mutating func replies(_ questions: [RouteRequest]) -> [RouteMessage?] {
    var replies = [RouteMessage?](repeating: nil, count: questions.count)
    lookUp(questions) { position, answer in
      if case .success(let reply) = answer { replies[position] = reply }
    }
    return replies
  }

  /// Returns the connections, by position, whose address belongs to another interface than the one over which packets
  /// to their peers leave now, with the routes of these packets.
  ///
  /// - Parameter replies: The routes with the connections' own addresses as the source; none where the kernel accepts
  ///   no packets from the address any more.
  private mutating func displacements(
    of connections: [TrafficConnection], _ replies: [RouteMessage?]
  ) -> [Int: RouteMessage] {
    let suspects = connections.indices.filter { position in
      let connection = connections[position]
      guard connection.boundInterface == nil else { return false }
      guard let reply = replies[position] else { return true }
      guard !reply.kind.isHere, let interface = reply.interface else { return false }
      return networkState.isDisplaced(connection.local, from: interface) ?? false
    }
    if suspects.isEmpty { return [:] }
    // Unnumbered links, and routes that name a source, use an address of another interface.
    let usual = self.replies(
      suspects.map {
        RouteRequest(connections[$0].peer, destinationPort: connections[$0].peerPort).over(.tcp)
      })
    var displaced: [Int: RouteMessage] = [:]
    for (position, usual) in zip(suspects, usual) {
      guard let usual, !usual.kind.isHere, let interface = usual.interface else { continue }
      let local = connections[position].local
      guard usual.preferredSource != local else { continue }
      if let reply = replies[position] {
        displaced[position] = reply
      } else if networkState.isDisplaced(local, from: interface) ?? true {
        displaced[position] = usual
      }
    }
    return displaced
  }
}

extension TrafficConnection.Unanswered {
  /// The time in milliseconds after which the kernel gives up an address, three requests in three seconds, and drops what waits
  /// for it.
  private static var resolutionTime: Int { 5000 }

  /// Whether the data may wait for the address of a next hop, or has done so until a moment ago.
  ///
  /// - Parameter delay: The time since the ages were read.
  func mayAwait(_ hop: NeighbourMessage, after delay: Duration) -> Bool {
    guard let sinceTry else { return false }
    if hop.state.contains(.incomplete) { return true }
    // Once it is dropped, a repetition is in the queue, and counts as sent.
    if age - sinceTry > Self.resolutionTime { return false }
    guard let change = hop.sinceChange else { return true }
    // Both are measured in steps.
    return .milliseconds(Int64(change) * 10 - 20) < .milliseconds(sinceTry) + delay
  }
}

extension ReachabilityInterface {
  /// Whether the other end of a tunnel answers each packet, if need be with a keep-alive.
  ///
  /// Only WireGuard does: other tunnels may carry traffic in one direction, such as logs, and be healthy.
  var isAnswering: Bool { linkType == "wireguard" }
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

/// The user that this process's sockets belong to, which policy rules may match.
enum SocketUser {
  static var effective: UInt32 { geteuid() }

  /// The effective user's number, which may change at any time; `nil` for the real user, the kernel's default.
  static var current: UInt32? {
    // A user without a number can't be named in a request: the kernel would match no user.
    guard effective == Rule.UserIDs.unmapped, getuid() == effective else { return effective }
    return nil
  }
}

/// The user namespace of the process.
enum UserNamespace {
  /// Whether every user has a number here, so that no number stands for several users.
  private static var isInitial: Bool {
    guard let map = try? SystemFile.contents(of: "/proc/self/uid_map", upTo: 4096) else { return false }
    return String(decoding: map, as: UTF8.self).split { $0 == " " || $0 == "\n" } == ["0", "0", "4294967295"]
  }

  /// Whether a number stands for one user only.
  static func isUnique(_ user: UInt32) -> Bool { user != Rule.UserIDs.unmapped || isInitial }

  /// Returns a rule whose users are not known if a bound may be any user without a number in this namespace.
  static func resolve(_ rule: Rule) -> Rule {
    guard let users = rule.userIDs,
      users.first > users.last || !isUnique(users.first) || !isUnique(users.last)
    else { return rule }
    var rule = rule
    rule.userIDs = nil
    rule.hasUnknownSelectors = true
    return rule
  }
}
#endif
