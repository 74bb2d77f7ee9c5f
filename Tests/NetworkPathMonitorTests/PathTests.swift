// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import NetworkPathMonitor
import ReachabilityKit
import TestSupport
import Testing

/// The members of a path, and of what it contains.
@Suite("Path", .deadline)
struct PathTests {
  private func path(_ interfaces: ReachabilityPath.Interface...) async throws -> NWPath {
    try await Stage.path(ReachabilityPath(.satisfied, interfaces: interfaces, reasonAgainstIPv6: .noRoute))
  }

  // MARK: Equality

  @Test func `paths are equal if all that they show is, started or not`() async throws {
    let one = try await path(.init("eth0", .wired))
    #expect(try await path(.init("eth0", .wired)) == one)
    #expect(try await path(.init("eth0", .wired, via: "10.1.0.254")) != one)
    #expect(try await path(.init("eth0", .wifi)) != one)
    let two = try await path(.init("eth0", .wired), .init("net0", .wired))
    #expect(try await path(.init("eth0", .wired), .init("net0", .wifi)) != two)
    // What no member shows.
    var longer = ReachabilityPath.Interface("eth0", .wired)
    longer.mtu = 9000
    #expect(try await path(longer) == one)
    #expect(NWPathMonitor().currentPath == NWPathMonitor(requiredInterfaceType: .wifi).currentPath)
    #expect(NWPathMonitor().currentPath != one)
  }

  @Test func `interfaces are equal by index and name, not by type`() async throws {
    let wired = try await path(.init("net0", .wired)).availableInterfaces[0]
    let wifi = try await path(.init("net0", .wifi)).availableInterfaces[0]
    #expect(wired == wifi && wired.hashValue == wifi.hashValue)
    #expect(wired.type == .wiredEthernet && wifi.type == .wifi)
    #expect(Set([wired, wifi]).count == 1)
    let other = try await path(.init("net1", .wired)).availableInterfaces[0]
    #expect(other != wired)
    // The same index: `net01` and `net10` have the same sum.
    let twins = try await path(.init("net01", .wired), .init("net10", .wired)).availableInterfaces
    #expect(twins[0].index == twins[1].index && twins[0] != twins[1])
    var renumbered = ReachabilityPath.Interface("net0", .wired)
    renumbered.interface.index += 1
    #expect(try await path(renumbered).availableInterfaces[0] != wired)
    #expect("\(wired)" == "net0")
  }

  // MARK: Interfaces

  @Test func `the order of interfaces is the kernel's, that of the default route first`() async throws {
    let path = try await path(.init("wwan0", .cellular), .init("eth0", .wired), .init("wlan0", .wifi))
    #expect(path.availableInterfaces.map(\.name) == ["wwan0", "eth0", "wlan0"])
    #expect(path.usesInterfaceType(.cellular) && !path.usesInterfaceType(.wiredEthernet))
  }

  @Test func `an unsatisfied path has no interface, gateway or family`() async throws {
    let path = try await Stage.path(
      ReachabilityPath(
        .unsatisfied, reason: .noCarrier, interfaces: [.init("wlan0", .wifi, via: "10.1.0.254")],
        nameServers: [.init("10.1.0.53")]))
    #expect(path.availableInterfaces.isEmpty && path.gateways.isEmpty)
    #expect(![path.supportsIPv4, path.supportsIPv6, path.supportsDNS].contains(true))
    #expect(!path.usesInterfaceType(.wifi))
  }

  @Test func `the physical interface below a tunnel, bridge or VLAN is used too`() async throws {
    let tunnel = try await path(
      .init("wg0", .other, isTunnel: true), .init("tun1", .other, isTunnel: true), .init("wlan0", .wifi),
      .init("eth0", .wired))
    #expect(tunnel.usesInterfaceType(.other) && tunnel.usesInterfaceType(.wifi))
    #expect(!tunnel.usesInterfaceType(.wiredEthernet))
    var bridge = ReachabilityPath.Interface("br0", .wired)
    bridge.lower = [ReachabilityInterface(name: "wlan0", index: 9, kind: .wifi)]
    let bridged = try await path(bridge, .init("wwan0", .cellular))
    #expect(bridged.usesInterfaceType(.wiredEthernet) && bridged.usesInterfaceType(.wifi))
    #expect(!bridged.usesInterfaceType(.cellular))
  }

  @Test(arguments: [
    (ReachabilityInterface.Kind.wired, NWInterface.InterfaceType.wiredEthernet), (.wifi, .wifi),
    (.cellular, .cellular), (.bluetooth, .other), (.other, .other),
  ])
  func `each kind of interface has Apple's type, and can be required and prohibited`(
    kind: ReachabilityInterface.Kind, type: NWInterface.InterfaceType
  ) async throws {
    let stage = Stage()
    stage.network.setPath(ReachabilityPath(.satisfied, interfaces: [.init("net0", kind)]))
    #expect(try await stage.firstPath().availableInterfaces.first?.type == type)
    for other in [NWInterface.InterfaceType.wiredEthernet, .wifi, .cellular, .other] {
      let required = try await stage.firstPath { NWPathMonitor(requiredInterfaceType: other) }
      let prohibited = try await stage.firstPath { NWPathMonitor(prohibitedInterfaceTypes: [other]) }
      #expect((required.status == .satisfied) == (other == type))
      #expect((prohibited.status == .satisfied) == (other != type))
    }
  }

