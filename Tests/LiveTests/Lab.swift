// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

/// Two hosts on one cable: `v0` on the near host, `p0` on the far host, each in a separate network namespace.
///
/// The near host has `10.1.0.1/24` and `fd00:1::1/64`, with default routes via `10.1.0.254` and `fd00:1::fe`.
final class Lab: Sendable {
  let host: NetworkNamespace
  let peer: NetworkNamespace

  enum Family {
    case both
    case ipv4Only
  }

  init(_ family: Family = .both, defaultRoutes: Bool = true) throws {
    host = try NetworkNamespace()
    peer = try NetworkNamespace()
    try host.raiseLoopback()
    try addCable("v0", far: "p0")
    if family == .ipv4Only { try host.writeSysctl("net/ipv6/conf/v0/disable_ipv6", "1") }
    // Without duplicate address detection, addresses are usable immediately.
    if family == .both { try host.writeSysctl("net/ipv6/conf/v0/accept_dad", "0") }
    try host.ip("addr add 10.1.0.1/24 dev v0")
    if family == .both { try host.ip("addr add fd00:1::1/64 dev v0 nodad") }
    try peer.ip("link set p0 up")
    try host.ip("link set v0 up")
    try waitForOperation("v0")
    if family == .both { waitForLocalRoute("fd00:1::1") }
    guard defaultRoutes else { return }
    try host.ip("route add default via 10.1.0.254 metric 100")
    if family == .both { try host.ip("-6 route add default via fd00:1::fe") }
  }

  /// Adds a cable from the near to the far host; both ends are down.
  func addCable(_ name: String, far: String) throws {
    try host.ip("link add \(name) type veth peer name \(far) netns \(peer.path)")
  }

  /// Adds a second uplink, `w0` to `q0`, with `10.2.0.1` and `fd00:2::1`; packets for the gateways of both, `10.N.0.254` and
  /// `fd00:N::fe`, leave without an ARP or NDP request.
  func addUplink() throws {
    try addCable("w0", far: "q0")
    try host.writeSysctl("net/ipv6/conf/w0/accept_dad", "0")
    try host.ip("addr add 10.2.0.1/24 dev w0")
    try host.ip("addr add fd00:2::1/64 dev w0 nodad")
    try peer.ip("link set q0 up")
    try host.ip("link set w0 up")
    try waitForOperation("w0")
    waitForLocalRoute("fd00:2::1")
    for (link, end, number) in [("v0", "p0", 1), ("w0", "q0", 2)] {
      try fixNeighbour(try #require(ReachabilityAddress("10.\(number).0.254")), on: link, far: end)
      try fixNeighbour(try #require(ReachabilityAddress("fd00:\(number)::fe")), on: link, far: end)
    }
  }

  /// Waits until the kernel reports the carrier at both ends, shortly after the command.
  func waitForOperation(_ name: String) throws { try wait(for: "state UP", of: name) }

  /// Waits until a line about a link contains a text.
  func wait(for text: String, of name: String) throws {
    for _ in 0..<2000 {
      if try host.ip("-o link show \(name)").contains(text) { return }
    }
    Issue.record("\(name) does not show \(text)")
  }

  /// Waits for the local route of an IPv6 address, which the kernel adds in the background after link up.
  func waitForLocalRoute(_ address: String) {
    for _ in 0..<2000 {
      if (try? host.ip("-6 route get \(address)"))?.hasPrefix("local") == true { return }
    }
    Issue.record("\(address) did not come into use")
  }

  /// Has every processor look up the IPv6 routes to addresses, after a change that empties their caches.
  ///
  /// Each processor caches the result of a next-hop object for the route that it looked up first, and takes it for every
  /// route with that object.
  func cacheRoutes(to addresses: [String]) throws {
    try host.ip("-6 route add 2001:db8:ffff::/48 dev v0")
    try host.ip("-6 route del 2001:db8:ffff::/48 dev v0")
    try host.sh(
      """
      for cpu in $(seq 0 $(($(nproc --all) - 1))); do
        for address in \(addresses.joined(separator: " ")); do
          taskset -c $cpu ip -6 route get $address || true
        done
      done
      """)
  }

  /// Makes a monitor of this network.
  func makeMonitor() throws -> ReachabilityMonitor {
    try host.run { try ReachabilityMonitor() }
  }

  /// The interface as a status names it.
  func interface(
    _ name: String, kind: ReachabilityInterface.Kind = .wired, isTunnel: Bool = false,
    linkType: String? = "veth"
  ) throws -> ReachabilityInterface {
    let line = try host.ip("-o link show \(name)")
    let index = try #require(line.split(separator: ":").first.flatMap { Int($0) })
    return ReachabilityInterface(name: name, index: index, kind: kind, isTunnel: isTunnel, linkType: linkType)
  }
}

/// The tests that need network namespaces.
///
/// Without namespaces they are skipped with the reason.
///
/// They run one after the other, because they block their threads, and on threads of their own, so that they need not
/// wait for those of other tests. The two suites below run beside this one, since it takes the longest of all.
@Suite(.serialized, .onOwnThreads, .needsNamespaces, .deadline)
enum LiveTests {}

/// Those that compare explanations with real networks.
@Suite(.serialized, .onOwnThreads, .needsNamespaces, .deadline)
enum LiveExplanationTests {}

/// Those that wait for the kernel's timers of TCP.
@Suite(.serialized, .onOwnThreads, .needsNamespaces, .deadline)
enum LiveTrafficTests {}

extension ReachabilityStatus {
  /// Returns the status of a target behind a gateway.
  static func via(
    _ gateway: ReachabilityAddress, from source: ReachabilityAddress?, _ interface: ReachabilityInterface
  )
    -> ReachabilityStatus
  {
    ReachabilityStatus(.reachable, flags: .reachable, interface: interface, gateway: gateway, source: source)
  }

  /// Returns the status of a target on the link.
  static func direct(from source: ReachabilityAddress, _ interface: ReachabilityInterface)
    -> ReachabilityStatus
  {
    ReachabilityStatus(.reachable, flags: [.reachable, .isDirect], interface: interface, source: source)
  }

  /// Returns the status of an address of this machine.
  static func local(_ address: ReachabilityAddress, _ interface: ReachabilityInterface) -> ReachabilityStatus
  {
    ReachabilityStatus(
      .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: interface, source: address)
  }
}
#endif
