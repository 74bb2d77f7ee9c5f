// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// The addresses that belong to this machine, as destinations and as sources.
  @Suite("Addresses of this machine")
  struct OwnAddressTests {
    @Test func `an anycast address that this machine answers to is local at its interface`() throws {
      let lab = try Lab(defaultRoutes: false)
      // A router answers to the anycast address of each subnet.
      try lab.host.writeSysctl("net/ipv6/conf/v0/forwarding", "1")
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      var expected = ReachabilityStatus.local("fd00:1::", v0)
      expected.source = "fd00:1::1"
      #expect(monitor.currentStatus(of: .address("fd00:1::")) == expected)
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("fd00:1::"), interface: .name("v0")))
          == expected)
      try lab.peer.ip("link set p0 down")
      #expect(monitor.currentStatus(of: .address("fd00:1::")) == expected)
    }

    @Test func `IPv4 packets over the loopback interface need a source address`() throws {
      let network = try NetworkNamespace()
      try network.raiseLoopback()
      let monitor = try network.run { try ReachabilityMonitor() }
      try network.ip("route add 10.9.0.0/24 dev lo")
      #expect(monitor.currentStatus(of: .address("10.9.0.5")).reason == .sourceAddressMissing)
      try network.ip("addr add 10.8.0.1/32 dev lo")
      let status = monitor.currentStatus(of: .address("10.9.0.5"))
      #expect(
        status.isReachable && status.source == "10.8.0.1" && status.interface?.name == "lo", "\(status)")
    }

    @Test func `packets for an added anycast route leave by its interface`() throws {
      let lab = try Lab()
      try lab.host.ip("-6 route add anycast 2001:db8::8 dev v0")
      let v0 = try lab.interface("v0")
      let expected = ReachabilityStatus(
        .reachable, flags: [.reachable, .isDirect], interface: v0, source: "fd00:1::1")
      let monitor = try lab.makeMonitor()
      #expect(monitor.currentStatus(of: .address("2001:db8::8")) == expected)
    }

    @Test func `a rule against TCP also refuses connections to a local address`() throws {
      let lab = try Lab()
      try lab.addCable("v2", far: "p2")
      try lab.host.ip("addr add fd00:2::1/64 dev v2 nodad")
      try lab.host.ip("link set v2 up")
      for rule in ["del pref 0", "add pref 10 ipproto 6 prohibit", "add pref 20 lookup local"] {
        try lab.host.ip("-6 rule \(rule)")
      }
      let monitor = try lab.makeMonitor()
      var target = ReachabilityTarget(.address("fd00:2::1"), interface: .name("v0"))
      target.transport = .tcp
      #expect(monitor.currentStatus(of: target) == .notReachable(.prohibited))
      target.transport = .udp
      #expect(monitor.currentStatus(of: target) != .notReachable(.prohibited))
    }

    @Test func `a multicast does not use the gateway of unicast packets`() throws {
      let lab = try Lab()
      // The kernel shares one next hop between both routes, and answers for either route as it did for the other.
      try lab.host.ip("route add 224.0.0.0/4 via 10.1.0.254")
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      #expect(monitor.currentStatus(of: .address("8.8.8.8")).gateway == "10.1.0.254")
      #expect(
        monitor.currentStatus(of: .address("224.0.0.251"))
          == ReachabilityStatus(
            .reachable, flags: [.reachable, .isDirect], interface: v0, source: "10.1.0.1"))
    }

    @Test func `a local route does not make an IPv6 address a valid source`() throws {
      let lab = try Lab()
      // Packets for all of these are delivered here, but only to transparent sockets.
      try lab.host.ip("-6 route add local fd00:aa::/64 dev lo")
      try lab.host.ip("route add local 10.170.0.0/16 dev lo")
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      for source in ["fd00:aa::1", "fd00:aa::"] as [ReachabilityAddress] {
        #expect(
          monitor.currentStatus(of: ReachabilityTarget(.address("2001:db8::1"), source: source))
            == .notReachable(.sourceAddressMissing))
      }
      // IPv4 sockets can be bound to such an address.
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("8.8.8.8"), source: "10.170.0.1"))
          == .via("10.1.0.254", from: "10.170.0.1", v0))
      // Unless a rule leads to the route: the kernel looks for sources in its local table only.
      try lab.host.ip("route del local 10.170.0.0/16 dev lo")
      try lab.host.ip("rule add lookup 100 pref 12")
      try lab.host.ip("route add local 10.170.0.0/16 dev lo table 100")
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("8.8.8.8"), source: "10.170.0.1"))
          == .notReachable(.sourceAddressMissing))
      // With the first rule, the local table has parted from the main one.
      try lab.host.ip("rule del pref 12")
      try lab.host.ip("route add local 10.170.0.0/16 dev lo table main")
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("8.8.8.8"), source: "10.170.0.1"))
          == .notReachable(.sourceAddressMissing))
      try lab.host.ip("route del local 10.170.0.0/16 dev lo table main")
      try lab.host.ip("rule add lookup 100 pref 12")
      try lab.host.ip("route add local 10.170.0.0/16 dev lo table local")
      try lab.host.ip("rule del pref 0")
      try lab.host.ip("rule add lookup local pref 11")
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("8.8.8.8"), source: "10.170.0.1"))
          == .via("10.1.0.254", from: "10.170.0.1", v0))
    }

    @Test func `packets of a local route need a source address`() throws {
      let lab = try Lab(.ipv4Only)
      try lab.host.writeSysctl("net/ipv6/conf/lo/disable_ipv6", "1")
      try lab.addCable("v2", far: "p2")
      try lab.host.writeSysctl("net/ipv6/conf/v2/addr_gen_mode", "1")
      try lab.host.ip("link set v2 up")
      // There is a local route, but no IPv6 address anywhere.
      try lab.host.ip("-6 route add local fd00:aa::/64 dev v2")
      let monitor = try lab.makeMonitor()
      #expect(
        monitor.currentStatus(of: .address("fd00:aa::1"))
          == .notReachable(.sourceAddressMissing, over: try lab.interface("v2")))
    }

    @Test func `a tentative IPv6 address is not a source`() throws {
      let lab = try Lab()
      try lab.host.writeSysctl("net/ipv6/conf/v0/accept_dad", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v0/dad_transmits", "100")
      try lab.host.ip("-6 addr add fd00:1::77/64 dev v0")
      try lab.host.ip("-6 route add local fd00:1::77/128 dev v0")
      let monitor = try lab.makeMonitor()
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::77"))
          == .notReachable(.sourceAddressMissing))
    }

    @Test func `a kept IPv6 address is tentative again after its link was down`() throws {
      let lab = try Lab()
      try lab.addCable("v2", far: "p2")
      try lab.host.writeSysctl("net/ipv6/conf/v2/keep_addr_on_down", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v2/accept_dad", "0")
      try lab.host.ip("addr add fd00:2::1/64 dev v2")
      try lab.host.ip("link set v2 up")
      try lab.peer.ip("link set p2 up")
      try lab.waitForOperation("v2")
      lab.waitForLocalRoute("fd00:2::1")
      let target = ReachabilityTarget(.address("2001:db8::1"), source: "fd00:2::1")
      let monitor = try lab.makeMonitor()
      #expect(monitor.currentStatus(of: target).isReachable)
      try lab.host.writeSysctl("net/ipv6/conf/v2/accept_dad", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v2/dad_transmits", "100")
      try lab.host.ip("link set v2 down")
      #expect(monitor.currentStatus(of: target) == .notReachable(.sourceAddressMissing))
      try lab.host.ip("link set v2 up")
      #expect(monitor.currentStatus(of: target) == .notReachable(.sourceAddressMissing))
    }

    @Test func `rules for a destination do not affect it as a source`() throws {
      let lab = try Lab()
      try lab.host.ip("rule add pref 10 to 10.1.0.1 unreachable")
      try lab.host.ip("rule add pref 20 lookup local")
      try lab.host.ip("rule del pref 0")
      try lab.host.ip("-6 rule add pref 10 to fd00:1::1 unreachable")
      try lab.host.ip("-6 rule add pref 20 lookup local")
      try lab.host.ip("-6 rule del pref 0")
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::1"))
          == .via("fd00:1::fe", from: "fd00:1::1", v0))
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("8.8.8.8"), source: "10.1.0.1"))
          == .via("10.1.0.254", from: "10.1.0.1", v0))
    }

    @Test func `a kept nodad address is a source while its link is down`() throws {
      let lab = try Lab()
      try lab.addCable("v2", far: "p2")
      try lab.host.writeSysctl("net/ipv6/conf/v2/keep_addr_on_down", "1")
      try lab.host.ip("addr add fd00:2::1/64 dev v2 nodad")
      try lab.host.ip("link set v2 up")
      try lab.host.ip("link set v2 down")
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("2001:db8::1"), source: "fd00:2::1"))
          == .via("fd00:1::fe", from: "fd00:2::1", v0))
    }

    @Test(arguments: [
      ("127.0.0.1", "lo"), ("127.9.9.9", "lo"), ("10.1.0.1", "v0"), ("10.5.0.1", "lo"), ("::1", "lo"),
      ("fd00:1::1", "v0"),
    ])
    func `a local address is unreachable while the loopback interface is down`(
      _ address: String, _ owner: String
    ) throws {
      let lab = try Lab(defaultRoutes: false)
      try lab.host.ip("addr add 10.5.0.1/24 dev lo")
      let lo = ReachabilityInterface(name: "lo", index: 1, kind: .loopback)
      let own = try #require(ReachabilityAddress(address))
      let target = ReachabilityTarget.address(own)
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [target])
      #expect(monitor.currentStatus(of: target).isReachable)
      #expect(monitor.currentStatus(of: target).interface?.name == owner)
      recorder.wait("the first status") { $0[target]?.last?.isReachable == true }
      #expect(try lab.delivers(to: own))

      try lab.host.ip("link set lo down")
      #expect(monitor.currentStatus(of: target) == .notReachable(.interfaceDown, over: lo))
      recorder.wait("the loss") { $0[target]?.last == .notReachable(.interfaceDown, over: lo) }
      #expect(try !lab.delivers(to: own))
      let explanation = monitor.currentExplanation(of: target)
      #expect(explanation.firstFailure?.kind == .interface)
      #expect(explanation.firstFailure?.advice?.contains("ip link set dev lo up") == true)

      try lab.host.ip("link set lo up")
      recorder.wait("the return") { $0[target]?.last?.isReachable == true }
      #expect(try lab.delivers(to: own))
      #expect(recorder.problems == [])
    }

    @Test func `a local address of a link without a carrier is reachable`() throws {
      let lab = try Lab(defaultRoutes: false)
      try lab.peer.ip("link set p0 down")
      let monitor = try lab.makeMonitor()
      #expect(monitor.currentStatus(of: .address("10.1.0.1")) == .local("10.1.0.1", try lab.interface("v0")))
      #expect(try lab.delivers(to: "10.1.0.1"))
    }

    @Test func `broadcasts on the loopback interface are reachable`() throws {
      let lab = try Lab(.ipv4Only)
      let lo = ReachabilityInterface(name: "lo", index: 1, kind: .loopback)
      // With a separate broadcast address, which `ip` does not add to the loopback interface by itself.
      try lab.host.ip("addr add 10.5.0.1/24 brd + dev lo")
      try lab.host.ip("addr add 127.0.5.1/24 brd + dev lo")
      let monitor = try lab.makeMonitor()
      for (address, source) in [
        ("127.255.255.255", "127.0.0.1"), ("10.5.0.255", "10.5.0.1"), ("127.0.5.255", "127.0.5.1"),
      ] as [(ReachabilityAddress, ReachabilityAddress)] {
        let connection = try lab.host.run { Connection(to: address.octets, from: nil, over: 0, mark: 0) }
        #expect(ReachabilityAddress(octets: connection.source) == source)
        #expect(monitor.currentStatus(of: .address(address)) == .direct(from: source, lo))
      }
      try lab.host.ip("link set lo down")
      for address in ["127.255.255.255", "10.5.0.255"] as [ReachabilityAddress] {
        #expect(monitor.currentStatus(of: .address(address)) == .notReachable(.interfaceDown, over: lo))
      }
    }
  }
}
#endif
