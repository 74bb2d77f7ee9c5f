// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import Netlink
import ReachabilityKit
import Testing

extension LiveTests {
  /// The kernel announces some changes before it makes them.
  ///
  /// The delay grows with the number of listeners.
  @Suite("Changes announced before they are made")
  struct AnnouncementTests {
    private static let far = ReachabilityTarget.address("fd00:99::1")
    private static let far4 = ReachabilityTarget.address("10.99.0.1")

    /// Sockets that receive route announcements before the monitor's socket does.
    private func listeners(_ lab: Lab) throws -> [KernelTransport] {
      try (0..<200).map { _ in
        try lab.host.run {
          let listener = try KernelTransport()
          for group in [MulticastGroup.ipv4Routes, .ipv6Routes, .nextHops] {
            try listener.setMembership(group, joined: true)
          }
          return listener
        }
      }
    }

    /// Makes a change and undoes it repeatedly; each change must be delivered.
    private func expect(
      _ target: ReachabilityTarget, make: String, undo: String, rounds: Int = 60, in lab: Lab
    ) throws {
      let listeners = try listeners(lab)
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [target])
      recorder.wait("the initial event") { $0[target]?.count == 1 }
      for round in 1...rounds {
        try lab.host.ip(make)
        guard recorder.wait("change \(round)", { $0[target]?.count == 2 * round }) else { return }
        try lab.host.ip(undo)
        guard recorder.wait("its end \(round)", { $0[target]?.count == 2 * round + 1 }) else { return }
      }
      #expect(recorder.problems == [])
      withExtendedLifetime(listeners) {}
    }

    @Test func `no new or deleted IPv6 route is missed`() throws {
      let lab = try Lab(defaultRoutes: false)
      let route = "fd00:99::/64 via fd00:1::fe dev v0"
      try expect(Self.far, make: "-6 route add \(route)", undo: "-6 route del \(route)", in: lab)
    }

    @Test func `no new or deleted IPv4 route is missed`() throws {
      let lab = try Lab(defaultRoutes: false)
      let route = "10.99.0.0/16 via 10.1.0.254"
      try expect(Self.far4, make: "route add \(route)", undo: "route del \(route)", in: lab)
    }

    @Test(arguments: ["via 10.1.0.253 dev v0", "dev v0 via inet6 fd00:1::fd"])
    func `no IPv4 route that is deleted in favour of another is missed`(hop: String) throws {
      let lab = try Lab()
      try expect(
        Self.far4, make: "route add 10.99.0.0/16 \(hop)", undo: "route del 10.99.0.0/16", in: lab)
    }

    @Test(arguments: ["blackhole", "unreachable", "prohibit", "throw"])
    func `no end of a refusing IPv4 route is missed`(kind: String) throws {
      let lab = try Lab()
      // Behind the last one, no other table has a route.
      let undo = "route del \(kind) 10.99.0.0/16"
      try expect(Self.far4, make: "route add \(kind) 10.99.0.0/16", undo: undo, in: lab)
    }

    @Test func `no change of addresses or next hops is missed`() throws {
      let lab = try Lab(defaultRoutes: false)
      try expect(
        Self.far4, make: "addr add 10.99.0.2/16 dev v0", undo: "addr del 10.99.0.2/16 dev v0", in: lab)
      try lab.host.ip("nexthop add id 9 via 10.1.0.254 dev v0")
      try lab.host.ip("route add 10.99.0.0/16 nhid 9")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [Self.far4])
      recorder.wait("the initial event") { $0[Self.far4]?.last?.isReachable == true }
      try lab.host.ip("nexthop del id 9")
      recorder.wait("the end of the next hop") { $0[Self.far4]?.last == .notReachable(.noRoute) }
    }
  }
}
#endif
