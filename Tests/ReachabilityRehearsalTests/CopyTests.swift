// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Netlink
import NetworkCopy
import RequirementSupport
import Testing

/// The tables of a copy, read with iproute2 inside it.
@Suite(.needsNamespaces, .deadline) struct `A copy of a network` {
  /// Lists the tables in a copy of a network, and in the network itself.
  private func tables(of network: NetworkNamespace) throws -> (
    copy: [String], original: [String], gaps: [CopyGap]
  ) {
    let program = try Executable("reachability-rehearse").path
    let (text, gaps) = try network.run { () throws -> (String, [CopyGap]) in
      let cell = try Cell(program: program)
      let copy = try NetworkCopy(of: NetworkSnapshot(over: KernelTransport()), in: cell)
      var text: [UInt8] = []
      let end = try cell.run(
        ["sh", "-c", Self.listing], in: "/", timeout: .seconds(30), outputLimit: 1 << 20
      ) { text += $0 }
      #expect(end == .exited(0))
      return (String(decoding: text, as: UTF8.self), copy.gaps)
    }
    return (Self.lines(text), Self.lines(try network.sh(Self.listing)), gaps)
  }

  private static let listing = """
    ip -N -d address show; ip -4 rule show; ip -6 rule show; ip nexthop show
    ip -N -4 route show table all; ip -N -6 route show table all
    cd /proc/sys/net; grep -H . ipv4/conf/*/rp_filter ipv4/conf/*/ignore_routes_with_linkdown ipv6/conf/*/disable_ipv6 \
      ipv4/ip_forward ipv4/fib_multipath_hash_policy ipv6/conf/*/forwarding
    """

  /// The lines without what differs between a link and its cable: the other end, and times that pass.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { line in
      var line = line.replacing(#/@[^:]*:/#, with: ":").replacing(#/link-netnsid \d+ */#, with: "")
      // What the kernel counts, and how far it is with the detection of duplicates.
      if line.contains("valid_lft") || line.contains("bridge_slave") || line.contains("bridge_id") {
        return ""
      }
      line = line.replacing(#/ tentative| nodad/#, with: "")
      return line.replacing(#/promiscuity.*|expires \d+sec ?/#, with: "").trimmingCharacters(in: .whitespaces)
    }
  }

  @Test func `links, addresses, next hops, rules, routes and settings are those of the original`() throws {
    let original = try NetworkNamespace.made(
      by: """
        link set lo up
        link add eth0 address 02:00:00:00:00:01 mtu 1400 type veth peer name peer0
        link add eth1 address 02:00:00:00:00:02 type veth peer name peer1
        link add silent type veth peer name peer2
        link add off type veth peer name peer3
        link add br0 address 02:00:00:00:00:03 type bridge
        link add mac0 link eth1 address 02:00:00:00:00:04 type macvlan mode bridge
        link property add dev eth1 altname the-second-cable
        link set eth0 addrgenmode none
        link set eth1 addrgenmode none
        link set peer0 addrgenmode none
        link set peer1 addrgenmode none
        link set br0 addrgenmode none
        link set mac0 addrgenmode none
        link set silent addrgenmode none
        link set peer1 master br0
        link set peer0 up
        link set peer1 up
        link set br0 up
        link set eth0 up
        link set eth1 up
        link set mac0 up
        link set silent up
        address add 10.1.0.1/24 dev eth0
        address add 10.1.0.2/24 dev eth1 noprefixroute
        address add 10.1.0.3/24 dev eth0
        address add 10.7.0.1 peer 10.7.0.2 dev eth0
        address add fd00:1::1/64 dev eth0 nodad
        address add fd00:2::1/64 dev eth1 nodad preferred_lft 0
        route add default via 10.1.0.254 metric 7
        route append default via 10.1.0.253 metric 7
        route add default via fd00:1::fe
        route add 10.9.0.0/16 table 77 nexthop via 10.1.0.252 weight 3 nexthop via 10.1.0.251
        route add 10.10.0.0/16 dev eth1 scope link
        route add 10.11.0.0/16 via 10.10.0.1 dev eth1 onlink mtu 1300
        route add blackhole 10.66.0.0/16
        route add unreachable fd00:66::/32
        route add prohibit 10.67.0.0/16 table 5
        route add throw 10.68.0.0/16
        rule add pref 100 fwmark 0x42/0xff lookup 77
        rule add pref 90 from 10.1.0.0/24 uidrange 5-9 prohibit
        rule add pref 95 to 10.99.0.0/16 iif lo dport 53 lookup 5
        nexthop add id 5 via 10.1.0.250 dev eth0
        nexthop add id 6 via 10.1.0.249 dev eth0
        nexthop add id 1 group 5,3/6
        route add 10.12.0.0/16 nhid 1
        route add 10.13.0.0/16 nhid 5
        """, awaiting: "eth0", "eth1", "br0")
    try original.sh(
      """
      cd /proc/sys/net; echo 1 >ipv4/ip_forward; echo 2 >ipv4/conf/eth0/rp_filter; echo 1 >ipv4/fib_multipath_hash_policy
      echo 1 >ipv6/conf/silent/disable_ipv6; echo 1 >ipv4/conf/eth1/ignore_routes_with_linkdown
      ip route del 10.7.0.2 dev eth0; ip -6 route add fd00:9::/32 nexthop via fd00:1::fd weight 3 nexthop via fd00:1::fc; ip -6 rule add pref 100 not from fd00:1::/64 lookup 77 suppress_prefixlength 0
      """)
    // The kernel states some of it only now: what happens to links is announced later.
    let (copy, expected, gaps) = try tables(of: original)
    #expect(gaps.isEmpty, "\(gaps.map(\.description))")
    let difference = copy.difference(from: expected).map { "\($0)" }.sorted()
    #expect(difference.isEmpty, "\(difference.joined(separator: "\n"))")
  }
}
#endif
