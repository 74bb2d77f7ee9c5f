// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import InternetProtocol
import LiveSupport
import POSIX
import ReachabilityKit
import Synchronization

/// A client in its own namespace, and its part of the namespace of all servers, between which only the relay copies packets.
final class World {
  let number: Int
  /// The client's and the server's tunnel devices.
  let tunnels: (client: Int32, server: Int32)
  /// The client's network namespace.
  let namespace: Int32
  let desk: Desk
  private let destroyer: Int32
  private let host: NetworkNamespace
  private let devices: [Tunnel]

  var rules = [Rule](repeating: Rule(), count: Peer.limit)
  var record = Record()
  /// The scenario that runs.
  var player: Player?
  /// Decides which packets are lost.
  var random = SeededGenerator(seed: 0)

  /// - Parameter parent: Where the namespace is created, which decides whether it has its own table of connections.
  init(_ number: Int, server: NetworkNamespace, parent: NetworkNamespace?) throws {
    self.number = number
    let host = try parent?.run { try NetworkNamespace() } ?? NetworkNamespace()
    self.host = host
    guard let client = try host.openTunnel("tun"), let far = try server.openTunnel("t\(number)") else {
      throw Failure("this kernel has no tunnel devices")
    }
    // Nothing reads what this one sends, like a router that drops packets with addresses of another uplink.
    guard let second = try host.openTunnel("tun2") else { throw Failure("cannot open a second tunnel") }
    devices = [client, far, second]
    tunnels = (client.descriptor, far.descriptor)
    traffic_unblock(client.descriptor)
    traffic_unblock(far.descriptor)
    namespace = traffic_open_namespace(host.threadID)
    for parameter in [
      "ipv6/conf/default/accept_ra", "ipv6/conf/tun/accept_ra", "ipv6/conf/tun/router_solicitations",
      "ipv6/conf/tun2/accept_ra", "ipv6/conf/tun2/router_solicitations",
    ] {
      try host.writeSysctl("net/\(parameter)", "0")
    }
    // A scenario does not depend on the measurements of an earlier one.
    try host.writeSysctl("net/ipv4/tcp_no_metrics_save", "1")
    let addresses = Peer.client(number)
    let gateways = Peer.gateways(number)
    try host.sh(
      """
      ip -batch - <<END
      link set lo up
      address add \(addresses.v4)/24 dev tun
      address add \(addresses.v6)/64 dev tun nodad
      address add 192.0.2.2/24 dev tun2
      address add fd65::2/64 dev tun2 nodad
      link set tun up
      link set tun2 up
      route add default via \(gateways.v4) dev tun
      route add default via \(gateways.v6) dev tun
      END
      """)
    let local = ReachabilityAddress.v4(.init(rawValue: Peer.network(of: number) | 128))
    try server.sh(
      """
      ip -batch - <<END
      link set t\(number) up
      route add \(addresses.v4)/32 dev t\(number)
      route add \(addresses.v6)/128 dev t\(number)
      route add local \(local)/25 dev lo
      route add local \(Peer(isIPv6: true, isOnLink: true, number: 0).address(in: number))/112 dev lo
      END
      """)
    destroyer = try host.run { traffic_open_destroyer() }
    desk = Desk(number, try host.run { try ReachabilityMonitor() })
  }

  /// Moves the client's default routes to the second uplink, or back.
  func moveRoutes(toSecond isSecond: Bool) throws {
    let gateways = Peer.gateways(number)
    try host.sh(
      """
      ip route replace default \(isSecond ? "dev tun2" : "via \(gateways.v4) dev tun") && ip -6 -batch - <<END
      route flush default
      route add default \(isSecond ? "dev tun2" : "via \(gateways.v6) dev tun")
      END
      """)
  }

  /// Drops all that the client sends, by a queue without room, or ends that.
  func dropOutgoing(_ isBeginning: Bool) throws {
    try host.sh(
      isBeginning ? "tc qdisc add dev tun root tbf rate 8bit burst 10b limit 1b" : "tc qdisc del dev tun root"
    )
  }

