// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import Testing

/// The path and the statuses that follow from the system's path.
@Suite(.deadline) struct PathTests {
  @Test func `a satisfied path has its interfaces in order, with their routers`() {
    let linkLocal: [UInt8] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe]
    let path = Stage(
      path: .over(
        .wifi, .cellular, ipv6: true, isConstrained: true,
        gateways: [
          .router(linkLocal, on: .wifi), .router([192, 0, 2, 254]), .unix(path: "/none"),
          .hostPort(host: .name("router.example", nil), port: .any),
          .router([198, 51, 100, 1], on: .cellular),
        ])
    ).path
    var expected = ReachabilityPath(
      .satisfied,
      interfaces: [
        .init(
          .wifi, gateways: ["192.0.2.254", "fe80::fe"], supportsIPv4: true, supportsIPv6: true,
          isExpensive: false),
        .init(
          .cellular, gateways: ["198.51.100.1"], supportsIPv4: true, supportsIPv6: true, isExpensive: true),
      ],
      isExpensive: false, isConstrained: true)
    expected.hasNameServer = true
    #expect(path == expected)
  }

  @Test func `families and name servers are those of the path`() {
    let ipv6Only = Stage(path: .over(.wifi, ipv4: false, ipv6: true, dns: false)).path
    #expect([ipv6Only.supportsIPv4, ipv6Only.supportsIPv6, ipv6Only.supportsDNS] == [false, true, false])
    #expect(ipv6Only.reasonAgainstIPv4 == .noRoute)
    let ipv4Only = Stage(path: .over(.wifi)).path
    #expect([ipv4Only.supportsIPv4, ipv4Only.supportsIPv6, ipv4Only.supportsDNS] == [true, false, true])
  }

  @Test(
    arguments: [
      (.notAvailable, .noRoute), (.cellularDenied, .prohibited), (.wifiDenied, .prohibited),
      (.localNetworkDenied, .prohibited), (.vpnInactive, .prohibited),
    ] as [(NWPath.UnsatisfiedReason, ReachabilityStatus.Reason)])
  func `an unsatisfied path has the system's reason`(
    cause: NWPath.UnsatisfiedReason, reason: ReachabilityStatus.Reason
  ) {
    var expected = ReachabilityPath(
      .unsatisfied, reason: reason, unusableInterfaces: [.init(.cellular, reason: reason)],
      reasonAgainstIPv4: reason, reasonAgainstIPv6: reason)
    expected.hasNameServer = false
    #expect(Stage(path: .unsatisfied(cause, .cellular)).path == expected)
    #expect(!expected.supportsDNS)
  }

  @Test func `a path that requires a connection has a dormant link`() {
    let path = Stage(path: .unsatisfied(.notAvailable, .vpn, status: .requiresConnection)).path
    #expect(path.status == .requiresConnection)
    #expect(path.reason == .linkDormant)
    #expect(path.unusableInterfaces.map(\.reason) == [.linkDormant])
  }

  @Test func `interface kinds are the system's, and names identify tunnels`() {
    let other = NWInterface(type: .other, name: "bridge100", index: 20)
    let loopback = NWInterface(type: .loopback, name: "lo0", index: 1)
    let path = Stage(path: .over(.wired, .wifi, .cellular, .vpn, other, loopback)).path
    #expect(
      path.interfaces.map(\.interface.description) == [
        "en7 (wired)", "en0 (wifi)", "pdp_ip0 (cellular)", "utun3 (tunnel)", "bridge100 (other)",
        "lo0 (loopback)",
      ])
  }

  @Test func `requirements apply to the interfaces of the path`() {
    let monitor = Stage(path: .over(.wifi, .cellular)).makeMonitor()
    #expect(monitor.path(.requiring(.cellular)).interfaces.map(\.interface) == [.cellular])
    #expect(monitor.path(.requiring(.cellular)).isExpensive == true)
    #expect(monitor.path(.prohibiting(.wifi)).supportsDNS)
    #expect(monitor.path(.requiring(.loopback)).interfaces.map(\.interface.name) == ["lo0"])
    let wired = monitor.path(.requiring(.wired))
    #expect(wired.status == .unsatisfied)
    #expect(wired.reason == .interfaceNotFound)
    #expect(!wired.supportsDNS)
    let denied = Stage(path: .unsatisfied(.cellularDenied, .cellular)).makeMonitor()
    #expect(denied.path(.requiring(.cellular)).reason == .prohibited)
  }

  // MARK: - Targets without reachability functions

  @Test(
    arguments: [
      ("default", .over(.wifi, ipv4: false, ipv6: true), nil),
      ("192.0.2.7", .over(.wifi), nil), ("2001:db8::7", .over(.wifi), .noRoute),
      ("192.0.2.7", .over(.wifi, ipv4: false, ipv6: true), .noRoute),
      ("default", .unsatisfied(.cellularDenied), .prohibited), ("192.0.2.7", .unsatisfied(), .noRoute),
      ("2001:db8::7", .unsatisfied(status: .requiresConnection), .linkDormant),
      ("127.0.0.1", .unsatisfied(), nil), ("::1", .unsatisfied(), nil),
      ("fe80::7", .over(.wifi), .zoneMissing),
    ] as [(String, NWPath, ReachabilityStatus.Reason?)])
  func `an address is as reachable as the default route of its family`(
    text: String, path: NWPath, reason: ReachabilityStatus.Reason?
  ) throws {
    let status = ReachabilityPath(path).status(of: try ReachabilityTarget(text))
    #expect(status.reason == reason)
    #expect([status.state] == [reason == nil ? .reachable : .notReachable])
    let isLoopback = status.flags.contains(.isLocalAddress)
    #expect(status.interface?.name == (reason != nil ? nil : isLoopback ? "lo0" : "en0"))
    #expect(status.flags.contains(.connectionRequired) == (reason == .linkDormant))
  }

  @Test func `a status over a cellular path is cellular`() {
    let status = ReachabilityPath(.over(.cellular)).status(of: .defaultRoute)
    #expect(status.flags == [.reachable, .transientConnection, .isWWAN])
    #expect(status.interface == .cellular)
  }

  @Test func `a target that the path does not cover is unknown`() throws {
    let path = ReachabilityPath(.over(.wifi))
    let targets = [
      ReachabilityTarget(.address("192.0.2.7"), source: "192.0.2.1"),
      ReachabilityTarget(.defaultRoute, interface: .index(4)),
      ReachabilityTarget(.defaultRoute, mark: 1), .address("fe80::7", zone: .index(4)),
    ]
    for target in targets { #expect(path.status(of: target) == .unknown(.systemError)) }
    #expect(ReachabilityPath(.unknown).status(of: .defaultRoute) == .unknown(.systemError))
    #expect(path.status(of: .host(try ReachabilityTarget.HostName("example.com"))) == .unknown(.resolving))
  }
}
