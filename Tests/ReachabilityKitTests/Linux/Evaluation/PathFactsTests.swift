// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// The other properties of a path, and the path under requirements.
@Suite(.deadline) struct PathFactsTests {
  private static let lo = (Links.loopback, addresses: ["127.0.0.1/8", "::1/128"])

  /// Wi-Fi before a mobile network, and a wired link without a carrier.
  private static func machine() -> PathScenario {
    var scenario = PathScenario([
      lo, (Links.ethernet.with(.noCarrier), addresses: ["10.2.0.1/24"]),
      (Links.wifi, addresses: ["10.3.0.1/24"]),
      (Links.cellular, addresses: ["10.4.0.1/32", "fd00:4::1/64"]),
    ])
    scenario.route(over: 3, via: "10.3.0.254", metric: 600)
    scenario.route(over: 4, metric: 700)
    scenario.route("::/0", over: 4, metric: 700)
    return scenario
  }

  @Test func `addresses are in order, link-local ones last`() throws {
    let addresses = ["169.254.3.4/16", "fe80::3/64", "192.168.0.1/24", "ff00::1/64", "fd00::1/64"]
    let path = try PathScenario([Self.lo, (Links.wifi, addresses: addresses)]).path()
    #expect(
      path.unusableInterfaces.first?.addresses.map(\.address) == [
        "192.168.0.1", "169.254.3.4", "fd00::1", "ff00::1", "fe80::3",
      ])
  }

  @Test func `a constraint of the preferred interface does not apply to another one`() {
    let interfaces = [Links.wifi, Links.cellular].map { ReachabilityPath.Interface($0.interface) }
    var path = ReachabilityPath(.satisfied, interfaces: interfaces, isConstrained: true)
    path.hasNameServer = true
    let evaluation = PathEvaluation(path)
    #expect(evaluation.path(for: .requiring(.wifi)).isConstrained == true)
    #expect(evaluation.path(for: .requiring(.wifi)).supportsDNS)
    #expect(evaluation.path(for: .requiring(.cellular)).isConstrained == nil)
    #expect(!evaluation.path(for: .requiring(.wired)).supportsDNS)
  }

  // MARK: Name servers

  @Test func `DNS is supported if one of the name servers is reachable`() throws {
    var scenario = Self.machine()
    scenario.nameServers = [.init("10.66.0.53"), .init("10.3.0.53")]
    scenario.refuse("10.66.0.0/16", .invalid)
    let path = try scenario.path()
    #expect(path.nameServers == [.init("10.66.0.53", reason: .blackhole), .init("10.3.0.53")])
    #expect(path.supportsDNS)
    scenario.refuse("10.3.0.0/24", .hostUnreachable)
    #expect(try !scenario.path().supportsDNS)
  }

  @Test func `without a name server DNS is not supported`() throws {
    #expect(try !Self.machine().path().supportsDNS)
  }

  @Test func `a forwarder on this machine is reachable as the path is`() throws {
    var scenario = PathScenario([Self.lo, (Links.wifi, addresses: ["10.3.0.1/24"])])
    scenario.nameServers = [.init("127.0.0.53")]
    scenario.local("127.0.0.0/8", over: 1)
    scenario.sources[1] = ["127.0.0.1"]
    #expect(try scenario.path().nameServers == [.init("127.0.0.53", reason: .noRoute)])
    scenario.route(over: 3, via: "10.3.0.254")
    #expect(try scenario.path().nameServers == [.init("127.0.0.53")])
  }

  @Test func `a link-local name server needs an existing zone`() throws {
    var scenario = PathScenario([
      Self.lo, (Links.wifi, addresses: ["10.3.0.1/24", "fe80::3/64"]),
    ])
    scenario.route(over: 3, via: "10.3.0.254")
    scenario.route("fe80::/64", over: 3)
    scenario.nameServers = [
      .init("fe80::53"), .init("fe80::53", zone: .name("wlan9")), .init("fe80::53", zone: .name("wlan0")),
    ]
    #expect(
      try scenario.path().nameServers.map(\.reason) == [.zoneMissing, .interfaceNotFound, nil])
  }

  // MARK: Cost

  @Test func `cellular is expensive, and other interfaces are as the answers about metering say`() throws {
    var scenario = Self.machine()
    #expect(try scenario.path().interfaces.map(\.isExpensive) == [nil, true])
    #expect(try scenario.path().isExpensive == nil)
    scenario.metering = [3: true, 4: false]
    #expect(try scenario.path().interfaces.map(\.isExpensive) == [true, true])
    #expect(try scenario.path().isExpensive == true)
    scenario.metering = [3: false]
    #expect(try scenario.path().isExpensive == false)
    #expect(try scenario.path(.requiring(.cellular)).isExpensive == true)
    #expect(try scenario.path().isConstrained == nil)
  }

  // MARK: Requirements

  @Test(
    arguments: [
      (.none, ["wlan0", "wwan0"]), (.requiring(.wifi), ["wlan0"]), (.requiring(.cellular), ["wwan0"]),
      (.prohibiting(.wifi), ["wwan0"]), (.prohibiting(.wired), ["wlan0", "wwan0"]),
      (.prohibiting(.loopback), ["wlan0", "wwan0"]), (.requiring(.loopback), ["lo"]),
      (.prohibiting(.wifi, .cellular), []), (.requiring(.bluetooth), []), (.requiring(.wired), []),
    ] as [(ReachabilityPath.Requirements, [String])])
  func `requirements keep the interfaces of the allowed kinds`(
    requirements: ReachabilityPath.Requirements, names: [String]
  ) throws {
    let path = try Self.machine().path(requirements)
    #expect(path.names == names)
    #expect(path.status == (names.isEmpty ? .unsatisfied : .satisfied))
    #expect(path.supportsIPv6 == (names.contains("wwan0") || names.contains("lo")))
    #expect(path.supportsIPv4 == !names.isEmpty)
  }

  @Test func `without an allowed interface, the problem of the allowed kinds is the reason`() throws {
    let wired = try Self.machine().path(.requiring(.wired))
    #expect(wired.reason == .noCarrier)
    #expect(wired.unusableInterfaces.map(\.interface.name) == ["eth0"])
    let bluetooth = try Self.machine().path(.requiring(.bluetooth))
    #expect(bluetooth.reason == .interfaceNotFound)
    #expect(bluetooth.unusableInterfaces == [])
  }

  @Test func `a dead preferred interface does not matter for packets bound to another`() throws {
    var scenario = Self.machine()
    scenario.route(over: 2, via: "10.2.0.254", metric: 1, isDown: true)
    // IPv6 alone would satisfy the path.
    #expect(try scenario.path().names == ["wwan0", "wlan0"])
    #expect(try scenario.path().reasonAgainstIPv4 == .noCarrier)
    scenario.refuse("::/0", .networkUnreachable)
    #expect(try scenario.path().status == .unsatisfied)
    #expect(try scenario.path(.prohibiting(.loopback)).status == .unsatisfied)
    let bound = try scenario.path(.prohibiting(.wired))
    #expect(bound.status == .satisfied)
    #expect(bound.names == ["wlan0", "wwan0"])
    #expect(bound.unusableInterfaces == [])
    #expect(bound.supportsIPv4)
  }

  @Test func `an unknown path stays unknown with any requirements`() {
    let unknown = PathEvaluation.unknown(for: nil)
    #expect(unknown.path(for: .requiring(.wifi)).status == .unknown)
    #expect(unknown.path(for: .none).reason == .systemError)
  }

  @Test func `tentative and duplicate addresses are left out`() throws {
    let flags: [(String, UInt32)] = [
      ("fd00:2::1/64", 0), ("fd00:2::2/64", 0x40), ("fd00:2::3/64", 0x44), ("fd00:2::4/64", 0x48),
      ("fd00:2::5/64", 0x20), ("fd00:2::6/64", 0x08), ("fd00:2::7/64", 0x4c),
    ]
    var scenario = PathScenario([(Links.ethernet, addresses: ["10.2.0.9/24", "10.2.0.10/24"])])
    for (text, flags) in flags {
      var address = AddressMessage(text, on: 2)
      address.flags = AddressFlags(rawValue: flags)
      _ = scenario.scenario.network.update(address)
    }
    scenario.route(over: 2, via: "10.2.0.254")
    #expect(
      try scenario.path().interfaces[0].addresses.map(\.description) == [
        "10.2.0.9/24", "10.2.0.10/24", "fd00:2::1/64", "fd00:2::3/64", "fd00:2::5/64",
      ])
  }
}
#endif
