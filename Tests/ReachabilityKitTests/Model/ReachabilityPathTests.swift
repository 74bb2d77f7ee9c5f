// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import ReachabilityKit
import Testing

@Suite(.deadline) struct ReachabilityPathTests {
  private let wifi = ReachabilityInterface(name: "wlan0", index: 3, kind: .wifi)
  private let tunnel = ReachabilityInterface(name: "wg0", index: 5, kind: .other, isTunnel: true)

  @Test func `a path without interfaces describes itself in one line`() {
    let path = ReachabilityPath(
      .unsatisfied, reason: .noCarrier, unusableInterfaces: [.init(wifi, reason: .noCarrier)],
      reasonAgainstIPv4: .noCarrier, reasonAgainstIPv6: .noRoute)
    #expect("\(path)" == "unsatisfied: no carrier, wlan0 (wifi) no carrier")
    #expect(
      "\(ReachabilityPath(.requiresConnection, reason: .linkDormant, reasonAgainstIPv4: .linkDormant, reasonAgainstIPv6: .noRoute))"
        == "requires connection: link dormant")
  }

  @Test func `a path describes its interfaces and their capabilities in one line`() {
    let path = ReachabilityPath(
      .satisfied, interfaces: [.init(wifi, gateways: ["10.3.0.254", "fe80::fe"]), .init(tunnel)],
      nameServers: [.init("10.3.0.53")], isExpensive: true, isConstrained: true)
    #expect(
      "\(path)"
        == "satisfied wlan0 (wifi) via 10.3.0.254 fe80::fe, wg0 (tunnel), ipv4, ipv6, dns, expensive, constrained"
    )
  }

  @Test func `a gateway of two interfaces is listed once`() {
    let path = ReachabilityPath(
      .satisfied,
      interfaces: [.init(wifi, gateways: ["fe80::1", "10.3.0.254"]), .init(tunnel, gateways: ["fe80::1"])])
    #expect(path.gateways == ["fe80::1", "10.3.0.254"])
  }

  @Test func `a path uses the kinds of its preferred interface and of the links below it`() {
    let below = ReachabilityPath.Interface(tunnel, lower: [wifi])
    let ethernet = ReachabilityPath.Interface(ReachabilityInterface(name: "eth0", index: 2, kind: .wired))
    let path = ReachabilityPath(.satisfied, interfaces: [below, ethernet])
    let used = ReachabilityInterface.Kind.allCases.filter(path.usesInterfaceKind)
    #expect(used == [.wifi, .other])
    let dead = ReachabilityPath(.unsatisfied, reason: .noCarrier, interfaces: [ethernet])
    #expect(!dead.usesInterfaceKind(.wired))
  }

  @Test(
    arguments: [
      (.none, [.wired, .wifi, .cellular, .bluetooth, .other]), (.requiring(.wifi), [.wifi]),
      (.requiring(.loopback), [.loopback]), (.prohibiting(.wifi, .other), [.wired, .cellular, .bluetooth]),
      (.init(requiredKind: .wifi, prohibitedKinds: [.wifi]), []),
      (.init(requiredKind: .wifi, prohibitedKinds: [.wired]), [.wifi]),
    ] as [(ReachabilityPath.Requirements, [ReachabilityInterface.Kind])])
  func `the loopback interface is used only if it is required`(
    requirements: ReachabilityPath.Requirements, kinds: [ReachabilityInterface.Kind]
  ) {
    #expect(ReachabilityInterface.Kind.allCases.filter(requirements.allows) == kinds)
  }

  @Test func `a name server describes itself with its zone`() {
    #expect("\(ReachabilityPath.NameServer("fe80::53", zone: .name("eth0")))" == "fe80::53%eth0")
    #expect("\(ReachabilityPath.NameServer("10.1.0.53"))" == "10.1.0.53")
  }
}
