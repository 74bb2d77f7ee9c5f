// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import Testing

@Suite(.deadline) struct ReachabilityStatusTests {
  @Test func `the code of an error and the kind of a step are found by their names`() {
    typealias Code = ReachabilityMonitorError.Code
    #expect(Code.allCases.map { Code(rawValue: $0.rawValue) } == Code.allCases)
    #expect(Code(rawValue: "other") == nil)
    typealias Kind = ReachabilityExplanation.Step.Kind
    #expect(Kind.allCases.map { Kind(rawValue: $0.description) } == Kind.allCases)
    #expect(Kind(rawValue: "other") == nil)
  }

  @Test func `the path of a namespace is shown unless it is a URL`() {
    #expect(ReachabilityNamespace.path("/run/netns/a").description == "network namespace '/run/netns/a'")
    #expect(!ReachabilityNamespace.path("http://me:secret@a").description.contains("secret"))
  }

  private static let eth0 = ReachabilityInterface(name: "eth0", index: 2, kind: .wired)
  private static let wg0 = ReachabilityInterface(name: "wg0", index: 5, kind: .other, isTunnel: true)

  @Test(
    arguments: [
      (.unknown(.resolving), "unknown: resolving its name"),
      (.unknown(.systemError), "unknown: the system could not be queried"),
      (.notReachable(.noRoute), "not reachable: no route"),
      (.notReachable(.noCarrier, over: eth0), "not reachable: no carrier, eth0 (wired)"),
      (ReachabilityStatus(.reachable), "reachable"),
      (
        ReachabilityStatus(
          .reachable, flags: .reachable, interface: eth0, gateway: "10.1.0.254", source: "10.1.0.1"),
        "reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1"
      ),
      (
        ReachabilityStatus(.reachable, interface: wg0, source: "fd00::1"),
        "reachable wg0 (tunnel) from fd00::1"
      ),
    ] as [(ReachabilityStatus, String)])
  func `a status describes itself in one line`(status: ReachabilityStatus, text: String) {
    #expect(status.description == text)
  }

