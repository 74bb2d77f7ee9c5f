// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

/// A lab whose far end is a router with a server behind it, with a separate hosts file.
///
/// `10.9.0.1` and `fd00:9::1` are addresses of the router. It discards packets for `10.66.0.0/16` and `fd00:66::/64`
/// silently, and reports `10.67.0.0/16` and `fd00:67::/64` as unreachable.
struct ConnectionLab {
  let lab: Lab
  let monitor: ReachabilityMonitor

  /// - Parameter hosts: Lines of `/etc/hosts`.
  init(hosts: String = "") throws {
    lab = try Lab()
    try lab.host.hideFolders("/etc")
    // The C library reads host.conf once a process, so several lines per name need a separate process.
    try lab.host.sh(
      """
      echo 'multi on' >/etc/host.conf
      echo 'hosts: files' >/etc/nsswitch.conf
      cat >/etc/hosts <<'END'
      \(hosts)
      END
      """)
    try lab.peer.writeSysctl("net/ipv4/ip_forward", "1")
    try lab.peer.writeSysctl("net/ipv6/conf/all/forwarding", "1")
    try lab.peer.writeSysctl("net/ipv6/conf/p0/accept_dad", "0")
    // Otherwise it sends at most one ICMP message a second to each host.
    try lab.peer.writeSysctl("net/ipv4/icmp_ratelimit", "0")
    try lab.peer.writeSysctl("net/ipv6/icmp/ratelimit", "0")
    for command in [
      "link set lo up", "addr add 10.1.0.254/24 dev p0", "addr add fd00:1::fe/64 dev p0 nodad",
      "addr add 10.9.0.1/32 dev lo", "addr add fd00:9::1/128 dev lo nodad",
      "route add blackhole 10.66.0.0/16",
      "route add blackhole fd00:66::/64", "route add unreachable 10.67.0.0/16",
      "route add unreachable fd00:67::/64",
    ] {
      try lab.peer.ip(command)
    }
    try lab.peer.awaitAddresses()
    monitor = try lab.makeMonitor()
  }

  /// Tries to connect to an address or a name.
  func connect(
    _ target: String, port: UInt16, timeout: Duration = .seconds(20),
    attemptDelay: Duration = .milliseconds(250)
  ) async throws -> ReachabilityConnectionReport {
    try await monitor.connect(
      to: ReachabilityTarget(target), port: port, timeout: timeout, attemptDelay: attemptDelay)
  }

  /// Returns how many outgoing connections are pending, over both families.
  func pendingCount() throws -> Int {
    // The state is SYN_SENT, 02.
    let tables = try lab.host.sh("cat /proc/thread-self/net/tcp /proc/thread-self/net/tcp6")
    return tables.split(separator: "\n").filter { $0.split(separator: " ").dropFirst(3).first == "02" }.count
  }

  /// Waits until this many connections are pending.
  func waitForPending(_ count: Int) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try pendingCount() != count {
      guard ContinuousClock.now < deadline else {
        Issue.record("expected \(count) pending connections, found \(try pendingCount())")
        return
      }
    }
  }
}
#endif
