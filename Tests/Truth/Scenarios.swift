// SPDX-License-Identifier: Apache-2.0
/// All scenarios.
enum Scenarios {
  static let all = links + routes + nextHops + rules + tunnels + targets + boots + unrelated

  private static let links: [Scenario] = [
    Scenario("IPv4: the link is set down", Network.v4, change: ["link set eth0 down"]),
    Scenario("both families: the link is set down", Network.dual, change: ["link set eth0 down"]),
    Scenario("IPv6: the link is set down", Network.v6, change: ["link set eth0 down"]),
    Scenario("IPv4: the link is deleted", Network.v4, change: ["link del eth0"]),
    Scenario("IPv4: the link moves to another namespace", Network.v4, change: ["link set eth0 netns WORLD"]),
    Scenario("IPv4: the cable is unplugged", Network.v4, change: ["world link set far0 down"]),
    Scenario("both families: the cable is unplugged", Network.dual, change: ["world link set far0 down"]),
    Scenario(
      "IPv4: the cable is plugged in again", Network.v4 + ["world link set far0 down"],
      change: ["world link set far0 up"]),
    Scenario(
      "the cable is unplugged; routes of unplugged links are ignored",
      Network.v4 + ["sysctl net.ipv4.conf.eth0.ignore_routes_with_linkdown=1"],
      change: ["world link set far0 down"]),
    Scenario(
      "unplugged, then routes of unplugged links are ignored", Network.v4 + ["world link set far0 down"],
      change: ["sysctl net.ipv4.conf.eth0.ignore_routes_with_linkdown=1"]),
    Scenario("the link is renamed", Network.v4, change: ["link set eth0 name lan0"]),
    Scenario("the last IPv4 address is removed", Network.v4, change: ["address del 10.1.0.2/24 dev eth0"]),
    Scenario(
      "the IPv4 address expires",
      Network.v4 + ["address change 10.1.0.2/24 dev eth0 valid_lft 9 preferred_lft 9"],
      change: ["address change 10.1.0.2/24 dev eth0 valid_lft 1 preferred_lft 1"], settling: 4000),
    Scenario(
      "IPv6 is disabled on the link", Network.v6, change: ["sysctl net.ipv6.conf.eth0.disable_ipv6=1"]),
    Scenario(
      "a bridge loses the cable of its only port",
      ["link add br0 type bridge"] + Network.cable + [
        "link set eth0 master br0", "link set br0 up", "address add 10.1.0.2/24 dev br0",
      ] + Network.route4,
      change: ["world link set far0 down"]),
    Scenario(
      "a macvlan over a link that is set down",
      Network.cable + [
        "link add mac0 link eth0 type macvlan mode bridge", "link set mac0 up",
        "address add 10.1.0.2/24 dev mac0",
      ] + Network.route4,
      change: ["link set eth0 down"]),
  ]

