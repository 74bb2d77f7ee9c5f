// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

/// A network in a certain state, and a change of it.
struct Scenario: Sendable {
  let name: String
  let setup: [Step]
  let change: [Step]
  /// Addresses of the world about which the competitors are asked, too, beside the network in general.
  let targets: [ReachabilityAddress]
  /// How long the change takes to have its effect, in milliseconds.
  let settling: Int
  /// Whether the change concerns nothing that packets to the world use, so that nothing is to be reported.
  let isUnrelated: Bool

  init(
    _ name: String, _ setup: [Step], change: [Step], targets: [ReachabilityAddress] = [],
    settling: Int = 1500,
    isUnrelated: Bool = false
  ) {
    self.name = name
    self.setup = setup
    self.change = change
    self.targets = targets
    self.settling = settling
    self.isUnrelated = isUnrelated
  }
}

/// The networks that scenarios begin with.
///
/// The world is one namespace. It has the addresses 198.51.100.77, 192.0.2.1, 2001:db8:77::1 and 2001:db8::1.
enum Network {
  /// A cable, and no address.
  static let cable: [Step] = [
    "link set lo up", "link add eth0 type veth peer name far0 netns WORLD", "world link set far0 up",
    "world address add 10.1.0.254/24 dev far0", "world address add 10.1.0.253/24 dev far0",
    "world address add fd00:1::fe/64 dev far0 nodad", "link set eth0 up",
  ]
  static let address4: [Step] = ["address add 10.1.0.2/24 dev eth0"]
  static let address6: [Step] = ["address add fd00:1::2/64 dev eth0 nodad"]
  static let route4: [Step] = ["route add default via 10.1.0.254 metric 100"]
  static let route6: [Step] = ["route add default via fd00:1::fe metric 100"]
  static let v4 = cable + address4 + route4
  static let v6 = cable + address6 + route6
  static let dual = cable + address4 + address6 + route4 + route6

  /// An IPv6 router between the machine and the world, and a link-local address only.
  static let behindRouter: [Step] = [
    "link set lo up", "router link set lo up", "router sysctl net.ipv6.conf.all.forwarding=1",
    "link add eth0 type veth peer name lan0 netns ROUTER", "router link set lan0 up",
    "router address add fe80::fe/64 dev lan0 nodad", "router address add fd00:1::fe/64 dev lan0 nodad",
    "router link add up0 type veth peer name far0 address 02:00:00:00:00:99 netns WORLD",
    "router link set up0 up",
    "world link set far0 up",
    "router address add fd00:9::1/64 dev up0 nodad", "world address add fd00:9::2/64 dev far0 nodad",
    "router -6 route add 2001:db8::/32 via fd00:9::2",
    "router neighbour add fd00:9::2 lladdr 02:00:00:00:00:99 dev up0 nud permanent", "link set eth0 up",
    "address add fe80::2/64 dev eth0 nodad",
    "-6 route add default via fe80::fe dev eth0",
  ]

  /// A second cable with addresses, and without a route.
  static let second: [Step] = [
    "link add eth1 type veth peer name far1 netns WORLD", "world link set far1 up",
    "world address add 10.2.0.254/24 dev far1", "link set eth1 up", "address add 10.2.0.2/24 dev eth1",
  ]
  /// Two default routes of equal metric.
  static let equal: [Step] =
    cable + address4 + second + [
      "route add default via 10.1.0.254 metric 100", "route append default via 10.2.0.254 metric 100",
    ]
  /// Two IPv6 routers that advertise themselves, each on its cable.
  static let advertised: [Step] =
    cable + address6 + second + [
      "world address add fd00:2::fe/64 dev far1 nodad", "address add fd00:2::2/64 dev eth1 nodad",
      // A neighbour that does not forward is no router, and loses its route.
      "world sysctl net.ipv6.conf.far0.forwarding=1", "world sysctl net.ipv6.conf.far1.forwarding=1",
      "advertise far0 eth0", "advertise far1 eth1",
    ]
  /// Both cables' neighbours fail within two seconds of their silence, instead of up to a minute.
  static func impatient(_ family: String) -> [Step] {
    ["eth0", "eth1"].flatMap { link in
      ["retrans_time_ms=100", "base_reachable_time_ms=400", "delay_first_probe_time=1"].map { setting in
        Step("sysctl net.\(family).neigh.\(link).\(setting)")
      }
    }
  }
  /// The first router receives and answers nothing any more; its cable keeps its carrier.
  static let silence: [Step] = [
    "world address flush dev far0", "world link set far0 address 02:00:00:00:00:99",
  ]

  /// A tunnel to an address of the world behind the first cable's router, and a default route through the tunnel.
  static let tunnel: [Step] =
    cable + address4 + [
      "world address add 203.0.113.9/32 dev lo", "route add 203.0.113.9 via 10.1.0.254",
      "world link add vxlan0 type vxlan id 7 local 203.0.113.9 remote 10.1.0.2 dstport 4789",
      "world address add 10.8.0.1/24 dev vxlan0", "world link set vxlan0 up",
      "link add vxlan0 type vxlan id 7 local 10.1.0.2 remote 203.0.113.9 dstport 4789",
      "address add 10.8.0.2/24 dev vxlan0", "link set vxlan0 up", "route add default via 10.8.0.1",
    ]
  /// A tunnel of a VPN, played by a cable.
  static let vpn: [Step] = [
    "link add vpn0 type veth peer name far1 netns WORLD", "world link set far1 up",
    "world address add 10.8.0.1/24 dev far1", "link set vpn0 up", "address add 10.8.0.2/24 dev vpn0",
  ]
}
