// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Routes with several next hops, some of them dead.
  ///
  /// Packets that arrive at the far ends decide what is correct.
  @Suite("Multipath routes")
  struct MultipathTests {
    /// Creates a lab where `v0` and `w0` have one gateway each; the far ends are `p0` and `q0`.
    private func makeLab() throws -> Lab {
      let lab = try Lab(defaultRoutes: false)
      try lab.addUplink()
      try lab.host.ip("route add 10.9.0.0/16 nexthop via 10.1.0.254 nexthop via 10.2.0.254")
      try lab.host.ip("-6 route add fd00:9::/32 nexthop via fd00:1::fe nexthop via fd00:2::fe")
      return lab
    }

    private func unplug(_ lab: Lab) throws {
      try lab.peer.ip("link set p0 down")
      for _ in 0..<2000 {
        if try lab.host.ip("-o link show v0").contains("NO-CARRIER") { return }
      }
      Issue.record("v0 kept its carrier")
    }

    private static let count = 20

    @Test func `the status names the next hop of an IPv4 socket, dead or not`() throws {
      let lab = try makeLab()
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      for isUnplugged in [false, true] {
        if isUnplugged { try unplug(lab) }
        var reached: [String: Int] = [:]
        for last in 1...24 {
          let destination = try #require(ReachabilityAddress("10.9.0.\(last)"))
          let status = monitor.currentStatus(of: .address(destination))
          let arrived = try lab.deliver(Self.count, to: destination, countedAt: ["p0", "q0"])
          let link = arrived[0] >= Self.count ? "v0" : arrived[1] >= Self.count ? "w0" : nil
          reached[link ?? "nowhere", default: 0] += 1
          if let link {
            #expect(status.isReachable && status.interface?.name == link, "\(destination): \(status)")
          } else {
            #expect(status == .notReachable(.noCarrier, over: v0), "\(destination)")
          }
        }
        // Otherwise the test proves nothing.
        #expect(reached.keys.sorted() == (isUnplugged ? ["nowhere", "w0"] : ["v0", "w0"]))
      }
    }

    @Test func `a route hashed by ports needs one live next hop`() throws {
      let lab = try makeLab()
      try lab.host.writeSysctl("net/ipv4/fib_multipath_hash_policy", "1")
      try unplug(lab)
      let monitor = try lab.makeMonitor()
      for last in 1...16 {
        let destination = try #require(ReachabilityAddress("10.9.0.\(last)"))
        let status = monitor.currentStatus(of: .address(destination))
        #expect(status.isReachable && status.gateway == "10.2.0.254", "\(destination): \(status)")
        // Some of many connections arrive.
        let isArriving = try (0..<40).contains { _ in
          try lab.deliver(Self.count, to: destination, countedAt: ["q0"])[0] >= Self.count
        }
        #expect(isArriving)
      }
    }

    @Test(arguments: ["ipv4", "ipv6"])
    func `observers receive another hash policy with the next refresh`(_ family: String) throws {
      let lab = try makeLab()
      try unplug(lab)
      let monitor = try lab.makeMonitor()
      let prefix = family == "ipv4" ? "10.9.0." : "fd00:9::"
      let targets = try (1...16).map { try ReachabilityTarget("\(prefix)\($0)") }
      let target = try #require(targets.first { monitor.currentStatus(of: $0).reason == .noCarrier })
      let recorder = Recorder(monitor, [target])
      recorder.wait("the first status") { $0[target]?.last?.reason == .noCarrier }
      try lab.host.writeSysctl("net/\(family)/fib_multipath_hash_policy", "1")
      // Ports take part now, so some connections arrive.
      #expect(monitor.currentStatus(of: target).interface?.name == "w0")
      monitor.refresh()
      recorder.wait("the new policy") { $0[target]?.last?.interface?.name == "w0" }
      try lab.host.writeSysctl("net/\(family)/fib_multipath_hash_policy", "0")
      monitor.refresh()
      recorder.wait("the old policy") { $0[target]?.last?.reason == .noCarrier }
      #expect(recorder.problems == [])
    }

    @Test func `an IPv6 destination is reachable if its protocol takes a live next hop`() throws {
      let lab = try makeLab()
      try unplug(lab)
      let monitor = try lab.makeMonitor()
      var lost = 0
      for last in 1...48 {
        let destination = try #require(ReachabilityAddress("fd00:9::\(last)"))
        let status = monitor.currentStatus(of: .address(destination))
        let isUDP = try lab.deliver(Self.count, to: destination, countedAt: ["q0"])[0] >= Self.count
        let isTCP = try lab.host.ip("-6 route get \(destination) ipproto 6").contains("dev w0")
        #expect(status.isReachable == isTCP, "\(destination): \(status)")
        let datagrams = ReachabilityTarget(.address(destination), transport: .udp)
        #expect(monitor.currentStatus(of: datagrams).isReachable == isUDP, "\(datagrams)")
        if status.isReachable { #expect(status.interface?.name == "w0") } else { lost += 1 }
      }
      #expect(lost > 0)
    }

    @Test(arguments: [[1], [1, 2]])
    func `a default route is one whichever route with its next hops the kernel names`(hops: [Int]) throws {
      let lab = try Lab(defaultRoutes: false)
      try lab.addUplink()
      try lab.host.ip("nexthop add id 1 via fd00:1::fe dev v0")
      try lab.host.ip("nexthop add id 2 via fd00:2::fe dev w0")
      try lab.host.ip("nexthop add id 3 group \(hops.map(String.init).joined(separator: "/"))")
      try lab.host.ip("-6 route add default nhid 3")
      try lab.host.ip("-6 route add 2001:db8:1::/48 nhid 3")
      let monitor = try lab.makeMonitor()
      let candidates = ["2000::", "100::1", "3000::1"]
      let others = (1...32).map { "2001:db8:1::\($0)" }
      try lab.cacheRoutes(to: candidates)
      #expect(try lab.host.ip("-6 route get fibmatch 2000::").hasPrefix("default"))
      let targets = [.defaultRoute, ReachabilityTarget(.defaultRoute, interface: .name("v0"))]
      let (statuses, path) = (targets.map(monitor.currentStatus), monitor.path)
      #expect(statuses[0].isReachable)
      try lab.cacheRoutes(to: others)
      guard try !lab.host.ip("-6 route get fibmatch 2000::").hasPrefix("default") else {
        print("skipped: this kernel names the matching route")
        return
      }
      #expect(targets.map(monitor.currentStatus) == statuses)
      #expect(monitor.path == path)
      // Without the default route, the others are none.
      try lab.host.ip("-6 route del default")
      try lab.cacheRoutes(to: others)
      #expect(monitor.currentStatus(of: .defaultRoute) == .notReachable(.noRoute))
    }

    @Test func `observers receive a moved bucket of a resilient group`() throws {
      let lab = try makeLab()
      try lab.host.ip("nexthop add id 1 via 10.1.0.254 dev v0")
      try lab.host.ip("nexthop add id 2 via 10.2.0.254 dev w0")
      let group = "type resilient buckets 8 idle_timer 1 unbalanced_timer 0"
      guard try lab.host.shell("ip nexthop add id 10 group 1/2 \(group)").status == 0 else {
        print("skipped: this kernel has no resilient groups")
        return
      }
      try lab.host.ip("route add 10.8.0.0/16 nhid 10")
      let monitor = try lab.makeMonitor()
      let targets = try (1...16).map {
        ReachabilityTarget.address(try #require(ReachabilityAddress("10.8.0.\($0)")))
      }
      let recorder = Recorder(monitor, targets)
      @Sendable func isOver(_ link: String, _ status: ReachabilityStatus?) -> Bool {
        status?.interface?.name == link
      }
      recorder.wait("both next hops in use") { seen in
        ["v0", "w0"].allSatisfy { link in targets.contains { isOver(link, seen[$0]?.last) } }
      }
      // Seven of the eight buckets move to the first next hop once they are idle, without another announcement.
      try lab.host.ip("nexthop replace id 10 group 1,7/2,1 \(group)")
      recorder.wait("the move of buckets") { seen in
        targets.contains { target in
          seen[target].map { isOver("w0", $0.first) && isOver("v0", $0.last) } ?? false
        }
      }
      #expect(recorder.problems == [])
    }

    @Test func `observers receive the loss of their destination's next hop`() throws {
      let lab = try makeLab()
      let v0 = try lab.interface("v0")
      let w0 = try lab.interface("w0")
      let monitor = try lab.makeMonitor()
      let targets = try (1...16).map {
        ReachabilityTarget.address(try #require(ReachabilityAddress("10.9.0.\($0)")))
      }
      let before = targets.map { monitor.currentStatus(of: $0) }
      let recorder = Recorder(monitor, targets)
      recorder.wait("the first statuses") { seen in targets.allSatisfy { seen[$0]?.count == 1 } }
      try unplug(lab)
      recorder.wait("the loss") { seen in
        zip(targets, before).allSatisfy { target, status in
          status.interface == w0
            ? seen[target] == [status] : seen[target] == [status, .notReachable(.noCarrier, over: v0)]
        }
      }
      #expect(recorder.problems == [])
    }
  }
}
#endif