  private static let routes: [Scenario] = [
    Scenario("the IPv4 default route is deleted", Network.v4, change: ["route del default"]),
    Scenario("the IPv4 default route is added", Network.cable + Network.address4, change: Network.route4),
    Scenario("the IPv6 default route is deleted", Network.v6, change: ["-6 route del default"]),
    Scenario("the IPv6 default route is added", Network.cable + Network.address6, change: Network.route6),
    Scenario("both families: the IPv4 default route is deleted", Network.dual, change: ["route del default"]),
    Scenario(
      "both families: the IPv6 default route is deleted", Network.dual, change: ["-6 route del default"]),
    Scenario(
      "both families: both default routes are deleted", Network.dual,
      change: ["route del default", "-6 route del default"]),
    Scenario(
      "the default route changes its gateway", Network.v4,
      change: ["route replace default via 10.1.0.253 metric 100"]),
    Scenario(
      "a better default route appears", Network.v4 + Network.second,
      change: ["route add default via 10.2.0.254 metric 10"]),
    Scenario(
      "the worse of two default routes is deleted",
      Network.v4 + Network.second + ["route add default via 10.2.0.254 metric 500"],
      change: ["route del default via 10.2.0.254"]),
    Scenario(
      "the better of two default routes is deleted",
      Network.v4 + Network.second + ["route add default via 10.2.0.254 metric 10"],
      change: ["route del default via 10.2.0.254"]),
    Scenario(
      "the link of the only default route is set down; another has an address", Network.v4 + Network.second,
      change: ["link set eth0 down"]),
    Scenario(
      "a blackhole takes the place of the default route", Network.v4,
      change: ["route add blackhole default metric 5"]),
    Scenario(
      "an unreachable default route has the better metric", Network.v4,
      change: ["route add unreachable default metric 5"]),
    Scenario(
      "a prohibited default route has the better metric", Network.v4,
      change: ["route add prohibit default metric 5"]),
    Scenario(
      "a throw route hides the default route", Network.v4, change: ["route add throw default metric 5"]),
    Scenario(
      "the blackhole before the default route is deleted",
      Network.v4 + ["route add blackhole default metric 5"],
      change: ["route del blackhole default metric 5"]),
    Scenario(
      "IPv6: an unreachable default route has the better metric", Network.v6,
      change: ["-6 route add unreachable default metric 5"]),
    Scenario(
      "IPv4 works, and IPv6 becomes unreachable", Network.v4,
      change: ["-6 route add unreachable default metric 5"]),
    Scenario(
      "a default route without a gateway is deleted",
      Network.cable + Network.address4 + ["route add default dev eth0"], change: ["route del default"]),
    Scenario(
      "IPv4 over an IPv6 next hop: the route is deleted",
      Network.cable + Network.address4 + Network.address6 + [
        "route add default via inet6 fd00:1::fe dev eth0"
      ],
      change: ["route del default via inet6 fd00:1::fe dev eth0"]),
    Scenario(
      "IPv4 over an IPv6 next hop: the cable is unplugged",
      Network.cable + Network.address4 + Network.address6 + [
        "route add default via inet6 fd00:1::fe dev eth0"
      ],
      change: ["world link set far0 down"]),
    Scenario(
      "an IPv6 default route expires",
      Network.cable + Network.address6 + ["-6 route add default via fd00:1::fe dev eth0 expires 30"],
      change: ["-6 route replace default via fd00:1::fe dev eth0 expires 1"], settling: 4000),
    Scenario(
      "a route's source address is removed",
      Network.cable + Network.address4 + [
        "address add 10.1.0.3/32 dev eth0", "route add default via 10.1.0.254 src 10.1.0.3 metric 100",
      ],
      change: ["address del 10.1.0.3/32 dev eth0"]),
  ]

