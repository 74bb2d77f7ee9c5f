// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import POSIX
import Testing

@testable import ReachabilityKit

/// The path on a real kernel: the result of each change, delivered exactly once.
extension LiveTests {
  @Suite("The path")
  struct PathTests {
    private let whole = "satisfied v0 (wired) via 10.1.0.254 fd00:1::fe, ipv4, ipv6"

    @Test func `a path has every detail`() throws {
      let watched = try PathLab()
      let v0 = try watched.lab.interface("v0")
      let linkLocal = try watched.lab.host.ip("-6 -o addr show dev v0 scope link")
      let address = try #require(linkLocal.split(separator: " ").first { $0.hasPrefix("fe80") })
      let parts = address.split(separator: "/")
      let expected = ReachabilityPath(
        .satisfied,
        interfaces: [
          .init(
            v0,
            addresses: [
              .init("10.1.0.1", prefixLength: 24), .init("fd00:1::1", prefixLength: 64),
              .init(try #require(ReachabilityAddress(parts[0])), prefixLength: 64),
            ], mtu: 1500, gateways: ["10.1.0.254", "fd00:1::fe"], supportsIPv6: true)
        ])
      #expect(watched.monitor.path == expected)
      #expect(watched.paths == [expected])
    }

    /// Waits for the next change; some messages bring none.
    private func nextChange(_ source: LinuxNetworkSource) -> NetworkChange {
      let deadline = Moment.now.advanced(by: .seconds(10))
      while Moment.now < deadline {
        let change = source.waitForChange(until: deadline)
        if !change.isEmpty { return change }
      }
      return .none
    }

    @Test func `a change during an evaluation leads to one more, not to ten`() throws {
      let lab = try Lab()
      try lab.waitForAddresses()
      let source = try lab.host.run { try LinuxNetworkSource(names: nil) }
      try source.watch([.network])
      _ = source.waitForChange(until: .now)
      var count = 0
      _ = source.evaluateBetweenChanges(attempts: 10) { watch in
        count += 1
        if count == 1 { _ = try? lab.host.ip("route add 10.7.0.0/16 via 10.1.0.7") }
        return watch.evaluatePath([])
      } isSuspect: { _ in
        true
      } isDisturbed: {
        !$0.isEmpty
      }
      #expect(count == 2)
      // The change is still to be returned, without a wait.
      let start = Moment.now
      #expect(nextChange(source).prefixes.contains { $0.length == 16 })
      #expect(start.duration(to: .now) < .seconds(5))
    }

    // MARK: Routes

    @Test func `a lost default route ends its family, the last one the path`() throws {
      let watched = try PathLab()
      let host = watched.lab.host
      try watched.expect("satisfied v0 (wired) via fd00:1::fe, ipv6") { try host.ip("route del default") }
      try watched.expect("unsatisfied: no route, v0 (wired) no route") { try host.ip("-6 route del default") }
      try watched.expect("satisfied v0 (wired) via 10.1.0.254, ipv4") {
        try host.ip("route add default via 10.1.0.254")
      }
      try watched.expect("satisfied v0 (wired) via 10.1.0.253, ipv4") {
        try host.ip("route replace default via 10.1.0.253")
      }
    }

    @Test func `routes other than default routes do not change the path`() throws {
      let watched = try PathLab()
      try watched.expect {
        try watched.lab.host.ip("route add 10.9.0.0/16 via 10.1.0.7")
        try watched.lab.host.ip("route add blackhole 10.8.0.0/16")
        try watched.lab.host.ip("-6 route add fd00:9::/32 via fd00:1::7")
        try watched.lab.host.ip("route add default via 10.1.0.77 table 100")
        try watched.lab.host.ip("route add default via 10.1.0.253 metric 500")
      }
    }

    @Test func `a prohibiting rule is the reason`() throws {
      let watched = try PathLab()
      // For a packet bound to the interface the kernel would answer that no route is needed.
      let text = "unsatisfied: a route or rule prohibits it, v0 (wired) no route"
      try watched.lab.host.ip("-6 route del default")
      watched.wait("IPv4 alone") { $0.last?.supportsIPv6 == false }
      try watched.expect(text) { try watched.lab.host.ip("rule add prohibit pref 100") }
    }

    @Test func `an unreachable default route with a better metric is the reason`()
      throws
    {
      let watched = try PathLab { lab in
        try lab.host.ip("-6 route del default")
      }
      let host = watched.lab.host
      try watched.expect("unsatisfied: a route says unreachable, v0 (wired) no route") {
        try host.ip("route add unreachable default metric 5")
      }
    }

    @Test func `an expired IPv6 default route is noticed without an announcement`() throws {
      let watched = try PathLab()
      try watched.expect("satisfied v0 (wired) via 10.1.0.254, ipv4") {
        try watched.lab.host.ip("-6 route replace default via fd00:1::fe dev v0 expires 2")
      }
    }

    // MARK: Several interfaces

    @Test func `the uplink with the lower metric is preferred`() throws {
      let watched = try PathLab { try $0.addSecondCable() }
      let host = watched.lab.host
      let second = "v1 (wired) via 10.2.0.254"
      let first = "v0 (wired) via 10.1.0.254 fd00:1::fe"
      try watched.expect("satisfied \(first), \(second), ipv4, ipv6") {
        try host.ip("route add default via 10.2.0.254 metric 600")
      }
      try watched.expect("satisfied \(second), \(first), ipv4, ipv6") {
        try host.ip("route add default via 10.2.0.254 metric 50")
      }
      try watched.expect("satisfied \(first), \(second), ipv4, ipv6") {
        try host.ip("route del default via 10.2.0.254 metric 50")
      }
      try watched.expect("satisfied \(second), v0 (wired) via fd00:1::fe, ipv4, ipv6") {
        try host.ip("route del default via 10.1.0.254 metric 100")
      }
    }

    @Test func `the path order follows the metrics of IPv6 and next-hop routes`() throws {
      let watched = try PathLab(defaultRoutes: false) { try $0.addSecondCable() }
      let host = watched.lab.host
      try host.ip("nexthop add id 1 via fd00:1::fe dev v0")
      try host.ip("nexthop add id 2 via fd00:2::fe dev v1")
      try watched.expect("satisfied v1 (wired) via fd00:2::fe, ipv6", fence: "v1") {
        try host.ip("-6 route add default nhid 2 metric 300")
      }
      try watched.expect("satisfied v1 (wired) via fd00:2::fe, v0 (wired) via fd00:1::fe, ipv6") {
        try host.ip("-6 route add default nhid 1 metric 400")
      }
      try watched.expect("satisfied v0 (wired) via fd00:1::fe, v1 (wired) via fd00:2::fe, ipv6") {
        try host.ip("-6 route add default nhid 1 metric 200")
      }
      try watched.expect("satisfied v1 (wired) via fd00:2::fe, ipv6", fence: "v1") {
        try host.ip("nexthop del id 1")
      }
    }

    @Test func `a third uplink is ordered by its metric`() throws {
      let watched = try PathLab(defaultRoutes: false) { lab in
        try lab.addSecondCable()
        try lab.addCable("v2", far: "p2")
        try lab.host.writeSysctl("net/ipv6/conf/v2/disable_ipv6", "1")
        try lab.host.ip("addr add 10.3.0.1/24 dev v2")
        try lab.peer.ip("link set p2 up")
        try lab.host.ip("link set v2 up")
        try lab.waitForOperation("v2")
        try lab.host.ip("route add default via 10.1.0.254 metric 300")
        try lab.host.ip("route add default via 10.2.0.254 metric 200")
        try lab.host.ip("route add default via 10.3.0.254 metric 250")
      }
      #expect(watched.paths.map { $0.interfaces.map(\.interface.name) } == [["v1", "v2", "v0"]])
    }

    @Test func `a multipath default route makes all its interfaces usable`() throws {
      let watched = try PathLab(defaultRoutes: false) { try $0.addSecondCable() }
      let host = watched.lab.host
      try host.ip("route add default nexthop via 10.1.0.254 dev v0 nexthop via 10.2.0.254 dev v1")
      watched.wait("both") { $0.last?.interfaces.count == 2 }
      let path = try #require(watched.paths.last)
      #expect(Set(path.gateways) == ["10.1.0.254", "10.2.0.254"])
      #expect(path.interfaces.map(\.gateways.count) == [1, 1])
      #expect(watched.paths.count == 2)
      try watched.expect("satisfied v1 (wired) via 10.2.0.254, ipv4", fence: "v1") {
        try host.ip("link set v0 down")
      }
    }

    @Test func `a VPN with half routes comes first`() throws {
      let watched = try PathLab(.ipv4Only) { lab in
        try lab.addCable("vpn0", far: "pvpn0")
        try lab.host.writeSysctl("net/ipv6/conf/vpn0/disable_ipv6", "1")
        try lab.peer.ip("link set pvpn0 up")
        try lab.host.ip("link set vpn0 up")
        try lab.waitForOperation("vpn0")
        try lab.host.ip("addr add 10.8.0.2/32 dev vpn0")
      }
      let host = watched.lab.host
      let below = "v0 (wired) via 10.1.0.254"
      try watched.expect("satisfied vpn0 (wired), \(below), ipv4") {
        try host.ip("route add 0.0.0.0/1 dev vpn0")
        try host.ip("route add 128.0.0.0/1 dev vpn0")
      }
      try watched.expect("satisfied \(below), ipv4") { try host.ip("link del vpn0") }
    }

    // MARK: Links

    @Test func `a lost carrier of the preferred interface ends the path`() throws {
      let watched = try PathLab(.ipv4Only) { lab in
        try lab.addSecondCable()
        try lab.host.ip("route add default via 10.2.0.254 metric 600")
      }
      let (host, peer) = (watched.lab.host, watched.lab.peer)
      let second = "v1 (wired) via 10.2.0.254"
      try watched.expect("unsatisfied: no carrier, \(second), v0 (wired) no carrier") {
        try peer.ip("link set p0 down")
      }
      #expect(watched.monitor.path(.requiring(.wired)).description == "satisfied \(second), ipv4")
      try watched.expect("satisfied v0 (wired) via 10.1.0.254, \(second), ipv4") {
        try peer.ip("link set p0 up")
      }
      try watched.expect("satisfied \(second), ipv4", fence: "v1") { try host.ip("link set v0 down") }
    }

    @Test func `a link down is one change, a link up reports what is missing`()
      throws
    {
      let watched = try PathLab()
      let host = watched.lab.host
      try watched.expect("unsatisfied: interface down, v0 (wired) interface down") {
        try host.ip("link set v0 down")
      }
      try host.ip("link set v0 up")
      watched.wait("a link without routes") { $0.last?.reason == .noRoute }
      try host.ip("route add default via 10.1.0.254")
      watched.wait("the end") { $0.last?.isSatisfied == true }
      #expect(watched.paths.last?.description == "satisfied v0 (wired) via 10.1.0.254, ipv4")
    }

    @Test func `a dormant link requires a connection`() throws {
      let watched = try PathLab()
      try watched.expect("requires connection: link dormant, v0 (wired) link dormant") {
        try watched.lab.host.ip("link set v0 state dormant")
      }
    }

    @Test func `a new MTU is one change, of the path only`() throws {
      let watched = try PathLab()
      let statuses = Recorder(watched.monitor, [.defaultRoute])
      statuses.wait("the status") { $0.count == 1 }
      try watched.lab.host.ip("link set v0 mtu 1400")
      watched.wait("the MTU") { $0.last?.interfaces.first?.mtu == 1400 }
      try watched.expect {}
      #expect(watched.paths.map { $0.interfaces.first?.mtu } == [1500, 1400, 1400, 1400])
      #expect(statuses.statuses[.defaultRoute]?.count == 1)
    }

    @Test func `a deleted link is one change`() throws {
      let watched = try PathLab { try $0.addSecondCable() }
      try watched.expect("unsatisfied: no route, v1 (wired) no route", fence: "v1") {
        try watched.lab.host.ip("link del v0")
      }
    }

    @Test func `links without addresses do not change the path`() throws {
      let watched = try PathLab()
      try watched.expect {
        for name in ["c0", "c1"] {
          try watched.lab.host.ip("link add \(name) type veth peer name \(name)p")
          try watched.lab.host.ip("link set \(name) up")
          try watched.lab.host.ip("link del \(name)")
        }
      }
    }

    // MARK: Requirements and name servers

    @Test func `requirements keep interfaces of the required kind`() throws {
      let watched = try PathLab(requirements: .requiring(.wifi))
      #expect(watched.paths.map(\.reason) == [.interfaceNotFound])
      let monitor = watched.monitor
      #expect(monitor.path(.requiring(.wired)).description == whole)
      #expect(monitor.path(.prohibiting(.wired)).reason == .interfaceNotFound)
      let loopback = monitor.path(.requiring(.loopback))
      #expect(loopback.description == "satisfied lo (loopback), ipv4, ipv6")
      try watched.lab.host.ip("route del default")
      let status = Recorder(monitor, [.address("8.8.8.8")])
      status.wait("the change") { $0.values.first?.last == .notReachable(.noRoute) }
      #expect(watched.paths.count == 1)
    }

    @Test func `a name server without a route is reported`() throws {
      let watched = try PathLab(nameServers: "nameserver 10.66.0.53\n")
      #expect(watched.paths.map(\.supportsDNS) == [true])
      try watched.expect(whole) {
        try watched.lab.host.ip("route add blackhole 10.66.0.53/32")
        watched.wait("a path without name servers") { $0.last?.supportsDNS == false }
      }
      #expect(watched.paths[1].nameServers == [.init("10.66.0.53", reason: .blackhole)])
      try "nameserver 127.0.0.53\n".write(
        toFile: watched.resolverConfiguration, atomically: true, encoding: .utf8)
      watched.wait("the forwarder") { $0.last?.nameServers == [.init("127.0.0.53")] }
      try watched.lab.host.ip("link set v0 down")
      watched.wait("no path") { $0.last?.nameServers == [.init("127.0.0.53", reason: .interfaceDown)] }
    }
  }
}
#endif
