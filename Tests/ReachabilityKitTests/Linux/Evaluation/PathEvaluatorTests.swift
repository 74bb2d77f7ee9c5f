// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import ReachabilityKit
import Testing

/// The path that results from the answers of the routing tables and the states of links.
@Suite(.deadline) struct PathEvaluatorTests {
  private static let lo = (Links.loopback, addresses: ["127.0.0.1/8", "::1/128"])
  private static let eth = (Links.ethernet, addresses: ["fe80::2/64", "fd00:2::1/64", "10.2.0.1/24"])
  private static let wifi = (Links.wifi, addresses: ["10.3.0.1/24"])

  private static func wired(_ condition: LinkState.Condition = .up) -> PathScenario {
    PathScenario([lo, (Links.ethernet.with(condition), addresses: eth.addresses), wifi])
  }

  // MARK: Satisfied

  @Test func `a default route of each family satisfies the path with all details`() throws {
    var link = Links.ethernet
    link.mtu = 1400
    var scenario = PathScenario([Self.lo, (link, addresses: Self.eth.addresses)])
    scenario.route(over: 2, via: "10.2.0.254", metric: 100)
    scenario.route("::/0", over: 2, via: "fe80::fe", metric: 1024)
    let ethernet = ReachabilityPath.Interface(
      Links.ethernet.interface,
      addresses: [.init("10.2.0.1/24"), .init("fd00:2::1/64"), .init("fe80::2/64")], mtu: 1400,
      gateways: ["10.2.0.254", "fe80::fe"], supportsIPv6: true)
    let path = try scenario.path()
    #expect(path == ReachabilityPath(.satisfied, interfaces: [ethernet]))
    #expect(path.gateways == ["10.2.0.254", "fe80::fe"])
    #expect([path.supportsIPv4, path.supportsIPv6, path.supportsDNS] == [true, true, false])
  }

  @Test func `one family satisfies the path, and the other one has a reason`() throws {
    var scenario = Self.wired()
    scenario.route("::/0", over: 2, via: "fe80::fe")
    let path = try scenario.path()
    #expect(path.status == .satisfied)
    #expect(path.reasonAgainstIPv4 == .noRoute)
    #expect(path.interfaces.map(\.supportsIPv4) == [false])
    #expect(path.interfaces.map(\.supportsIPv6) == [true])
    #expect(path.unusableInterfaces == [])
  }

  @Test func `the kernel's choice is the first interface, then the lower metric`() throws {
    let vlan = LinkState(ReachabilityInterface(name: "vlan7", index: 7, kind: .wired))
    var scenario = PathScenario([Self.lo, Self.eth, Self.wifi, (vlan, addresses: ["10.7.0.1/24"])])
    scenario.route(over: 2, via: "10.2.0.254", metric: 600)
    scenario.route(over: 3, via: "10.3.0.254", metric: 300)
    scenario.route(over: 7, via: "10.7.0.254", metric: 100)
    #expect(try scenario.path().names == ["vlan7", "wlan0", "eth0"])
    scenario.route(over: 2, via: "10.2.0.253", metric: 50)
    #expect(try scenario.path().names == ["eth0", "vlan7", "wlan0"])
  }

  @Test func `the choice for IPv4 comes before the one for IPv6`() throws {
    var scenario = Self.wired()
    scenario.route(over: 3, via: "10.3.0.254", metric: 600)
    scenario.route("::/0", over: 2, via: "fe80::fe", metric: 100)
    let path = try scenario.path()
    #expect(path.names == ["wlan0", "eth0"])
    #expect(path.gateways == ["10.3.0.254", "fe80::fe"])
  }

  @Test func `interfaces with equal metrics are in the order of their indexes`() throws {
    var scenario = PathScenario([
      Self.lo, Self.eth, Self.wifi, (Links.cellular, addresses: ["10.4.0.1/32"]),
      (Links.ppp, addresses: ["10.6.0.1/32"]),
    ])
    for index in [6, 4, 3, 2] as [Int32] { scenario.route(over: index, metric: index == 3 ? 1 : 9) }
    #expect(try scenario.path().names == ["wlan0", "eth0", "wwan0", "ppp0"])
  }

  @Test func `the half routes of a VPN come before the default route below it`() throws {
    var scenario = PathScenario([Self.lo, Self.eth, (Links.wireGuard, addresses: ["10.5.0.1/32"])])
    scenario.route(over: 2, via: "10.2.0.254")
    for half in ["0.0.0.0/1", "128.0.0.0/1"] { scenario.route(half, over: 5) }
    let path = try scenario.path()
    #expect(path.names == ["wg0", "eth0"])
    #expect(path.gateways == ["10.2.0.254"])
    #expect(path.interfaces[0].gateways == [])
  }