  private static let nextHops: [Scenario] = [
    Scenario(
      "the next-hop object of the default route is deleted",
      Network.cable + Network.address4 + [
        "nexthop add id 5 via 10.1.0.254 dev eth0", "route add default nhid 5",
      ],
      change: ["nexthop del id 5"]),
    Scenario(
      "IPv6: the next-hop object of the default route is deleted",
      Network.cable + Network.address6 + [
        "nexthop add id 6 via fd00:1::fe dev eth0", "-6 route add default nhid 6",
      ],
      change: ["nexthop del id 6"]),
    Scenario(
      "the next-hop object becomes a blackhole",
      Network.cable + Network.address4 + [
        "nexthop add id 5 via 10.1.0.254 dev eth0", "nexthop add id 7 group 5", "route add default nhid 7",
        "nexthop add id 8 blackhole",
      ],
      change: ["nexthop replace id 7 group 8"]),
    Scenario(
      "the next-hop object changes its gateway",
      Network.cable + Network.address4 + [
        "nexthop add id 5 via 10.1.0.254 dev eth0", "route add default nhid 5",
      ],
      change: ["nexthop replace id 5 via 10.1.0.253 dev eth0"]),
    Scenario(
      "next-hop objects without the compatible form of announcements",
      Network.cable + Network.address4 + [
        "sysctl net.ipv4.nexthop_compat_mode=0", "nexthop add id 5 via 10.1.0.254 dev eth0",
      ],
      change: ["route add default nhid 5"]),
    Scenario(
      "the link of a next-hop object is set down",
      Network.cable + Network.address4 + [
        "nexthop add id 5 via 10.1.0.254 dev eth0", "route add default nhid 5",
      ],
      change: ["link set eth0 down"]),
    Scenario(
      "multipath: one link is set down",
      Network.cable + Network.address4 + Network.second + [
        "route add default nexthop via 10.1.0.254 dev eth0 nexthop via 10.2.0.254 dev eth1"
      ],
      change: ["link set eth1 down"]),
    Scenario(
      "multipath: both links are set down",
      Network.cable + Network.address4 + Network.second + [
        "route add default nexthop via 10.1.0.254 dev eth0 nexthop via 10.2.0.254 dev eth1"
      ],
      change: ["link set eth1 down", "link set eth0 down"]),
    Scenario(
      "multipath: one cable is unplugged, and its hop is ignored",
      Network.cable + Network.address4 + Network.second + [
        "sysctl net.ipv4.conf.eth1.ignore_routes_with_linkdown=1",
        "route add default nexthop via 10.1.0.254 dev eth0 nexthop via 10.2.0.254 dev eth1",
      ],
      change: ["world link set far1 down"]),
    Scenario(
      "two equal default routes: the first router falls silent",
      Network.equal + Network.impatient("ipv4"), change: Network.silence, settling: 4000),
    Scenario(
      "two equal default routes: the first cable is unplugged", Network.equal,
      change: ["world link set far0 down"], settling: 2500),
    Scenario(
      "two IPv6 routers advertise themselves: the first falls silent",
      Network.advertised + Network.impatient("ipv6"), change: Network.silence, settling: 4000),
  ]

  private static let rules: [Scenario] = [
    Scenario("a rule prohibits everything", Network.v4, change: ["rule add prohibit pref 10"]),
    Scenario("a rule discards everything", Network.v4, change: ["rule add blackhole pref 10"]),
    Scenario("a rule makes everything unreachable", Network.v4, change: ["rule add unreachable pref 10"]),
    Scenario(
      "the prohibiting rule is deleted", Network.v4 + ["rule add prohibit pref 10"],
      change: ["rule del pref 10"]),
    Scenario("IPv6: a rule prohibits everything", Network.v6, change: ["-6 rule add prohibit pref 10"]),
    Scenario(
      "a rule prohibits the machine's source address", Network.v4,
      change: ["rule add from 10.1.0.2 prohibit pref 10"]),
    Scenario(
      "a rule prohibits packets of this machine", Network.v4, change: ["rule add iif lo prohibit pref 10"]),
    Scenario(
      "a rule prohibits another user's packets", Network.v4,
      change: ["rule add uidrange 65534-65534 prohibit pref 10"]),
    Scenario(
      "a rule prohibits marked packets", Network.v4, change: ["rule add fwmark 7 prohibit pref 10"]),
    Scenario(
      "the rule for the table with the default route is deleted",
      Network.cable + Network.address4 + [
        "route add default via 10.1.0.254 table 100", "rule add lookup 100 pref 100",
      ],
      change: ["rule del pref 100"]),
    Scenario(
      "a rule for the table with the default route is added",
      Network.cable + Network.address4 + ["route add default via 10.1.0.254 table 100"],
      change: ["rule add lookup 100 pref 100"]),
    Scenario(
      "a default route appears in a table that no rule names", Network.cable + Network.address4,
      change: ["route add default via 10.1.0.254 table 100"]),
    Scenario(
      "the default route stays only in a table that no rule names",
      Network.v4 + ["route add default via 10.1.0.254 table 100"], change: ["route del default"]),
    Scenario(
      "a blackhole in the table of an earlier rule",
      Network.v4 + ["rule add lookup 100 pref 100"], change: ["route add blackhole default table 100"]),
  ]

