// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation

/// A client, a router and a server, each in a separate network namespace, so that the upstream can be cut behind a live
/// link.
///
/// The client has `10.1.0.1/24` on `eth0` and a default route via `10.1.0.254`. The server has `10.9.0.1` to
/// `10.9.0.9`, and listens on each; its kernel acknowledges everything. With IPv6, they also have `fd00:1::1` and
/// `fd00:9::1`. The router's links are `c0` and `s0`.
public final class UpstreamLab: Sendable {
  /// The network of the client.
  public let client: NetworkNamespace
  /// The network of the router.
  public let router: NetworkNamespace
  /// The network of the server.
  public let server: NetworkNamespace
  /// The server's listening socket.
  public let listener: Listener
  private let hasIPv6: Bool

  /// The port of the server.
  public var port: UInt16 { listener.port }

  /// Creates the networks.
  public init(hasIPv6: Bool = false) throws {
    self.hasIPv6 = hasIPv6
    client = try NetworkNamespace()
    router = try NetworkNamespace()
    server = try NetworkNamespace()
    // A connection must not begin with the round-trip time of an earlier one.
    try client.writeSysctl("net/ipv4/tcp_no_metrics_save", "1")
    try client.sh(
      """
      ip link set lo up && ip link add eth0 type veth peer name c0 netns \(router.path) &&
      ip link set eth0 addrgenmode none && ip address add 10.1.0.1/24 dev eth0 && ip link set eth0 up
      """)
    try server.sh(
      """
      ip link add eth0 type veth peer name s0 netns \(router.path) && ip link set eth0 addrgenmode none &&
      for i in 1 2 3 4 5 6 7 8 9; do ip address add 10.9.0.$i/24 dev eth0; done && ip link set eth0 up
      """)
    try router.sh(
      """
      ip address add 10.1.0.254/24 dev c0 && ip address add 10.9.0.254/24 dev s0 &&
      ip link set c0 addrgenmode none && ip link set s0 addrgenmode none && ip link set c0 up && ip link set s0 up
      """)
    // Each end by itself: the kernel acts on a carrier up to a second later, and drops packets until then.
    for (network, link) in [(client, "eth0"), (server, "eth0"), (router, "c0"), (router, "s0")] {
      try network.sh(
        "for i in $(seq 2000); do ip link show \(link) | grep -q 'state UP' && exit; done; exit 1")
    }
    try client.ip("route add default via 10.1.0.254")
    try server.ip("route add default via 10.9.0.254")
    listener = try Listener(in: server)
    if hasIPv6 { try addIPv6() }
    try join()
  }

  private func addIPv6() throws {
    try client.ip("address add fd00:1::1/64 dev eth0 nodad")
    try router.ip("address add fd00:1::fe/64 dev c0 nodad")
    try router.ip("address add fd00:9::fe/64 dev s0 nodad")
    // A router solicits the neighbours of others' packets from its link-local address, which needs no check then.
    for link in ["c0", "s0"] { try router.ip("address add fe80::fe/64 dev \(link) nodad") }
    try server.ip("address add fd00:9::1/64 dev eth0 nodad")
    for network in [client, router, server] { try network.awaitAddresses() }
    try client.ip("-6 route add default via fd00:1::fe")
    try server.ip("-6 route add default via fd00:9::fe")
  }

  /// Makes the router drop all packets between client and server; both links stay up, and the router answers.
  public func cut() throws { try forward("0") }

  /// Makes the router forward packets.
  public func join() throws { try forward("1") }

  private func forward(_ value: String) throws {
    try router.writeSysctl("net/ipv4/ip_forward", value)
    if hasIPv6 { try router.writeSysctl("net/ipv6/conf/all/forwarding", value) }
  }

  /// Makes the server drop packets to one of its addresses.
  public func silence(_ address: String) throws {
    try server.ip("route add blackhole 10.1.0.1/32 table 9")
    try server.ip("rule add from \(address) table 9")
  }

  /// Connects to an address of the server, over a socket that belongs to a user, and sends from then on.
  public func talk(to address: String, as user: UInt32 = 0) throws -> Talk {
    let octets = address.split(separator: ".").compactMap { UInt8($0) }
    let (client, port) = (client, port)
    return Talk(
      try client.run {
        try Users.acting(as: user) { try TCPStream(from: client, to: octets, port: port) }
      })
  }

  /// A connection over which 50 bytes are sent five times a second, until this object is gone.
  public final class Talk: Sendable {
    private let stream: TCPStream

    fileprivate init(_ stream: TCPStream) {
      self.stream = stream
      Thread.detachNewThread { [weak self] in
        while let self {
          self.stream.send(50)
          Thread.sleep(forTimeInterval: 0.2)
        }
      }
    }
  }
}
#endif
