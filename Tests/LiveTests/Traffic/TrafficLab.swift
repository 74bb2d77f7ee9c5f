// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Glibc
import LiveSupport
import ReachabilityKit
import Testing

/// An upstream for both families, and a monitor of its client.
final class TrafficLab: Sendable {
  private let upstream: UpstreamLab
  let monitor: ReachabilityMonitor

  var client: NetworkNamespace { upstream.client }
  var router: NetworkNamespace { upstream.router }
  var server: NetworkNamespace { upstream.server }
  var listener: Listener { upstream.listener }

  init() throws {
    upstream = try UpstreamLab(hasIPv6: true)
    monitor = try upstream.client.run { try ReachabilityMonitor() }
  }

  /// Connects to one of the server's IPv4 addresses.
  func connect(_ number: UInt8 = 1) throws -> TCPStream {
    try TCPStream(from: client, to: [10, 9, 0, number], listener)
  }

  /// Connects to the server's IPv6 address.
  func connectIPv6() throws -> TCPStream {
    try TCPStream(
      from: client, to: [0xfd, 0, 0, 9] + Array(repeating: 0, count: 11) + [1], listener)
  }

  /// Adds a link `eth1` to a router that drops packets with addresses of the first link, as routers do.
  func addSecondUplink(dropsOtherSources: Bool = true) throws {
    try client.sh(
      """
      ip link add eth1 type veth peer name c1 netns \(router.path) && ip link set eth1 addrgenmode none &&
      ip address add 10.5.0.1/24 dev eth1 && ip address add fd00:5::1/64 dev eth1 nodad &&
      ip link set eth1 up
      """)
    try router.sh(
      """
      ip address add 10.5.0.254/24 dev c1 && ip address add fd00:5::fe/64 dev c1 nodad &&
      ip link set c1 addrgenmode none && ip address add fe80::fe/64 dev c1 nodad && ip link set c1 up
      """)
    if dropsOtherSources {
      try router.ip("rule add pref 1 iif c1 from 10.1.0.0/24 blackhole")
      try router.ip("-6 rule add pref 1 iif c1 from fd00:1::/64 blackhole")
    }
    for (end, link) in [(client, "eth1"), (router, "c1")] {
      try end.sh("for i in $(seq 2000); do ip link show \(link) | grep -q 'state UP' && exit; done; exit 1")
      try end.awaitAddresses()
    }
  }

  /// Moves the default routes to the second uplink.
  func failOver() throws {
    try client.ip("route replace default via 10.5.0.254 dev eth1")
    try client.ip("-6 route flush default")
    try client.ip("-6 route add default via fd00:5::fe dev eth1")
  }

  /// Drops all packets between client and server, while all links and routes stay.
  func cut() throws { try upstream.cut() }

  /// Ends ``cut()``.
  func join() throws { try upstream.join() }

  /// Reads evidence until it satisfies a condition, for a minute at most; returns the last evidence.
  ///
  /// The kernel's timers, for which most conditions wait, double with each expiration: where a busy machine is late, they are long.
  @discardableResult
  func wait(
    for target: ReachabilityTarget = .defaultRoute, _ description: String,
    sourceLocation: SourceLocation = #_sourceLocation, while action: () -> Void = {},
    until isExpected: (TrafficEvidence) -> Bool
  ) -> TrafficEvidence {
    var evidence = monitor.evidence(for: target)
    let deadline = ContinuousClock.now + .seconds(60)
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
