// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

/// Real changes of the network: the resulting statuses, each delivered exactly once.
extension LiveTests {
  @Suite("Every change of the network")
  struct ChangeTests {
    static let far4 = ReachabilityTarget.address("8.8.8.8")
    static let near4 = ReachabilityTarget.address("10.1.0.2")
    static let far6 = ReachabilityTarget.address("2001:db8::1")
    /// A target that only the fence touches.
    static let fence = ReachabilityTarget.address("fd00:feed::1")

    /// Observes the three targets, makes the change, and compares the delivered statuses with the present ones followed
    /// by the expected ones.
    ///
    /// A fence ends the comparison: a separate change that is delivered after all previous ones.
    private func expect(
      _ lab: Lab, becomes expected: [ReachabilityTarget: [ReachabilityStatus]], _ change: () throws -> Void
    ) throws {
      let monitor = try lab.makeMonitor()
      let targets = [Self.far4, Self.near4, Self.far6]
      let recorder = Recorder(monitor, targets + [Self.fence])
      recorder.wait("the initial events") { $0.count == targets.count + 1 }
      let before = recorder.statuses

      try change()
      recorder.wait("the change") { received in
        expected.allSatisfy { target, statuses in received[target]?.last == statuses.last }
      }
      try lab.host.ip("-6 route add blackhole fd00:feed::1/128")
      recorder.wait("the fence") { $0[Self.fence]?.last == .notReachable(.blackhole) }

      let received = recorder.statuses
      for target in targets {
        #expect(received[target] == (before[target] ?? []) + (expected[target] ?? []), "\(target)")
        #expect(monitor.currentStatus(of: target) == received[target]?.last, "a new query: \(target)")
      }
      #expect(recorder.problems == [])
    }

    private var noRoute: ReachabilityStatus { .notReachable(.noRoute) }

    // MARK: Routes