  @Test func `required Wi-Fi without Wi-Fi is unsatisfied`() async throws {
    let stage = Stage(.reachable(over: .wired))
    let path = try await stage.firstPath { NWPathMonitor(requiredInterfaceType: .wifi) }
    #expect(path.status == .unsatisfied)
    #expect(path.availableInterfaces.isEmpty)
  }

  @Test func `the loopback interface is used if it is required only`() async throws {
    let stage = Stage(.notReachable(.noRoute))
    let path = try await stage.firstPath { NWPathMonitor(requiredInterfaceType: .loopback) }
    #expect(path.status == .satisfied)
    #expect(path.availableInterfaces.map(\.type) == [.loopback])
    #expect(try await stage.firstPath { NWPathMonitor(prohibitedInterfaceTypes: []) }.status == .unsatisfied)
  }

  @Test func `prohibiting other types leaves the physical interfaces`() async throws {
    let stage = Stage()
    stage.network.setPath(
      ReachabilityPath(
        .satisfied, interfaces: [.init("wg0", .other, isTunnel: true), .init("eth0", .wired)]))
    let path = try await stage.firstPath { NWPathMonitor(prohibitedInterfaceTypes: [.other]) }
    #expect(path.availableInterfaces.map(\.name) == ["eth0"])
  }

  // MARK: Status

  @Test func `only a link that waits requires a connection`() async throws {
    #expect(try await Stage(.requiresConnection(over: .cellular)).firstPath().status == .requiresConnection)
    for reason in ReachabilityStatus.Reason.allCases where reason != .linkDormant {
      #expect(try await Stage(.notReachable(reason)).firstPath().status == .unsatisfied, "\(reason)")
    }
  }

  @Test func `a rule against Wi-Fi or cellular interfaces is a denial`() async throws {
    for (kind, reason, text) in [
      (ReachabilityInterface.Kind.wifi, NWPath.UnsatisfiedReason.wifiDenied, "Denied over Wi-Fi interface"),
      (.cellular, .cellularDenied, "Denied over cellular interface"),
      (.wired, .notAvailable, "No network route"),
    ] {
      let denied = try await Stage.path(
        ReachabilityPath(
          .unsatisfied, reason: .prohibited,
          unusableInterfaces: [
            .init(.init(name: "eth1", index: 2, kind: .wifi), reason: .noCarrier),
            .init(.init(name: "net0", index: 3, kind: kind), reason: .prohibited),
          ]))
      #expect(denied.unsatisfiedReason == reason)
      #expect("\(denied)" == "unsatisfied (\(text))")
    }
    let down = try await Stage(.notReachable(.noCarrier)).firstPath()
    #expect(down.unsatisfiedReason == .notAvailable)
  }

  @Test func `unknown expense and constraint are false, and a known one is true`() async throws {
    var path = ReachabilityPath(.satisfied, interfaces: [.init("eth0", .wired)])
    #expect(try await !Stage.path(path).isExpensive)
    #expect(try await !Stage.path(path).isConstrained)
    path.isExpensive = true
    #expect(try await Stage.path(path).isExpensive)
    path.isExpensive = false
    path.isConstrained = true
    #expect(try await !Stage.path(path).isExpensive)
    #expect(try await Stage.path(path).isConstrained)
  }

  @Test func `link quality is unknown, and no path is ultra constrained`() async throws {
    let path = try await path(.init("wwan0", .cellular))
    #expect(path.linkQuality == .unknown)
    #expect(!path.isUltraConstrained)
  }

  @Test func `a monitor's path has no endpoints of its own`() async throws {
    let path = try await path(.init("eth0", .wired, via: "10.1.0.254"))
    #expect(path.localEndpoint == nil && path.remoteEndpoint == nil)
  }

  // MARK: Gateways

  @Test func `gateways are those of each interface in order, and each once`() async throws {
    let path = try await path(
      .init("eth0", .wired, via: "10.1.0.254", "fe80::1", "fd00::fe"),
      .init("wlan0", .wifi, via: "10.1.0.254", "fe80::1"))
    #expect(
      path.gateways.map { "\($0)" } == [
        "10.1.0.254:0", "fe80::1%eth0.0", "fd00::fe.0", "fe80::1%wlan0.0",
      ])
    #expect(path.gateways.map { $0.interface?.name } == [nil, "eth0", nil, "wlan0"])
  }

  // MARK: Descriptions

  @Test func `descriptions have the form of Apple's`() async throws {
    let wired = try await path(.init("eth0", .wired))
    #expect("\(wired)" == "satisfied (Path is satisfied), interface: eth0, ipv4")
    var wifi = ReachabilityPath(
      .satisfied, interfaces: [.init("wlan0", .wifi)], nameServers: [.init("10.1.0.53")], isExpensive: true,
      isConstrained: true)
    #expect(
      try await Stage.path(wifi).debugDescription
        == "satisfied (Path is satisfied), interface: wlan0[802.11], ipv4, ipv6, dns, expensive, constrained, "
        + "uses wifi, LQM: unknown")
    wifi.interfaces = [.init("wg0", .other, isTunnel: true), .init("wwan0", .cellular)]
    wifi.reasonAgainstIPv4 = .noRoute
    wifi.isConstrained = nil
    wifi.isExpensive = nil
    #expect(
      try await Stage.path(wifi).debugDescription
        == "satisfied (Path is satisfied), interface: wg0, ipv6, dns, uses cell, LQM: unknown")
    #expect(
      try await Stage(.requiresConnection(over: .cellular)).firstPath().debugDescription
        == "satisfiable (Path requires a connection)")
  }
}
