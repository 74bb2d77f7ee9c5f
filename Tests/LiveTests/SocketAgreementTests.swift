// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Where a connecting socket does more than one lookup, the status combines the results of all of them.
  @Suite("Sockets that look up more than once")
  struct SocketAgreementTests {
    /// Returns the source of a socket that is connected to a target, or `nil` if the kernel refuses.
    private func source(_ lab: Lab, _ target: ReachabilityTarget) throws -> ReachabilityAddress? {
      guard case .address(let address) = target.destination else { return nil }
      let connection = try lab.host.run {
        Connection(
          to: address.octets, from: target.source?.octets, over: 0, mark: target.mark ?? 0)
      }
      return connection.errorNumber == 0 ? ReachabilityAddress(octets: connection.source) : nil
    }

    @Test func `a rule for the chosen IPv4 source is followed`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      let far = ReachabilityTarget.address("8.8.8.8")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [far])
      let before = ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", v0)
      recorder.wait("the first status") { $0[far] == [before] }
      try lab.host.ip("route add default via 10.1.0.253 table 100")
      #expect(monitor.currentStatus(of: far) == before)

      try lab.host.ip("rule add from 10.1.0.1 lookup 100 pref 100")
      let after = ReachabilityStatus.via("10.1.0.253", from: "10.1.0.1", v0)
      #expect(monitor.currentStatus(of: far) == after)
      #expect(monitor.currentStatus(of: .defaultRoute) == after)
      recorder.wait("the other gateway") { $0[far] == [before, after] }

      try lab.host.ip("rule add from 10.1.0.0/24 to 8.8.8.8 prohibit pref 90")
      #expect(monitor.currentStatus(of: far) == .notReachable(.prohibited))
      #expect(try source(lab, far) == nil)
      recorder.wait("the prohibition") { $0[far] == [before, after, .notReachable(.prohibited)] }

      try lab.host.ip("rule del pref 90")
      try lab.host.ip("rule add not from 10.9.0.0/24 blackhole pref 80")
      #expect(monitor.currentStatus(of: far) == .notReachable(.blackhole))
      try lab.host.ip("rule del pref 80")
      try lab.host.ip("rule del pref 100")
      #expect(monitor.currentStatus(of: far) == before)
      #expect(recorder.problems == [])
    }

    @Test func `a local route outside of the local table has no source`() throws {
      let lab = try Lab()
      // The configuration of a transparent proxy.
      try lab.host.ip("rule add fwmark 1 lookup 100 pref 100")
      try lab.host.ip("route add local default dev lo table 100")
      let target = ReachabilityTarget(.address("8.8.8.8"), mark: 1)
      #expect(try source(lab, target) == nil)
      let monitor = try lab.makeMonitor()
      #expect(monitor.currentStatus(of: target) == .notReachable(.noRoute))
      // An address of this machine stays valid there.
      #expect(monitor.currentStatus(of: ReachabilityTarget(.address("10.1.0.1"), mark: 1)).isReachable)
    }

    @Test func `a route whose source address is gone is not usable`()
      throws
    {
      let lab = try Lab()
      try lab.host.ip("addr add 10.1.0.50/24 dev v0")
      try lab.host.ip("route add 8.8.8.8 via 10.1.0.253 src 10.1.0.50 table 100")
      try lab.host.ip("rule add lookup 100 pref 100")
      let target = ReachabilityTarget.address("8.8.8.8")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [target])
      let before = ReachabilityStatus.via("10.1.0.253", from: "10.1.0.50", try lab.interface("v0"))
      recorder.wait("the first status") { $0[target] == [before] }
      try lab.host.ip("addr del 10.1.0.50/24 dev v0")
      guard try lab.host.ip("route show table 100").contains("8.8.8.8") else {
        print("skipped: this kernel deletes the route with its source address")
        return
      }
      #expect(try source(lab, target) == nil)
      #expect(monitor.currentStatus(of: target) == .notReachable(.noRoute))
      recorder.wait("the loss") { $0[target] == [before, .notReachable(.noRoute)] }
    }

    @Test func `an IPv6 route that the kernel uses and cannot name is no missing one`() throws {
      let lab = try Lab()
      try lab.host.ip("-6 route del default")
      try lab.host.ip("-6 nexthop add id 11 via fd00:1::fe dev v0")
      try lab.host.ip("-6 route add 2001:db8:1::/48 nhid 11")
      try lab.host.ip("-6 route add 2001:db8:2::/48 nhid 11")
      try lab.cacheRoutes(to: ["2001:db8:2::1"])
      let target = ReachabilityTarget.address("2001:db8:1::1")
      let monitor = try lab.makeMonitor()
      let before = ReachabilityStatus.via("fd00:1::fe", from: "fd00:1::1", try lab.interface("v0"))
      #expect(monitor.currentStatus(of: target) == before)
      try lab.host.ip("-6 route del 2001:db8:2::/48")
      #expect(try source(lab, target) == "fd00:1::1")
      let isNamed = (try? lab.host.ip("-6 route get 2001:db8:1::1")) != nil
      #expect(monitor.currentStatus(of: target) == (isNamed ? before : .unknown(.systemError)))
      // A change of an address empties the caches, after the command has ended.
      try lab.host.ip("-6 addr add fd00:1::99/64 dev v0 nodad preferred_lft 0")
      let deadline = ContinuousClock.now + .seconds(20)
      while monitor.currentStatus(of: target) != before, ContinuousClock.now < deadline { sched_yield() }
      #expect(monitor.currentStatus(of: target) == before)
    }

    @Test func `an IPv6 route for some sources is followed`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      let far = ReachabilityTarget.address("2001:db8::1")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [far])
      let before = ReachabilityStatus.via("fd00:1::fe", from: "fd00:1::1", v0)
      recorder.wait("the first status") { $0[far] == [before] }
      try lab.host.ip("-6 route del default")
      recorder.wait("the loss") { $0[far] == [before, .notReachable(.noRoute)] }
      #expect(try source(lab, far) == nil)

      // The configuration of a router with a delegated prefix (RFC 8028).
      try lab.host.ip("-6 route add default from fd00:1::/64 via fd00:1::fd dev v0")
      #expect(try source(lab, far) == "fd00:1::1")
      let after = ReachabilityStatus.via("fd00:1::fd", from: "fd00:1::1", v0)
      #expect(monitor.currentStatus(of: far) == after)
      #expect(monitor.currentStatus(of: ReachabilityTarget(.defaultRoute, source: "fd00:1::1")) == after)
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("2001:db8::1"), interface: .name("v0")))
          == after)
      #expect(monitor.path.interfaces.first?.supportsIPv6 == true)
      recorder.wait("the route") { $0[far] == [before, .notReachable(.noRoute), after] }

      try lab.host.ip("-6 rule add from fd00:1::1 unreachable pref 10")
      #expect(try source(lab, far) == nil)
      #expect(!monitor.currentStatus(of: far).isReachable)
      #expect(recorder.problems == [])
    }
  }
}
#endif