    @Test func `a deleted default route makes far hosts unreachable`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far4: [noRoute]]) {
        try lab.host.ip("route del default")
      }
    }

    @Test func `a replaced default route changes the gateway`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      try expect(lab, becomes: [Self.far4: [.via("10.1.0.253", from: "10.1.0.1", v0)]]) {
        try lab.host.ip("route replace default via 10.1.0.253 dev v0 metric 100")
      }
    }

    @Test func `a second default route with a better metric wins`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      try expect(lab, becomes: [Self.far4: [.via("10.1.0.9", from: "10.1.0.1", v0)]]) {
        try lab.host.ip("route add default via 10.1.0.9 dev v0 metric 0 table 254 proto static src 10.1.0.1")
      }
    }

    @Test func `deleting the worse of two default routes changes nothing`() throws {
      let lab = try Lab()
      try lab.host.ip("route add default via 10.1.0.253 metric 500")
      try expect(lab, becomes: [:]) {
        try lab.host.ip("route del default via 10.1.0.253 metric 500")
      }
    }

    @Test func `a more specific route takes over`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      try expect(lab, becomes: [Self.far4: [.via("10.1.0.7", from: "10.1.0.1", v0)]]) {
        try lab.host.ip("route add 8.8.8.0/24 via 10.1.0.7")
      }
    }

    @Test func `a blackhole route discards packets for one host`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far4: [.notReachable(.blackhole)]]) {
        try lab.host.ip("route add blackhole 8.8.8.8/32")
      }
    }

    @Test func `an unreachable default route with a better metric wins`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far4: [.notReachable(.unreachableRoute)]]) {
        try lab.host.ip("route add unreachable default metric 0")
      }
    }

    @Test func `a default route in an unused table changes nothing`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [:]) {
        try lab.host.ip("route add default via 10.1.0.77 table 100")
      }
    }

    @Test func `an expired IPv6 route is noticed without an announcement`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far6: [noRoute]]) {
        try lab.host.ip("-6 route replace default via fd00:1::fe dev v0 expires 2")
      }
    }

    // MARK: Next hops

    private func labWithNexthop() throws -> Lab {
      let lab = try Lab()
      try lab.host.ip("route del default")
      try lab.host.ip("nexthop add id 5 via 10.1.0.20 dev v0")
      try lab.host.ip("route add default nhid 5")
      return lab
    }

    @Test func `a deleted next-hop object deletes its routes`() throws {
      let lab = try labWithNexthop()
      try expect(lab, becomes: [Self.far4: [noRoute]]) {
        try lab.host.ip("nexthop del id 5")
      }
    }

    @Test func `a replaced next-hop object changes the gateway`() throws {
      let lab = try labWithNexthop()
      let v0 = try lab.interface("v0")
      try expect(lab, becomes: [Self.far4: [.via("10.1.0.21", from: "10.1.0.1", v0)]]) {
        try lab.host.ip("nexthop replace id 5 via 10.1.0.21 dev v0")
      }
    }

    @Test func `a replaced next hop is noticed without compatible notifications`() throws {
      let lab = try labWithNexthop()
      let v0 = try lab.interface("v0")
      try lab.host.writeSysctl("net/ipv4/nexthop_compat_mode", "0")
      try expect(lab, becomes: [Self.far4: [.via("10.1.0.21", from: "10.1.0.1", v0)]]) {
        try lab.host.ip("nexthop replace id 5 via 10.1.0.21 dev v0")
      }
    }

    @Test func `a deleted IPv6 next-hop object deletes its routes`() throws {
      let lab = try Lab()
      try lab.host.ip("-6 route del default")
      try lab.host.ip("nexthop add id 15 via fd00:1::20 dev v0")
      try lab.host.ip("-6 route add default nhid 15")
      try expect(lab, becomes: [Self.far6: [noRoute]]) {
        try lab.host.ip("nexthop del id 15")
      }
    }

    // MARK: Rules

    @Test func `a rule prohibits one host`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far4: [.notReachable(.prohibited)]]) {
        try lab.host.ip("rule add to 8.8.8.8 prohibit pref 100")
      }
    }

    @Test func `a rule prohibits everything`() throws {
      let lab = try Lab()
      try expect(
        lab, becomes: [Self.far4: [.notReachable(.prohibited)], Self.near4: [.notReachable(.prohibited)]]
      ) {
        try lab.host.ip("rule add prohibit pref 100")
      }
    }

    @Test func `a rule directs every lookup to another table`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      try lab.host.ip("route add default via 10.1.0.77 table 100")
      try expect(
        lab,
        becomes: [
          Self.far4: [.via("10.1.0.77", from: "10.1.0.1", v0)],
          Self.near4: [.via("10.1.0.77", from: "10.1.0.1", v0)],
        ]
      ) {
        try lab.host.ip("rule add lookup 100 pref 100")
      }
    }

    // MARK: Links

    @Test func `an IPv4-only interface that goes down loses its routes unannounced`() throws {
      let lab = try Lab(.ipv4Only)
      let v0 = try lab.interface("v0")
      try expect(lab, becomes: [Self.far4: [noRoute], Self.near4: [.notReachable(.interfaceDown, over: v0)]])
      {
        try lab.host.ip("link set v0 down")
      }
    }

    @Test func `an interface that goes down delivers one change for both families`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      try expect(
        lab,
        becomes: [
          Self.far4: [noRoute], Self.near4: [.notReachable(.interfaceDown, over: v0)], Self.far6: [noRoute],
        ]
      ) {
        try lab.host.ip("link set v0 down")
      }
    }

    @Test func `a deleted link makes everything behind it unreachable`() throws {
      let lab = try Lab(.ipv4Only)
      try expect(lab, becomes: [Self.far4: [noRoute], Self.near4: [noRoute]]) {
        try lab.host.ip("link del v0")
      }
    }

    @Test func `a link that moves to another namespace disappears`() throws {
      let lab = try Lab(.ipv4Only)
      try expect(lab, becomes: [Self.far4: [noRoute], Self.near4: [noRoute]]) {
        try lab.host.ip("link set v0 netns \(lab.peer.path)")
      }
    }

    @Test func `a renamed link changes the interface of its hosts`() throws {
      let lab = try Lab()
      guard try lab.peer.shell("ip link set p0 name q0").status == 0 else {
        print("skipped: this kernel cannot rename a link that is up (Linux 6.2 and newer can)")
        return
      }
      var w0 = try lab.interface("v0")
      w0.name = "w0"
      try expect(
        lab,
        becomes: [
          Self.far4: [.via("10.1.0.254", from: "10.1.0.1", w0)],
          Self.near4: [.direct(from: "10.1.0.1", w0)],
          Self.far6: [.via("fd00:1::fe", from: "fd00:1::1", w0)],
        ]
      ) {
        try lab.host.ip("link set v0 name w0")
      }
    }

    @Test func `an interface that goes down and up delivers two changes`() throws {
      let lab = try Lab(.ipv4Only)
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [Self.far4, Self.near4])
      let up = ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", v0)
      let direct = ReachabilityStatus.direct(from: "10.1.0.1", v0)
      recorder.wait("the initial events") { $0[Self.far4]?.last == up && $0[Self.near4]?.last == direct }
      try lab.host.ip("link set v0 down")
      recorder.wait("the lost route and link") {
        $0[Self.far4]?.last == .notReachable(.noRoute)
          && $0[Self.near4]?.last == .notReachable(.interfaceDown, over: v0)
      }
      try lab.host.ip("link set v0 up")
      recorder.wait("the link") { $0[Self.near4]?.last == direct }
      try lab.host.ip("route add default via 10.1.0.254 dev v0")
      recorder.wait("the new route") { $0[Self.far4]?.last == up }
      let received = recorder.statuses
      #expect(received[Self.far4] == [up, .notReachable(.noRoute), up])
      // Between the command and the carrier the link is up without one. Observers may miss that moment.
      let near = received[Self.near4]?.filter { $0 != .notReachable(.noCarrier, over: v0) }
      #expect(near == [direct, .notReachable(.interfaceDown, over: v0), direct])
      #expect(recorder.problems == [])
    }

    // MARK: Carrier

    @Test func `a lost carrier makes hosts unreachable although routes stay`() throws {
      let lab = try Lab()
      let lost = ReachabilityStatus.notReachable(.noCarrier, over: try lab.interface("v0"))
      try expect(lab, becomes: [Self.far4: [lost], Self.near4: [lost], Self.far6: [lost]]) {
        try lab.peer.ip("link set p0 down")
      }
    }

    @Test func `a lost carrier removes the routes where the kernel ignores dead routes`() throws {
      let lab = try Lab()
      let lost = ReachabilityStatus.notReachable(.noCarrier, over: try lab.interface("v0"))
      try lab.host.writeSysctl("net/ipv4/conf/v0/ignore_routes_with_linkdown", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v0/ignore_routes_with_linkdown", "1")
      try expect(lab, becomes: [Self.far4: [noRoute], Self.near4: [lost], Self.far6: [noRoute]]) {
        try lab.peer.ip("link set p0 down")
      }
    }

    @Test func `an IPv4-only interface without a carrier loses ignored routes`() throws {
      let lab = try Lab(.ipv4Only)
      let lost = ReachabilityStatus.notReachable(.noCarrier, over: try lab.interface("v0"))
      try lab.host.writeSysctl("net/ipv4/conf/v0/ignore_routes_with_linkdown", "1")
      try expect(lab, becomes: [Self.far4: [noRoute], Self.near4: [lost]]) {
        try lab.peer.ip("link set p0 down")
      }
    }

    @Test func `a sysctl that ignores dead routes removes them`() throws {
      let lab = try Lab()
      try lab.peer.ip("link set p0 down")
      let lost = ReachabilityStatus.notReachable(.noCarrier, over: try lab.interface("v0"))
      let monitor = try lab.makeMonitor()
      let before = Recorder(monitor, [Self.far4])
      before.wait("the lost carrier") { $0[Self.far4]?.last == lost }
      try expect(lab, becomes: [Self.far4: [noRoute], Self.far6: [noRoute]]) {
        try lab.host.writeSysctl("net/ipv4/conf/v0/ignore_routes_with_linkdown", "1")
        try lab.host.writeSysctl("net/ipv6/conf/v0/ignore_routes_with_linkdown", "1")
      }
    }

    // MARK: Addresses

    @Test func `removing the last IPv4 address removes the default route unannounced`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far4: [noRoute], Self.near4: [noRoute]]) {
        try lab.host.ip("addr del 10.1.0.1/24 dev v0")
      }
    }

    @Test func `an expired address removes its routes`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far4: [noRoute], Self.near4: [noRoute]]) {
        try lab.host.ip("addr change 10.1.0.1/24 dev v0 valid_lft 2 preferred_lft 2")
      }
    }

    @Test func `disabling IPv6 makes IPv6 hosts unreachable`() throws {
      let lab = try Lab()
      try expect(lab, becomes: [Self.far6: [noRoute]]) {
        try lab.host.writeSysctl("net/ipv6/conf/v0/disable_ipv6", "1")
      }
    }

    @Test func `a new IPv6 address becomes the source after duplicate detection`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      try lab.host.writeSysctl("net/ipv6/conf/v0/accept_dad", "1")
      // The kernel prefers the newer of equally good addresses, but no tentative one.
      try expect(lab, becomes: [Self.far6: [.via("fd00:1::fe", from: "fd00:77::1", v0)]]) {
        try lab.host.ip("-6 addr add fd00:77::1/64 dev v0")
      }
    }
  }
}
#endif
