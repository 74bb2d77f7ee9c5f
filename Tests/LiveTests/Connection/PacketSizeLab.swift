// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

/// A client, a router and a server, whose router drops what is too big for a link, with or without a message.
final class PacketSizeLab: Sendable {
  let upstream: UpstreamLab
  let monitor: ReachabilityMonitor

  var client: NetworkNamespace { upstream.client }
  var router: NetworkNamespace { upstream.router }
  var server: NetworkNamespace { upstream.server }

  /// The addresses of the server, one of each family.
  static let addresses = ["10.9.0.1", "fd00:9::1"]

  /// - Parameter mayEcho: Whether users of the client may send echo requests.
  init(mayEcho: Bool = true) throws {
    upstream = try UpstreamLab(hasIPv6: true)
    try upstream.client.writeSysctl("net/ipv4/ping_group_range", mayEcho ? "0 2147483647" : "1 0")
    // Rules see the packets of the link, not what the kernel gathers them to.
    for network in [upstream.client, upstream.server] { try network.ip("link set eth0 gso_max_segs 1") }
    monitor = try upstream.client.run { try ReachabilityMonitor() }
  }

  /// Adds a rule to a network's firewall, for both families.
  func addRule(_ rule: String, in network: NetworkNamespace) throws {
    for command in ["iptables", "ip6tables"] { try network.sh("\(command) -A \(rule)") }
  }

  /// Gives the router's link to the server a smaller MTU.
  func shrinkPath(to mtu: Int) throws { try router.ip("link set s0 mtu \(mtu)") }

  /// Makes the router report nothing that is too big.
  func muteRouter() throws {
    try router.sh("iptables -A OUTPUT -p icmp --icmp-type fragmentation-needed -j DROP")
    try router.sh("ip6tables -A OUTPUT -p icmpv6 --icmpv6-type packet-too-big -j DROP")
  }

  /// Makes the router drop larger packets from the server, as a tunnel with a smaller MTU does that cannot report it.
  func shrinkWayBack(to mtu: Int) throws {
    try addRule("FORWARD -i s0 -m length --length \(mtu + 1):65535 -j DROP", in: router)
  }

  /// Makes the server answer neither datagrams nor echo requests.
  func silenceServer() throws {
    try addRule("INPUT -p udp -j DROP", in: server)
    try server.sh("iptables -A INPUT -p icmp --icmp-type echo-request -j DROP")
    try server.sh("ip6tables -A INPUT -p icmpv6 --icmpv6-type echo-request -j DROP")
  }

  func explain(_ address: String, port: UInt16? = nil) async throws -> PacketSizeOutcome {
    let explanation = try await monitor.explain(
      ReachabilityTarget(address), probing: port ?? upstream.port, timeout: .seconds(20))
    return PacketSizeOutcome(explanation: explanation)
  }

  /// Sends 15,000 bytes to the server over a new connection, or from it; returns whether all arrive.
  func transfers(to address: String, back: Bool = false) throws -> Bool {
    let target = try ReachabilityTarget(address)
    guard case .address(let address) = target.destination else { return false }
    // The other one has connections that nothing accepts.
    let listener = try Listener(in: server)
    let stream = try TCPStream(from: client, to: address.octets, listener)
    let count = 15_000
    var arrived = 0
    let deadline = ContinuousClock.now + .seconds(15)
    if back { stream.reply(count) } else { stream.send(count) }
    while arrived < count, ContinuousClock.now < deadline {
      arrived += back ? stream.drainClient() : stream.drainServer()
    }
    return arrived == count
  }
}

/// What an explanation says about packet sizes.
struct PacketSizeOutcome {
  let explanation: ReachabilityExplanation

  var steps: [ReachabilityExplanation.Step] { explanation.steps.filter { $0.kind == .packetSize } }
  var step: ReachabilityExplanation.Step? { steps.first }
  var greatest: Int? { explanation.connection?.connection?.greatestPacket }

  /// The command of the advice.
  var command: String? {
    guard let advice = step?.advice, advice.hasSuffix("."), let colon = advice.firstRange(of: ": ") else {
      return nil
    }
    return String(advice[colon.upperBound...].dropLast())
  }
}
#endif