  @Test func `each reason has a name and a description`() {
    let texts = Dictionary(
      uniqueKeysWithValues: ReachabilityStatus.Reason.allCases.map { ($0.rawValue, $0.description) })
    #expect(
      texts == [
        "noRoute": "no route",
        "unreachableRoute": "a route says unreachable",
        "blackhole": "a route or rule discards packets",
        "prohibited": "a route or rule prohibits it",
        "interfaceDown": "interface down",
        "noCarrier": "no carrier",
        "linkDormant": "link dormant",
        "sourceAddressMissing": "no local address to send from",
        "interfaceNotFound": "no such interface",
        "zoneMissing": "a link-local address needs a zone",
        "notUnicast": "TCP cannot connect to a multicast or broadcast address",
        "encapsulated": "the route of the encapsulated packets is not known",
        "tunnelLoop": "the tunnel's own packets are routed into it",
        "blockedByIPsec": "an IPsec policy blocks it",
        "nameNotFound": "no such name", "noAddressRecords": "the name has no address",
        "nameServerNotConfigured": "no name server is configured",
        "nameServerUnreachable": "no name server can be reached",
        "nameServerFailed": "the name server refused or failed",
        "nameResolutionTimedOut": "no name server answered in time",
        "namesNotResolved": "names are not resolved in this network namespace",
        "resolving": "resolving its name",
        "systemError": "the system could not be queried",
      ])
  }

  @Test(arguments: ReachabilityStatus.Reason.allCases)
  func `unknown and not reachable differ for every reason`(reason: ReachabilityStatus.Reason) {
    let unknown = ReachabilityStatus.unknown(reason)
    let notReachable = ReachabilityStatus.notReachable(reason)
    #expect(unknown != notReachable)
    #expect([unknown.state, notReachable.state] == [.unknown, .notReachable])
    #expect(!unknown.isReachable && !notReachable.isReachable)
    #expect(unknown.flags == [])
    #expect(notReachable.flags == (reason == .linkDormant ? [.reachable, .connectionRequired] : []))
    #expect(unknown.description == "unknown: \(reason)")
    #expect(notReachable.description == "not reachable: \(reason)")
  }

  @Test(
    arguments: [
      (ReachabilityInterface(name: "eth0", index: 2, kind: .wired), 0x6),
      (ReachabilityInterface(name: "wlan0", index: 3, kind: .wifi), 0x6),
      (ReachabilityInterface(name: "wwan0", index: 4, kind: .cellular), 0x40007),
      (ReachabilityInterface(name: "ppp0", index: 5, kind: .other, linkType: "ppp"), 0x7),
      (
        ReachabilityInterface(name: "wg0", index: 6, kind: .other, isTunnel: true, linkType: "wireguard"), 0x7
      ),
    ] as [(ReachabilityInterface, UInt32)])
  func `the flags of a dormant link describe its kind`(interface: ReachabilityInterface, flags: UInt32) {
    #expect(ReachabilityStatus.notReachable(.linkDormant, over: interface).flags.rawValue == flags)
    #expect(ReachabilityStatus.notReachable(.noCarrier, over: interface).flags == [])
  }

  @Test func `only a reachable status is reachable`() {
    #expect(
      ReachabilityStatus.State.allCases.map { ReachabilityStatus($0).isReachable } == [false, false, true])
    #expect(ReachabilityStatus.State.allCases.map(\.rawValue) == ["unknown", "notReachable", "reachable"])
  }

  @Test func `statuses that differ in any field are unequal`() {
    let wifi = ReachabilityInterface(name: "wlan0", index: 3, kind: .wifi)
    let status = ReachabilityStatus(
      .reachable, flags: .reachable, interface: Self.eth0, gateway: "10.1.0.254", source: "10.1.0.1")
    let changes: [(inout ReachabilityStatus) -> Void] = [
      { _ in }, { $0.state = .notReachable }, { $0.reason = .noRoute },
      { $0.flags = [.reachable, .isDirect] },
      { $0.interface = wifi }, { $0.gateway = "10.1.0.253" }, { $0.source = "10.1.0.2" },
    ]
    let statuses = changes.map { change in
      var changed = status
      change(&changed)
      return changed
    }
    #expect(Set(statuses).count == changes.count)
    #expect(statuses[0] == status)
  }

  @Test(
    arguments: [
      (ReachabilityInterface.Kind.wired, false, "x0 (wired)"), (.wifi, false, "x0 (wifi)"),
      (.cellular, false, "x0 (cellular)"), (.bluetooth, false, "x0 (bluetooth)"),
      (.loopback, false, "x0 (loopback)"), (.other, false, "x0 (other)"), (.other, true, "x0 (tunnel)"),
      (.wired, true, "x0 (wired tunnel)"),
    ])
  func `an interface describes itself by name and kind`(
    kind: ReachabilityInterface.Kind, isTunnel: Bool, text: String
  ) {
    #expect(ReachabilityInterface(name: "x0", index: 1, kind: kind, isTunnel: isTunnel).description == text)
  }

  @Test(
    arguments: [
      (.wired, false, nil, "x0 (wired)"), (.wired, false, "veth", "x0 (wired)"),
      (.wired, false, "bridge", "x0 (wired bridge)"), (.wifi, false, "bridge", "x0 (wifi bridge)"),
      (.wifi, false, "virt_wifi", "x0 (wifi)"), (.cellular, false, "wwan", "x0 (cellular)"),
      (.cellular, false, "vlan", "x0 (cellular vlan)"), (.other, false, "ppp", "x0 (ppp)"),
      (.other, true, "wireguard", "x0 (wireguard tunnel)"), (.other, true, "veth", "x0 (tunnel)"),
      (.other, false, "veth", "x0 (other)"),
    ] as [(ReachabilityInterface.Kind, Bool, String?, String)])
  func `an interface includes its link type unless that is obvious`(
    kind: ReachabilityInterface.Kind, isTunnel: Bool, linkType: String?, text: String
  ) {
    let interface = ReachabilityInterface(
      name: "x0", index: 1, kind: kind, isTunnel: isTunnel, linkType: linkType)
    #expect(interface.description == text)
  }

  @Test func `an event without a previous status is the initial one`() {
    let event = ReachabilityEvent(target: .defaultRoute, status: .notReachable(.noRoute))
    #expect(event.isInitial)
    var change = event
    change.previous = .unknown(.systemError)
    #expect(!change.isInitial)
    #expect(
      change
        == ReachabilityEvent(
          target: .defaultRoute, status: .notReachable(.noRoute), previous: .unknown(.systemError)))
  }

  @Test func `a monitor's error describes what failed`() {
    let error = ReachabilityMonitorError(.systemUnavailable, errorNumber: 24, description: "no descriptors")
    #expect(error.code == .systemUnavailable)
    #expect(error.errorNumber == 24)
    #expect("\(error)" == "no descriptors")
    #expect(ReachabilityMonitorError.Code.systemUnavailable.rawValue == "systemUnavailable")
    #expect(ReachabilityMonitorError.Code.timedOut.rawValue == "timedOut")
  }
}
