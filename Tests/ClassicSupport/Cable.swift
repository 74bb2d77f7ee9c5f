// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
public import LiveSupport
public import ReachabilityKit

/// A network namespace with one cable: `10.1.0.1/24`, with a default route via `10.1.0.254`.
public final class Cable: Sendable {
  /// The namespace.
  public let host: NetworkNamespace
  /// A monitor of this network.
  public let monitor: ReachabilityMonitor

  /// Connects the cable and adds the default route.
  public init() throws {
    let host = try NetworkNamespace()
    try host.ip("link add v0 type veth peer name p0")
    try host.ip("addr add 10.1.0.1/24 dev v0")
    try host.ip("link set p0 up")
    try host.ip("link set v0 up")
    // The kernel detects the carrier after a moment.
    for _ in 0..<2000 {
      if try host.ip("-o link show v0").contains("state UP") { break }
    }
    try host.ip("route add default via 10.1.0.254")
    monitor = try host.run { try ReachabilityMonitor() }
    self.host = host
  }

  /// Replaces the default route by one over a tunnel that waits for its other end.
  ///
  /// - Returns: The tunnel, `nil` where the kernel has none.
  public func setWaitingTunnel() throws -> Tunnel? {
    guard let tunnel = try host.openTunnel("tun0") else { return nil }
    try host.ip("link set v0 down")
    try host.ip("addr add 10.8.0.2/32 dev tun0")
    try host.ip("link set tun0 up")
    try host.ip("link set tun0 mode dormant")
    try host.ip("link set tun0 state dormant")
    try host.ip("route add default dev tun0")
    return tunnel
  }

  /// Adds or removes the default route.
  public func setDefaultRoute(_ isThere: Bool) throws {
    try host.ip(isThere ? "route add default via 10.1.0.254" : "route del default")
  }
}
#endif