  @Test func `the longer prefix comes before the lower metric, in both families`() throws {
    var scenario = PathScenario([
      Self.lo, Self.eth, (Links.wifi, addresses: ["10.3.0.1/24", "fd00:3::1/64"]),
      (Links.ppp, addresses: ["10.6.0.1/32", "fd00:6::1/64"]),
    ])
    for half in ["0.0.0.0/1", "128.0.0.0/1"] {
      scenario.route(half, over: 2, metric: 1)
      scenario.route(half, over: 6, metric: 600)
    }
    scenario.route(over: 3, metric: 2)
    #expect(try scenario.path().names == ["eth0", "ppp0", "wlan0"])
    scenario.routes = []
    scenario.route("2000::/3", over: 2, metric: 1)
    scenario.route("2000::/3", over: 6, metric: 600)
    scenario.route("::/0", over: 3, metric: 2)
    #expect(try scenario.path().names == ["eth0", "ppp0", "wlan0"])
  }

  @Test func `a tunnel without an address is usable`() throws {
    var scenario = PathScenario([Self.lo, Self.eth, (Links.wireGuard, addresses: [])])
    scenario.route(over: 2, via: "10.2.0.254")
    scenario.route(over: 5, metric: 600)
    scenario.sources[5] = ["10.2.0.1"]
    #expect(try scenario.path().names == ["eth0", "wg0"])
  }

  @Test func `every next hop of a multipath route is usable, with all its gateways`() throws {
    var scenario = Self.wired()
    scenario.multipath(
      "0.0.0.0/0",
      [
        .init(interface: 2, gateway: "10.2.0.254", isDown: false),
        .init(interface: 2, gateway: "10.2.0.253", isDown: false),
        .init(interface: 2, gateway: "10.2.0.252", isDown: true),
        .init(interface: 3, gateway: "10.3.0.254", isDown: false),
      ])
    let path = try scenario.path()
    #expect(path.names == ["eth0", "wlan0"])
    #expect(path.gateways == ["10.2.0.254", "10.2.0.253", "10.3.0.254"])
  }

  @Test func `a link without an address is usable if the kernel chooses it`() throws {
    var scenario = PathScenario([Self.lo, Self.eth, (Links.wifi, addresses: [])])
    scenario.route(over: 3, via: "10.9.0.254")
    scenario.sources[3] = ["10.2.0.1"]
    #expect(try scenario.path().names == ["wlan0"])
  }

  @Test func `a default route to this machine itself lets nothing leave`() throws {
    var scenario = Self.wired()
    scenario.local("0.0.0.0/0", over: 1)
    let path = try scenario.path()
    #expect(path.status == .unsatisfied)
    #expect(path.interfaces == [])
    #expect(path.reason == .noRoute)
  }

  // MARK: Not satisfied

  @Test func `the reason of IPv4 counts if both families are refused`() throws {
    var scenario = Self.wired()
    scenario.refuse("0.0.0.0/0", .hostUnreachable)
    scenario.refuse("::/0", .accessDenied)
    #expect(try scenario.path().reason == .unreachableRoute)
  }

  @Test func `a dead interface is not the reason if another one is usable`() throws {
    var scenario = PathScenario([
      Self.lo, Self.eth, (Links.wifi.with(.noCarrier), addresses: Self.wifi.addresses),
    ])
    // Only packets that are bound to an interface have a route.
    scenario.refuse("0.0.0.0/0", .networkUnreachable)
    scenario.route(over: 2, via: "10.2.0.254", metric: 600)
    let path = try scenario.path()
    #expect(path.names == ["eth0"])
    #expect(path.reason == .noRoute)
  }

  @Test(
    arguments: [
      (.down, .unsatisfied, .noRoute), (.noCarrier, .unsatisfied, .noCarrier),
      (.dormant, .requiresConnection, .linkDormant),
    ] as [(LinkState.Condition, ReachabilityPath.Status, ReachabilityStatus.Reason)])
  func `a dead link that the kernel prefers is the reason, even if another works`(
    condition: LinkState.Condition, status: ReachabilityPath.Status, reason: ReachabilityStatus.Reason
  ) throws {
    var scenario = Self.wired(condition)
    // The kernel removes the routes of a link that is down, and keeps those of one without a carrier.
    if condition != .down { scenario.route(over: 2, via: "10.2.0.254", isDown: condition == .noCarrier) }
    scenario.refuse("::/0", .networkUnreachable)
    let path = try scenario.path()
    #expect(path.status == status)
    #expect(path.reason == reason)
    #expect(path.reasonAgainstIPv4 == (condition == .down ? .noRoute : reason))
    #expect(path.unusableInterfaces.map(\.interface.name) == ["eth0", "wlan0"])
    #expect(path.unusableInterfaces.map(\.reason).last == .noRoute)

    guard condition != .down else { return }
    scenario.route(over: 3, via: "10.3.0.254", metric: 600)
    let second = try scenario.path()
    #expect(second.status == status)
    #expect(second.names == ["wlan0"])
    #expect(second.unusableInterfaces.map(\.interface.name) == ["eth0"])
  }

