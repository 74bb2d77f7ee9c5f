#if os(Linux)
import Glibc
import LiveSupport
import ReachabilityKit
import Testing

/// A client, a router and a server, each in a separate network namespace.
///
/// The client has `10.1.0.1` and `fd00:1::1` on `v0`, and default routes by the router, `10.1.0.254` and `fd00:1::fe`.
/// The server has `10.2.0.1` to `10.2.0.9` and `fd00:2::1`.
final class TrafficLab: Sendable {
  let client: NetworkNamespace
  let router: NetworkNamespace
  let server: NetworkNamespace
  let listener: Listener
  let monitor: ReachabilityMonitor

  init() throws {
    client = try NetworkNamespace()
    router = try NetworkNamespace()
    server = try NetworkNamespace()
    // A connection must not begin with the round-trip time of an earlier one.
    try client.writeSysctl("net/ipv4/tcp_no_metrics_save", "1")
    for network in [client, router, server] {
      try network.raiseLoopback()
      try network.writeSysctl("net/ipv6/conf/default/accept_dad", "0")
      try network.writeSysctl("net/ipv4/conf/default/rp_filter", "0")
    }
    try router.writeSysctl("net/ipv4/ip_forward", "1")
    try router.writeSysctl("net/ipv6/conf/all/forwarding", "1")
    try client.ip("link add v0 type veth peer name r0 netns \(router.path)")
    try server.ip("link add s0 type veth peer name r1 netns \(router.path)")
    try client.ip("addr add 10.1.0.1/24 dev v0")
    try client.ip("addr add fd00:1::1/64 dev v0 nodad")
    try router.ip("addr add 10.1.0.254/24 dev r0")
    try router.ip("addr add fd00:1::fe/64 dev r0 nodad")
    try router.ip("addr add 10.2.0.254/24 dev r1")
    try router.ip("addr add fd00:2::fe/64 dev r1 nodad")
    for number in 1...9 { try server.ip("addr add 10.2.0.\(number)/24 dev s0") }
    try server.ip("addr add fd00:2::1/64 dev s0 nodad")
    for (network, link) in [(client, "v0"), (router, "r0"), (router, "r1"), (server, "s0")] {
      try network.ip("link set \(link) up")
    }
    try client.ip("route add default via 10.1.0.254")
    try client.ip("-6 route add default via fd00:1::fe")
    try server.ip("route add default via 10.2.0.254")
    try server.ip("-6 route add default via fd00:2::fe")
    listener = try Listener(in: server)
    let client = client
    monitor = try client.run { try ReachabilityMonitor() }
  }

  /// Connects to one of the server's IPv4 addresses.
  func connect(_ number: UInt8 = 1) throws -> TCPStream {
    try TCPStream(from: client, to: [10, 2, 0, number], listener)
  }

  /// Drops what leaves for the server, while all links and routes stay.
  func cut() throws {
    try router.ip("rule add pref 1 iif r0 blackhole")
    try router.ip("-6 rule add pref 1 iif r0 blackhole")
  }

  /// Ends ``cut()``.
  func heal() throws {
    try router.ip("rule del pref 1")
    try router.ip("-6 rule del pref 1")
  }

  /// Reads evidence until it satisfies a condition, for ten seconds at most; returns the last evidence.
  @discardableResult
  func wait(
    for target: ReachabilityTarget = .defaultRoute, _ description: String,
    sourceLocation: SourceLocation = #_sourceLocation, while action: () -> Void = {},
    until isExpected: (TrafficEvidence) -> Bool
  ) -> TrafficEvidence {
    var evidence = monitor.evidence(for: target)
    let deadline = ContinuousClock.now + .seconds(10)
    while !isExpected(evidence) {
      guard ContinuousClock.now < deadline else {
        Issue.record("\(description): \(evidence)", sourceLocation: sourceLocation)
        break
      }
      action()
      usleep(50_000)
      evidence = monitor.evidence(for: target)
    }
    return evidence
  }
}
#endif
