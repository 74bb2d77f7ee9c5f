// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Targets with a source, an interface or both: the status matches a socket that is bound the same way.
  @Suite("Packets bound to a source and an interface")
  struct BoundSourceTests {
    /// `v0` is as in every lab; `v2` is up, with `10.2.0.1/24`, `fd00:2::1/64` and worse default routes.
    private func labWithTwoWays() throws -> Lab {
      let lab = try Lab()
      try lab.addCable("v2", far: "p2")
      try lab.host.writeSysctl("net/ipv6/conf/v2/accept_dad", "0")
      try lab.host.ip("addr add 10.2.0.1/24 dev v2")
      try lab.host.ip("addr add fd00:2::1/64 dev v2 nodad")
      try lab.peer.ip("link set p2 up")
      try lab.host.ip("link set v2 up")
      try lab.waitForOperation("v2")
      lab.waitForLocalRoute("fd00:2::1")
      try lab.host.ip("route add default via 10.2.0.254 metric 2000")
      try lab.host.ip("-6 route add default via fd00:2::fe metric 2000")
      return lab
    }

    private func target(
      _ address: ReachabilityAddress, from source: ReachabilityAddress, over name: String? = nil
    )
      -> ReachabilityTarget
    {
      ReachabilityTarget(.address(address), source: source, interface: name.map { .name($0) })
    }

    @Test func `a bound interface decides, even if another route is better`() throws {
      let lab = try labWithTwoWays()
      let monitor = try lab.makeMonitor()
      let v2 = try lab.interface("v2")
      for source in ["fd00:1::1", "fd00:2::1"] as [ReachabilityAddress] {
        #expect(
          monitor.currentStatus(of: target("2001:db8::1", from: source, over: "v2"))
            == .via("fd00:2::fe", from: source, v2))
        #expect(
          monitor.currentStatus(of: ReachabilityTarget(.defaultRoute, source: source, interface: .name("v2")))
            == .via("fd00:2::fe", from: source, v2))
      }
      for source in ["10.1.0.1", "10.2.0.1"] as [ReachabilityAddress] {
        #expect(
          monitor.currentStatus(of: target("8.8.8.8", from: source, over: "v2"))
            == .via("10.2.0.254", from: source, v2))
      }
    }

    @Test func `a bound interface decides, even if unbound packets are refused`() throws {
      let lab = try labWithTwoWays()
      try lab.host.ip("-6 route add unreachable default metric 10")
      let monitor = try lab.makeMonitor()
      let bound = target("2001:db8::1", from: "fd00:2::1", over: "v2")
      #expect(
        monitor.currentStatus(of: bound) == .via("fd00:2::fe", from: "fd00:2::1", try lab.interface("v2")))
      // A rule refuses every packet, bound or not.
      try lab.host.ip("-6 rule add from fd00:2::/64 prohibit pref 10")
      #expect(monitor.currentStatus(of: bound) == .notReachable(.prohibited))
    }

    @Test func `a group of next hops sends packets of a bound socket by any of them`() throws {
      let lab = try labWithTwoWays()
      try lab.peer.ip("link set p0 up")
      for (id, gateway, link, end) in [(1, "fd00:1::fe", "v0", "p0"), (2, "fd00:2::fe", "v2", "p2")] {
        try lab.host.ip("nexthop add id \(id) via \(gateway) dev \(link)")
        try lab.fixNeighbour(try #require(ReachabilityAddress(gateway)), on: link, far: end)
      }
      try lab.host.ip("nexthop add id 3 group 1/2")
      try lab.host.ip("-6 route add fd09::/64 nhid 3")
      let monitor = try lab.makeMonitor()
      let v2 = try lab.interface("v2")
      // The kernel chooses by the addresses, whatever the source's interface is.
      let tap = try PacketTap(framesIn: lab.peer)
      let linkOfInterface = try lab.host.ip("-o link show v2")
      var links: Set<String> = []
      for number in 1...16 {
        let address = try #require(ReachabilityAddress("fd09::\(number)"))
        for source in ["fd00:1::1", "fd00:2::1"] as [ReachabilityAddress] {
          let plan = SocketPlan(to: address.octets, from: source.octets, over: UInt32(v2.index))
          let sent = try lab.host.run {
            ProbePackets.send(1, plan, number: UInt64(number), isConnected: true)
          }
          #expect(sent == 1)
          let arrival = try #require(tap.next(within: 5000))
          let sender = arrival.sender.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
          let leavesByInterface = linkOfInterface.contains(sender.joined(separator: ":"))
          links.insert(leavesByInterface ? "v2" : "v0")
          var target = target(address, from: source, over: "v2")
          target.transport = .udp
          #expect(
            monitor.currentStatus(of: target)
              == (leavesByInterface ? .via("fd00:2::fe", from: source, v2) : .notReachable(.noRoute)),
            "\(address) from \(source)")
        }
      }
      #expect(links == ["v0", "v2"])
    }

    @Test func `another interface's address is not local on the bound interface`() throws {
      let lab = try labWithTwoWays()
      try lab.host.ip("-6 route del default metric 2000")
      let monitor = try lab.makeMonitor()
      #expect(
        monitor.currentStatus(of: target("fd00:1::1", from: "fd00:2::1", over: "v2"))
          == .notReachable(.noRoute))
    }

    @Test func `a bridge port and its bridge are different interfaces`() throws {
      let lab = try Lab(defaultRoutes: false)
      try lab.host.ip("link add br0 type bridge")
      try lab.host.ip("link set br0 up")
      try lab.addCable("v2", far: "p2")
      try lab.host.writeSysctl("net/ipv6/conf/v2/accept_dad", "0")
      try lab.host.ip("link set v2 master br0")
      try lab.host.ip("addr add fd00:2::1/64 dev v2 nodad")
      try lab.peer.ip("link set p2 up")
      try lab.host.ip("link set v2 up")
      try lab.waitForOperation("br0")
      lab.waitForLocalRoute("fd00:2::1")
      let monitor = try lab.makeMonitor()
      for destination in ["fd00:2::2", "fd00:2::1"] as [ReachabilityAddress] {
        #expect(
          monitor.currentStatus(of: ReachabilityTarget(.address(destination), interface: .name("v2")))
            .isReachable)
        #expect(
          monitor.currentStatus(of: target(destination, from: "fd00:1::1", over: "br0"))
            == .notReachable(.noRoute))
      }
    }

    @Test func `an unassigned IPv6 source needs ip_nonlocal_bind`() throws {
      let lab = try labWithTwoWays()
      let monitor = try lab.makeMonitor()
      let pairs: [(ReachabilityAddress, ReachabilityAddress)] = [
        ("2001:db8::1", "fd00:1::77"), ("fd00:1::2", "fd00:9::77"), ("2001:db8::1", "2001:db8:1::"),
        ("8.8.8.8", "10.1.0.77"), ("10.1.0.2", "10.9.0.77"),
      ]
      let observed = target("2001:db8::1", from: "fd00:1::77")
      let recorder = Recorder(monitor, [observed])
      for isAllowed in [false, true, false, true] {
        try lab.host.writeSysctl("net/ipv6/ip_nonlocal_bind", isAllowed ? "1" : "0")
        try lab.host.writeSysctl("net/ipv4/ip_nonlocal_bind", isAllowed ? "1" : "0")
        for (address, source) in pairs {
          let connection = try lab.host.run {
            Connection(to: address.octets, from: source.octets, over: 0, mark: 0)
          }
          let status = monitor.currentStatus(of: target(address, from: source))
          #expect(status.isReachable == (connection.errorNumber == 0), "\(address) from \(source)")
          // For IPv4, only `bind` is allowed.
          #expect(status.isReachable == (isAllowed && address.bitWidth == 128), "\(address) from \(source)")
          if status.isReachable {
            #expect(status.source == source)
            #expect(monitor.currentExplanation(of: target(address, from: source)).firstFailure == nil)
          } else {
            #expect(status.reason == .sourceAddressMissing)
          }
        }
        #expect(
          monitor.currentStatus(of: target("2001:db8::1", from: "fd00:2::77", over: "v2")).isReachable
            == isAllowed)
        #expect(
          monitor.currentStatus(of: ReachabilityTarget(.defaultRoute, source: "fd00:1::77")).isReachable
            == isAllowed
        )
        // The kernel does not announce the setting.
        monitor.refresh()
        recorder.wait("the setting") { $0[observed]?.last?.isReachable == isAllowed }
      }
      #expect(recorder.problems == [])
    }

    @Test func `a link-local source needs a zone, and exists in its own zone only`() throws {
      let lab = try labWithTwoWays()
      try lab.host.ip("addr add fe80::77/64 dev v0 nodad")
      let monitor = try lab.makeMonitor()
      let v0 = try lab.interface("v0")
      for destination in ["2001:db8::1", "fd00:1::2"] as [ReachabilityAddress] {
        #expect(
          monitor.currentStatus(of: target(destination, from: "fe80::77")) == .notReachable(.zoneMissing))
      }
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.defaultRoute, source: "fe80::77"))
          == .notReachable(.zoneMissing))
      #expect(
        monitor.currentStatus(of: target("2001:db8::1", from: "fe80::77", over: "v0"))
          == .via("fd00:1::fe", from: "fe80::77", v0))
      for destination in ["2001:db8::1", "fe80::5", "ff02::fb"] as [ReachabilityAddress] {
        #expect(
          monitor.currentStatus(of: target(destination, from: "fe80::77", over: "v2"))
            == .notReachable(.sourceAddressMissing))
      }
    }
  }
}
#endif