  @Test(
    arguments: [
      ([], .noRoute), ([.down], .interfaceDown), ([.noCarrier], .noCarrier),
      ([.down, .noCarrier], .noCarrier), ([.noCarrier, .dormant], .linkDormant),
    ] as [([LinkState.Condition], ReachabilityStatus.Reason)])
  func `without a default route the interface closest to working is the reason`(
    conditions: [LinkState.Condition], reason: ReachabilityStatus.Reason
  ) throws {
    let links = zip([Links.ethernet, Links.wifi], conditions).map { ($0.with($1), addresses: [String]()) }
    let path = try PathScenario([Self.lo] + links).path()
    #expect(path.reason == reason)
    #expect(path.status == (reason == .linkDormant ? .requiresConnection : .unsatisfied))
    #expect(path.unusableInterfaces.count == conditions.count)
  }

  @Test func `a link lacks an address, or else a route`() throws {
    let one = try PathScenario([Self.lo, (Links.ethernet, addresses: ["fe80::2/64", "169.254.3.4/16"])])
      .path()
    #expect(one.reason == .sourceAddressMissing)
    #expect(
      one.unusableInterfaces == [
        ReachabilityPath.UnusableInterface(
          Links.ethernet.interface, reason: .sourceAddressMissing,
          addresses: [.init("169.254.3.4/16"), .init("fe80::2/64")])
      ])
    let both = try PathScenario([Self.lo, (Links.ethernet, addresses: []), Self.wifi]).path()
    #expect(both.reason == .noRoute)
    #expect(both.unusableInterfaces.map(\.reason) == [.sourceAddressMissing, .noRoute])
  }

  @Test(
    arguments: [(.hostUnreachable, .unreachableRoute), (.invalid, .blackhole), (.accessDenied, .prohibited)]
      as [(RouteRefusal, ReachabilityStatus.Reason)])
  func `a default route that refuses is the reason`(
    refusal: RouteRefusal, reason: ReachabilityStatus.Reason
  ) throws {
    var scenario = Self.wired()
    for prefix in ["0.0.0.0/0", "::/0"] { scenario.refuse(prefix, refusal) }
    let path = try scenario.path()
    #expect(path.reason == reason)
    #expect(path.reasonAgainstIPv6 == reason)
    #expect(path.interfaces == [])
  }

  @Test func `a kernel that does not answer leaves the path unknown`() throws {
    var scenario = Self.wired()
    for prefix in ["0.0.0.0/0", "::/0"] { scenario.refuse(prefix, .trouble) }
    let path = try scenario.path()
    #expect(path.status == .unknown)
    #expect(path.reason == .systemError)
  }

  // MARK: Cost

  @Test func `members of bridges and links without addresses are not queried`() throws {
    var links = [Self.lo, Self.eth]
    for index in 100..<1100 {
      let end = LinkState(ReachabilityInterface(name: "veth\(index)", index: index, kind: .wired), master: 2)
      links.append((end, addresses: ["fe80::\(index)/64"]))
    }
    var scenario = PathScenario(links)
    scenario.route(over: 2, via: "10.2.0.254")
    let (evaluation, asked) = try scenario.run()
    #expect(evaluation.path.names == ["eth0"])
    #expect(evaluation.unusable == [])
    #expect(asked.count <= 16)
    #expect(Set(asked.map(\.interface)) == [nil, 2])
  }

  @Test func `a link that the tables lack is unknown`() {
    var scenario = Self.wired()
    scenario.route(over: 99)
    #expect(throws: Scenario.Trouble.unknownLink(99)) { try scenario.run() }
  }

  @Test func `a link that the kernel has removed is unknown`() {
    var scenario = Self.wired()
    scenario.route(over: 2)
    scenario.vanished = [3]
    #expect(throws: Scenario.Trouble.unknownLink(3)) { try scenario.run() }
  }

  @Test func `a path has the shortest lifetime of its routes`() throws {
    var scenario = PathScenario(
      [Self.lo, Self.eth, (Links.wifi, addresses: ["fd00:3::1/64"])], isWatching: true)
    scenario.route("::/0", over: 2, via: "fe80::fe", metric: 1, lifetime: .seconds(60))
    #expect(try scenario.run().evaluation.lifetime == .seconds(60))
    scenario.route("::/0", over: 3, via: "fe80::fd", metric: 2, lifetime: .seconds(5))
    #expect(try scenario.run().evaluation.lifetime == .seconds(5))
  }
}
#endif