  /// Removes what the kernel keeps of the client's connections that were closed in a scenario.
  func removeRemains() {
    let clients = Peer.client(number)
    for (flow, state) in record.flows where state.closed != nil {
      let peer = Peer(slot: state.slot)
      traffic_destroy(
        destroyer,
        traffic_address(peer.isIPv6 ? clients.v6 : clients.v4, port: UInt16(truncatingIfNeeded: flow >> 16)),
        traffic_address(peer.address(in: number), port: UInt16(truncatingIfNeeded: flow)))
    }
  }

  func close() {
    traffic_close(destroyer)
    traffic_close(namespace)
    for device in devices { device.close() }
    host.close()
  }
}

/// Why the program could not go on.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What the thread that polls the product shares with the loop, for one world.
final class Desk: Sendable {
  /// What a user of a monitor asks.
  enum Question: Hashable, Sendable {
    case defaultRoute
    case peer(Int)
    case interface(ReachabilityAddress.Family?)

    /// Whether a peer's connections are part of the subject.
    func covers(_ slot: Int) -> Bool {
      let peer = Peer(slot: slot)
      return switch self {
      case .defaultRoute: !peer.isOnLink
      case .peer(let number): number == slot
      case .interface(let family): family.map { ($0 == .v6) == peer.isIPv6 } ?? true
      }
    }

    /// Whether a peer's packets take the same path as those of the subject.
    func sharesPath(with slot: Int) -> Bool {
      guard case .peer(let number) = self else { return covers(slot) }
      let (one, other) = (Peer(slot: number), Peer(slot: slot))
      return one.isIPv6 == other.isIPv6 && one.isOnLink == other.isOnLink
    }
  }

  /// The product's answers at a moment.
  struct Poll: Sendable {
    /// Before and after the first answer, which reads the connections.
    var start: Int64
    var end: Int64
    var answers: [(question: Question, evidence: TrafficEvidence)]
    /// The connections that were listed, if something stalls.
    var connections: [String] = []
  }

  private struct State {
    var questions: [Question] = []
    var polls: [Poll] = []
  }

  private let number: Int
  private let monitor: ReachabilityMonitor
  private let state = Mutex(State())
  private let lastReading = Mutex(Moment?.none)

  init(_ number: Int, _ monitor: ReachabilityMonitor) {
    self.number = number
    self.monitor = monitor
  }

  /// Begins a scenario.
  func begin(_ questions: [Question]) { state.withLock { $0 = State(questions: questions) } }

  /// Ends a scenario, and returns what was answered.
  func end() -> [Poll] {
    state.withLock { state in
      defer { state = State() }
      return state.polls
    }
  }

  /// Asks the product.
  func poll() {
    let questions = state.withLock { $0.questions }
    guard !questions.isEmpty else { return }
    var poll = Poll(start: traffic_now(), end: 0, answers: [])
    for question in questions {
      poll.answers.append((question, answer(question)))
      if poll.end == 0 { poll.end = traffic_now() }
    }
    // A reading is shared for a second, or for longer if it took long; the times of an old one are not of this poll.
    let reading = monitor.trafficReading
    let isNew = lastReading.withLock { last in
      defer { last = reading?.moment }
      return last != reading?.moment
    }
    guard isNew else { return }
    if poll.answers.contains(where: { $0.evidence.verdict == .stalled }), let reading {
      let sampled = Set(reading.samples.map(\.connection.identity))
      poll.connections = reading.connections.map { connection in
        "\(connection.peer):\(connection.peerPort) received \(connection.received.map(String.init) ?? "-")"
          + (sampled.contains(connection.identity) ? "" : " without a path")
      }
    }
    state.withLock { state in
      // The scenario may have ended meanwhile.
      if state.questions == questions { state.polls.append(poll) }
    }
  }

  private func answer(_ question: Question) -> TrafficEvidence {
    switch question {
    case .defaultRoute: monitor.evidence(for: .defaultRoute)
    case .peer(let slot): monitor.evidence(for: .address(Peer(slot: slot).address(in: number)))
    case .interface(let family): monitor.evidence(on: .name("tun"), family: family)
    }
  }
}
