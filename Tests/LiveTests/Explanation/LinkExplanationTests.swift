// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveExplanationTests {
  /// The first failed step of explanations whose cause is an interface or its addresses.
  @Suite("Explanations of interfaces and addresses")
  struct LinkExplanationTests {
    @Test func `a machine that has only the loopback interface has no interface`() throws {
      let lab = try Lab(.ipv4Only, defaultRoutes: false)
      try lab.host.ip("link del v0")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(
        .defaultRoute, failsAt: .interface, "no interface but the loopback interface", reason: .noRoute)
      all.expect(
        ReachabilityTarget(.address("10.9.0.1"), interface: .name("v0")), failsAt: .interface,
        "there is no interface v0", reason: .interfaceNotFound)
    }

    @Test func `an interface that is administratively down is the failure`() throws {
      let lab = try Lab()
      try lab.host.ip("link set v0 down")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let fact = "v0 (wired): administratively down"
      all.expect(.address("10.1.0.7"), failsAt: .interface, fact, reason: .interfaceDown)
      all.expect(.defaultRoute, failsAt: .interface, fact, reason: .noRoute)
      let advice = all.explain(.defaultRoute).firstFailure?.advice
      #expect(advice == "Switch it on: ip link set dev v0 up.")
    }

    @Test func `an interface without a carrier is the failure, with any route`() throws {
      let lab = try Lab()
      try lab.peer.ip("link set p0 down")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      try all.wait(until: "-o link show v0", says: "NO-CARRIER")
      let fact = "v0 (wired): up, but without a carrier"
      for target in [.defaultRoute, .address("10.1.0.7"), .address("10.9.0.1"), .address("fd00:9::1")]
        as [ReachabilityTarget]
      {
        all.expect(target, failsAt: .interface, fact, reason: .noCarrier)
      }
      // The route itself is there.
      #expect(all.step(.route, of: .address("10.9.0.1"))?.verdict == .passed)
    }

    @Test func `a dormant interface is the failure`() throws {
      let lab = try Lab(.ipv4Only)
      try lab.host.ip("link set v0 mode dormant")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      try lab.peer.ip("link set p0 down")
      try all.wait(until: "-o link show v0", says: "NO-CARRIER")
      try lab.peer.ip("link set p0 up")
      try all.wait(until: "-o link show v0", says: "state DORMANT")
      all.expect(
        .address("10.9.0.1"), failsAt: .interface, "v0 (wired): up, but dormant", reason: .linkDormant)
    }

    @Test func `an interface without an address is the failure`() throws {
      let lab = try Lab(.ipv4Only, defaultRoutes: false)
      try lab.host.ip("addr flush dev v0")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(.address("10.9.0.1"), failsAt: .addresses, "no IPv4 address on v0", reason: .noRoute)
      try lab.host.ip("route add default dev v0")
      all.expect(
        .address("10.9.0.1"), failsAt: .addresses, "no IPv4 address on v0", reason: .sourceAddressMissing)
    }

    @Test func `an interface with only link-local addresses is the failure`() throws {
      let lab = try Lab(defaultRoutes: false)
      try lab.host.ip("addr flush dev v0 scope global")
      try lab.host.ip("addr add 169.254.7.7/16 dev v0")
      try lab.host.ip("addr add fe80::77/64 dev v0 nodad")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let ipv4 = all.explain(.address("10.9.0.1")).firstFailure
      #expect(ipv4?.kind == .addresses)
      #expect(ipv4?.fact == "v0 has 169.254.7.7/16")
      #expect(ipv4?.problem?.hasPrefix("There are only link-local IPv4 addresses on v0") == true)
      let ipv6 = all.explain(.address("fd00:9::1")).firstFailure
      #expect(ipv6?.kind == .addresses)
      #expect(ipv6?.problem?.hasPrefix("There are only link-local IPv6 addresses on v0") == true)

      // With a route, packets leave, but answers hardly arrive.
      try lab.host.ip("-6 route add default via fe80::1 dev v0")
      let suspicious = all.step(.addresses, of: .address("fd00:9::1"))
      #expect(suspicious?.verdict == .unknown)
      #expect(suspicious?.problem == ipv6?.problem)
    }

    @Test func `an interface without IPv6 is the failure`() throws {
      let lab = try Lab(defaultRoutes: false)
      try lab.host.writeSysctl("net/ipv6/conf/v0/disable_ipv6", "1")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let failure = all.explain(.address("fd00:9::1")).firstFailure
      #expect(
        failure?.kind == .addresses && failure?.fact == "no IPv6 on v0", "\(String(describing: failure))")
      #expect(failure?.problem == "IPv6 is disabled on v0.")
      #expect(failure?.advice == "Enable it: sysctl -w net/ipv6/conf/v0/disable_ipv6=0.")
    }

    @Test func `a tentative address is the failure`() throws {
      let lab = try Lab(.ipv4Only, defaultRoutes: false)
      try lab.host.writeSysctl("net/ipv6/conf/v0/accept_dad", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v0/dad_transmits", "100")
      try lab.host.writeSysctl("net/ipv6/conf/v0/addr_gen_mode", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v0/disable_ipv6", "0")
      try lab.host.writeSysctl("net/ipv6/conf/lo/disable_ipv6", "1")
      try lab.host.ip("-6 addr add fd00:1::77/64 dev v0")
      try lab.host.ip("-6 route add default dev v0")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(
        .address("fd00:9::1"), failsAt: .addresses,
        "v0 has fd00:1::77/64 (tentative: duplicate address detection is running)",
        reason: .sourceAddressMissing)
      // The same for a required source.
      let bound = all.explain(ReachabilityTarget(.address("fd00:9::1"), source: "fd00:1::77"))
      #expect(bound.firstFailure?.kind == .source)
      #expect(
        bound.firstFailure?.problem
          == "fd00:1::77 is tentative: it cannot be used until duplicate address detection ends.")
    }

    @Test func `a duplicate address is the failure`() throws {
      let lab = try Lab(.ipv4Only, defaultRoutes: false)
      try lab.host.writeSysctl("net/ipv6/conf/v0/accept_dad", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v0/addr_gen_mode", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v0/disable_ipv6", "0")
      try lab.host.writeSysctl("net/ipv6/conf/lo/disable_ipv6", "1")
      try lab.peer.ip("-6 addr add fd00:1::77/64 dev p0 nodad")
      try lab.host.ip("-6 addr add fd00:1::77/64 dev v0")
      try lab.host.ip("-6 route add default dev v0")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      try all.wait(until: "-6 -o addr show dev v0", says: "dadfailed")
      all.expect(
        .address("fd00:9::1"), failsAt: .addresses, "v0 has fd00:1::77/64 (another machine has it too)",
        reason: .sourceAddressMissing)
    }

    @Test func `a source that is not assigned is the failure`() throws {
      let all = try ExplanationLab(try Lab())
      defer { all.cleanUp() }
      all.expect(
        ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.99"), failsAt: .source,
        "no interface has 10.1.0.99",
        reason: .sourceAddressMissing)
    }

    @Test func `a link-local address without a zone is the failure`() throws {
      let all = try ExplanationLab(try Lab())
      defer { all.cleanUp() }
      all.expect(
        .address("fe80::7"), failsAt: .interface, "a link-local address without an interface",
        reason: .zoneMissing)
    }
  }
}
#endif
