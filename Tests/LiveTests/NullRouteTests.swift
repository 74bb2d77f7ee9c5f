// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Routes over the loopback interface: IPv6 discards packets, IPv4 delivers them.
  @Suite("Routes over the loopback interface")
  struct NullRouteTests {
    /// Sends datagrams to addresses, each with the number of its place, and returns the numbers that arrived.
    private func arrivals(_ lab: Lab, _ addresses: [ReachabilityAddress]) throws -> [UInt64] {
      let inbox = try PacketTap(port: 9, in: lab.host)
      try lab.host.run {
        for (number, address) in addresses.enumerated() {
          _ = ProbePackets.send(
            1, SocketPlan(to: address.octets), number: UInt64(number), isConnected: true)
        }
      }
      var numbers: [UInt64] = []
      while let arrival = inbox.next() { numbers.append(arrival.number) }
      return numbers
    }

    /// Executes the command at the end of an advice.
    private func execute(_ advice: String?, _ lab: Lab) throws {
      let text = try #require(advice)
      let start = try #require(text.range(of: ": ip "))
      try lab.host.ip(String(text[start.upperBound...].dropLast()))
    }

    @Test(arguments: [("fd05::/48", "", "main"), ("fd05::/48", "table 100", "100"), ("fd05::1", "", "main")])
    func `an IPv6 route over the loopback interface discards packets`(
      _ prefix: String, _ table: String, _ name: String
    ) throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      if !table.isEmpty { try lab.host.ip("-6 rule add pref 100 lookup 100") }
      let targets = try ["fd05::1", "tcp://[fd05::1]:80", "udp://[fd05::1]:80"].map {
        try ReachabilityTarget($0)
      }
      let recorder = Recorder(monitor, targets)
      recorder.wait("the first statuses") { seen in targets.allSatisfy { seen[$0]?.last?.isReachable == true }
      }

      try lab.host.ip("-6 route add \(prefix) dev lo \(table)")
      try lab.host.ip("route add 10.5.0.0/16 dev lo")
      // The last one would arrive last.
      #expect(try arrivals(lab, ["fd05::1", "10.5.0.1"]) == [1])
      let lo = try lab.interface("lo", kind: .loopback, linkType: nil)
      for target in targets {
        #expect(monitor.currentStatus(of: target) == .notReachable(.blackhole, over: lo), "\(target)")
      }
      #expect(monitor.currentStatus(of: .address("10.5.0.1")).isReachable)
      recorder.wait("the loss") { seen in targets.allSatisfy { seen[$0]?.last?.reason == .blackhole } }

      let explanation = monitor.currentExplanation(of: targets[0])
      let text = prefix.contains("/") ? prefix : "\(prefix)/128"
      #expect(
        explanation.firstFailure?.problem
          == "The route '\(text) dev lo' silently discards packets to fd05::1.")
      #expect(explanation.firstFailure?.advice?.hasSuffix("route del \(text) dev lo table \(name).") == true)
      try execute(explanation.firstFailure?.advice, lab)
      #expect(monitor.currentStatus(of: targets[0]).isReachable)
      #expect(monitor.currentExplanation(of: targets[0]).firstFailure == nil)
      recorder.wait("the repair") { seen in targets.allSatisfy { seen[$0]?.last?.isReachable == true } }
      #expect(recorder.problems == [])
    }

    @Test func `an IPv6 default route over the loopback interface is none`() throws {
      let lab = try Lab()
      try lab.host.ip("-6 route del default")
      try lab.host.ip("-6 route add default dev lo")
      let monitor = try lab.makeMonitor()
      let target = ReachabilityTarget(.defaultRoute, source: "fd00:1::1")
      #expect(monitor.currentStatus(of: target).reason == .blackhole)
      #expect(monitor.path.reasonAgainstIPv6 == .blackhole)
      let advice = monitor.currentExplanation(of: target).firstFailure?.advice
      #expect(advice?.hasSuffix(": ip -6 route del default dev lo table main.") == true)
      try execute(advice, lab)
      #expect(monitor.currentStatus(of: target).reason == .noRoute)
    }

    @Test func `the rest of an IPv6 prefix on the loopback interface is not reachable`() throws {
      let lab = try Lab()
      try lab.host.ip("addr add fd33::1/64 dev lo nodad")
      lab.waitForLocalRoute("fd33::1")
      let monitor = try lab.makeMonitor()
      #expect(try arrivals(lab, ["fd33::7", "fd33::1", "::1"]) == [1, 2])
      #expect(monitor.currentStatus(of: .address("fd33::1")).isReachable)
      #expect(monitor.currentStatus(of: .address("::1")).isReachable)
      #expect(monitor.currentStatus(of: .address("fd33::7")).reason == .blackhole)
    }

    /// The kernel removes the other routes of such a link.
    @Test(arguments: [
      ("sysctl -w net/ipv6/conf/v0/disable_ipv6=1", "IPv6 is disabled on v0"),
      ("ip link set v0 mtu 1000", "The MTU of v0 is 1000, and IPv6 needs 1280"),
    ])
    func `a route of a next-hop object over a link without IPv6 discards packets`(
      _ command: String, _ cause: String
    ) throws {
      let lab = try Lab()
      // An address on another link, so that packets have a source.
      try lab.host.ip("link add v7 type veth peer name p7")
      try lab.host.ip("link set v7 up")
      try lab.host.ip("addr add fd07::1/64 dev v7 nodad")
      try lab.host.ip("nexthop add id 7 via fe80::7 dev v0")
      try lab.host.ip("-6 route add fd09::/16 nhid 7")
      let target = ReachabilityTarget.address("fd09::1")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [target])
      recorder.wait("the first status") { $0[target]?.last?.isReachable == true }
      try lab.host.sh(command)
      let lost = ReachabilityStatus.notReachable(.blackhole, over: try lab.interface("v0"))
      recorder.wait("the loss") { $0[target]?.last == lost }
      #expect(monitor.currentStatus(of: target) == lost)
      #expect(try lab.host.run { try ReachabilityMonitor() }.currentStatus(of: target) == lost)
      let failure = monitor.currentExplanation(of: target).firstFailure
      #expect(failure?.problem == "\(cause): the kernel silently discards packets to fd09::1.")
      let repair = try #require(failure?.advice?.split(separator: ": ", maxSplits: 1).last).dropLast()
      try lab.host.sh(String(repair))
      recorder.wait("the repair") { $0[target]?.last?.isReachable == true }
      #expect(monitor.currentStatus(of: target).isReachable)
      #expect(recorder.problems == [])
    }

    /// The kernel keeps such routes, but has no IPv6 neighbours there.
    @Test func `an IPv6 gateway over a link without IPv6 takes no IPv4 packets`() throws {
      let lab = try Lab()
      try lab.peer.ip("link set p0 up")
      try lab.host.ip("route add 10.99.0.0/16 via inet6 fe80::99 dev v0")
      let (address, target) = ("10.99.0.1" as ReachabilityAddress, ReachabilityTarget.address("10.99.0.1"))
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [target])
      func expect(_ isReachable: Bool) throws {
        recorder.wait("\(isReachable)") { $0[target]?.last?.isReachable == isReachable }
        #expect(monitor.currentStatus(of: target).isReachable == isReachable)
        // The entry goes with IPv6.
        try? lab.fixNeighbour("fe80::99", on: "v0", far: "p0")
        let received = try #require(try lab.deliver(3, to: address, countedAt: ["p0"]).first)
        #expect((received >= 3) == isReachable, "\(received)")
      }
      try expect(true)
      let lost = ReachabilityStatus.notReachable(.blackhole, over: try lab.interface("v0"))
      for (command, cause) in [
        ("sysctl -w net/ipv6/conf/v0/disable_ipv6=1", "IPv6 is disabled on v0"),
        ("ip link set v0 mtu 1000", "The MTU of v0 is 1000, and IPv6 needs 1280"),
      ] {
        try lab.host.sh(command)
        try expect(false)
        #expect(monitor.currentStatus(of: target) == lost)
        #expect(
          monitor.currentExplanation(of: target).firstFailure?.problem
            == "\(cause): packets to 10.99.0.1 cannot leave by an IPv6 gateway.")
      }
      // Without the link's settings, IPv6 begins as in new links.
      let advice = monitor.currentExplanation(of: target).firstFailure?.advice
      try lab.host.sh(String(try #require(advice?.split(separator: ": ", maxSplits: 1).last).dropLast()))
      try expect(true)
      #expect(recorder.problems == [])
    }

    @Test func `a tunnel takes IPv4 packets to an IPv6 gateway even if IPv6 is disabled`() throws {
      let lab = try Lab()
      guard let tunnel = try lab.host.openTunnel("t7") else { return }
      defer { tunnel.close() }
      try lab.host.ip("link set t7 up")
      try lab.host.ip("addr add 10.7.0.1/24 dev t7")
      try lab.host.ip("route add 10.99.0.0/16 via inet6 fe80::99 dev t7")
      let target = ReachabilityTarget.address("10.99.0.1")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [target])
      let tap = PacketTap(behind: tunnel)
      let plan = SocketPlan(to: [10, 99, 0, 1])
      // Nothing announces that IPv6 is there again.
      try lab.host.writeSysctl("net/ipv6/conf/default/disable_ipv6", "1")
      for (command, isReachable) in [
        ("sysctl -w net/ipv6/conf/t7/disable_ipv6=1", true), ("ip link set t7 mtu 1279", false),
        ("ip link set t7 mtu 1280", true), ("sysctl -w net/ipv6/conf/t7/disable_ipv6=0", true),
      ] {
        try lab.host.sh(command)
        recorder.wait(command) { $0[target]?.last?.isReachable == isReachable }
        #expect(monitor.currentStatus(of: target).isReachable == isReachable)
        let sent = try lab.host.run { ProbePackets.send(1, plan, number: 7, isConnected: false) }
        #expect(sent == (isReachable ? 1 : 0), "\(command)")
        #expect((tap.next(within: isReachable ? 5000 : 0) != nil) == isReachable, "\(command)")
      }
      #expect(recorder.problems == [])
    }
  }
}
#endif