  private static let tunnels: [Scenario] = [
    Scenario(
      "VPN by half routes: no default route, and the tunnel goes down",
      Network.cable + Network.vpn + ["route add 0.0.0.0/1 dev vpn0", "route add 128.0.0.0/1 dev vpn0"],
      change: ["link set vpn0 down"]),
    Scenario(
      "VPN by half routes over a default route: the tunnel loses its carrier",
      Network.v4 + Network.vpn + ["route add 0.0.0.0/1 dev vpn0", "route add 128.0.0.0/1 dev vpn0"],
      change: ["world link set far1 down"]),
    Scenario(
      "VPN by half routes over a default route: the tunnel goes down",
      Network.v4 + Network.vpn + ["route add 0.0.0.0/1 dev vpn0", "route add 128.0.0.0/1 dev vpn0"],
      change: ["link set vpn0 down"]),
    Scenario(
      "a kill switch: both halves are blackholes", Network.v4,
      change: ["route add blackhole 0.0.0.0/1", "route add blackhole 128.0.0.0/1"]),
    Scenario(
      "IPv6: a kill switch", Network.v6,
      change: ["-6 route add unreachable ::/1", "-6 route add unreachable 8000::/1"]),
    Scenario(
      "a kill switch: an IPsec policy blocks everything", Network.dual,
      change: [
        "xfrm policy add src 0.0.0.0/0 dst 0.0.0.0/0 dir out action block",
        "xfrm policy add src ::/0 dst ::/0 dir out action block",
      ]),
    Scenario(
      "a tunnel as the default route: the cable under it is unplugged", Network.tunnel,
      change: ["world link set far0 down"]),
    Scenario(
      "a tunnel as the default route: its other end is routed into the tunnel", Network.tunnel,
      change: ["route del 203.0.113.9"]),
    Scenario(
      "VPN by rules: the tunnel goes down",
      Network.v4 + Network.vpn + [
        "route add default dev vpn0 table 51820", "rule add lookup main suppress_prefixlength 0 pref 20",
        "rule add not fwmark 51820 lookup 51820 pref 21",
      ],
      change: ["link set vpn0 down"]),
    Scenario(
      "VPN by rules: the tunnel loses its carrier",
      Network.v4 + Network.vpn + [
        "route add default dev vpn0 table 51820", "rule add lookup main suppress_prefixlength 0 pref 20",
        "rule add not fwmark 51820 lookup 51820 pref 21",
      ],
      change: ["world link set far1 down"]),
    Scenario(
      "a tunnel device without a program becomes the default route",
      Network.v4 + ["tuntap add tun0 mode tun", "link set tun0 up", "address add 10.9.9.1/24 dev tun0"],
      change: ["route add default dev tun0 metric 1"]),
  ]

  private static let targets: [Scenario] = [
    Scenario(
      "a blackhole for one address", Network.v4, change: ["route add blackhole 192.0.2.1"],
      targets: ["192.0.2.1"]),
    Scenario(
      "an unreachable prefix", Network.v4, change: ["route add unreachable 192.0.2.0/24"],
      targets: ["192.0.2.1"]),
    Scenario(
      "a prohibited prefix", Network.v4, change: ["route add prohibit 192.0.2.0/24"], targets: ["192.0.2.1"]),
    Scenario(
      "IPv6: an unreachable prefix", Network.v6, change: ["-6 route add unreachable 2001:db8::/64"],
      targets: ["2001:db8::1"]),
    Scenario(
      "IPv6: a prefix is routed to the loopback interface", Network.v6,
      change: ["-6 route add 2001:db8::/64 dev lo"], targets: ["2001:db8::1"]),
    Scenario(
      "an IPsec policy blocks everything but one address", Network.v4,
      change: [
        "xfrm policy add src 0.0.0.0/0 dst 192.0.2.1/32 dir out priority 1",
        "xfrm policy add src 0.0.0.0/0 dst 0.0.0.0/0 dir out action block priority 9",
      ], targets: ["192.0.2.1"]),
    Scenario(
      "a rule prohibits one address", Network.v4, change: ["rule add to 192.0.2.1 prohibit pref 10"],
      targets: ["192.0.2.1"]),
    Scenario(
      "a more specific route over an unplugged cable",
      Network.v4 + Network.second + ["world link set far1 down"],
      change: ["route add 192.0.2.0/24 via 10.2.0.254"], targets: ["192.0.2.1"]),
    Scenario(
      "no default route, but a route to the target", Network.cable + Network.address4,
      change: ["route add 192.0.2.0/24 via 10.1.0.254"], targets: ["192.0.2.1"]),
    Scenario(
      "no default route: a neighbour stays usable", Network.v4, change: ["route del default"],
      targets: ["10.1.0.254", "192.0.2.1"]),
    Scenario(
      "both families: only the IPv6 target loses its route", Network.dual, change: ["-6 route del default"],
      targets: ["192.0.2.1", "2001:db8::1"]),
    Scenario(
      "IPv6 only: an IPv4 target", Network.v6, change: ["-6 route del default"],
      targets: ["192.0.2.1", "2001:db8::1"]),
  ]

  private static let boots: [Scenario] = [
    Scenario("boot: a link goes up, and has no address", ["link set lo up"], change: Network.cable),
    Scenario("boot: an address, and no default route", Network.cable, change: Network.address4),
    Scenario(
      "boot: an IPv6 address, and no default route", Network.cable,
      change: ["address add fd00:1::2/64 dev eth0 nodad"]),
    Scenario("boot: address and default route", Network.cable, change: Network.address4 + Network.route4),
    Scenario(
      "boot: everything is configured, then comes the cable",
      [
        "link set lo up", "link add eth0 type veth peer name far0 netns WORLD",
        "world address add 10.1.0.254/24 dev far0",
        "link set eth0 up", "address add 10.1.0.2/24 dev eth0", "route add default via 10.1.0.254 metric 100",
      ],
      change: ["world link set far0 up"]),
    Scenario(
      "boot: an IPv6 address that is looked for duplicates",
      Network.cable,
      change: ["address add fd00:1::2/64 dev eth0", "-6 route add default via fd00:1::fe dev eth0"],
      settling: 4000),
    Scenario(
      "boot: an IPv6 router, and no address but a link-local one", Network.behindRouter,
      change: ["address add fd00:1::2/64 dev eth0 nodad"]),
    Scenario(
      "boot: an IPv6 router, and an address that is looked for duplicates", Network.behindRouter,
      change: ["address add fd00:1::2/64 dev eth0"], settling: 4000),
    Scenario(
      "boot: only a Docker bridge has an address",
      ["link set lo up", "link add docker0 type bridge"],
      change: ["address add 172.17.0.1/16 dev docker0", "link set docker0 up"]),
    Scenario(
      "boot: only a container's link is up",
      ["link set lo up", "link add docker0 type bridge", "address add 172.17.0.1/16 dev docker0"],
      change: [
        "link set docker0 up", "link add veth7 type veth peer name inner7", "link set veth7 master docker0",
        "link set inner7 up", "link set veth7 up",
      ]),
  ]

  private static let unrelated: [Scenario] = [
    Scenario(
      "online: a container starts",
      Network.v4 + ["link add docker0 type bridge", "address add 172.17.0.1/16 dev docker0"],
      change: [
        "link set docker0 up", "link add veth7 type veth peer name inner7", "link set veth7 master docker0",
        "link set inner7 up", "link set veth7 up",
      ], isUnrelated: true),
    Scenario(
      "online: a container ends",
      Network.v4 + [
        "link add docker0 type bridge", "address add 172.17.0.1/16 dev docker0", "link set docker0 up",
        "link add veth7 type veth peer name inner7", "link set veth7 master docker0", "link set inner7 up",
        "link set veth7 up",
      ],
      change: ["link del veth7"], isUnrelated: true),
    Scenario(
      "online: another link with an address goes down", Network.v4 + Network.second,
      change: ["link set eth1 down"], isUnrelated: true),
    Scenario(
      "online: a route that nothing uses", Network.v4, change: ["route add 10.77.0.0/16 dev eth0"],
      isUnrelated: true),
    Scenario(
      "online: 400 unrelated changes of routes", Network.v4, change: ["churn 200"], isUnrelated: true),
    Scenario(
      "after an overrun: 6,000 changes while the program was stopped, then the default route is deleted",
      Network.v4, change: ["storm 3000", "route del default"], settling: 2500),
  ]
}
