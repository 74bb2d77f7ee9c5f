// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import Netlink
import ReachabilityKit

/// Random changes of all kinds.
struct Storm: ~Copyable {
  private let network: SoakNetwork
  private var kernel: Kernel
  private var far: Kernel
  private var random: SeededGenerator
  /// Routes that may exist.
  private var routes: [RouteMessage] = []
  private var rules: [Rule] = []
  /// The addresses of each name.
  private(set) var names: [String: [ReachabilityAddress]] = [:]
  private static let bridgeIndex: Int32 = 1000

  var changes: Int { kernel.changes + far.changes }
  var refusals: Int { kernel.refusals + far.refusals }

  init(_ network: SoakNetwork, seed: UInt64) throws {
    let near = try Kernel(in: network.host)
    let far = try Kernel(in: network.peer)
    self.network = network
    kernel = near
    self.far = far
    random = SeededGenerator(seed: seed)
  }

  /// Creates the initial state.
  mutating func prepare() throws {
    try kernel.addLink("br0", "bridge", index: Self.bridgeIndex)
    for _ in 0..<300 { try addRoute() }
    try changeNames()
  }

  /// Makes the given number of changes in a row.
  mutating func blow(_ count: Int) throws {
    for _ in 0..<count { try changeSomething() }
  }

  private mutating func changeSomething() throws {
    switch random.number(0..<1000) {
    case 0..<400: try addRoute()
    case 400..<760: try removeRoute()
    case 760..<800: try changeDefaultRoute()
    case 800..<860: try changeNextHop()
    case 860..<920: try changeAddress()
    case 920..<950: try changeRule()
    case 950..<960: try changeDummy()
    case 960..<965: try changePort()
    case 965..<970:
      try kernel.setLink(random.pick(network.cables).index, mtu: UInt32(random.number(1280..<1501)))
    case 970..<982: try kernel.setLink(random.pick(network.cables).index, up: random.chance(2))
    case 982..<990: try far.setLink(random.pick(network.cables).farIndex, up: !random.chance(3))
    // Links that are down come up again, so that later changes have an effect.
    default: try raise(random.pick(network.cables))
    }
  }

  // MARK: Routes

  private mutating func addRoute() throws {
    let isIPv6 = random.chance(3)
    guard let prefix = Pool.prefix(isIPv6 ? 128 : 32, &random) else { return }
    let cable = random.pick(network.cables)
    let gateway = isIPv6 ? cable.gateway6 : cable.gateway
    var route: RouteMessage
    switch random.number(0..<20) {
    case 0: route = RouteMessage(prefix, .blackhole)
    case 1: route = RouteMessage(prefix, .unreachable)
    case 2: route = RouteMessage(prefix, .prohibit)
    case 3 where !isIPv6: route = multipath(prefix)
    case 4,
      5 where !isIPv6:
      route = RouteMessage(prefix)
      route.nextHopID = UInt32(random.number(1..<9))
    case 6 where isIPv6:
      route = RouteMessage(prefix, via: gateway, on: cable.index)
      route.expires = 100 * Int32(random.number(1..<4))
    case 7: route = RouteMessage(prefix, on: cable.index)
    default: route = RouteMessage(prefix, via: gateway, on: cable.index)
    }
    route.priority = UInt32(random.number(1..<4))
    // RT_SCOPE_LINK
    if !isIPv6, route.kind == .unicast, route.gateway == nil, route.nextHops.isEmpty, route.nextHopID == nil {
      route.scope = 253
    }
    if try kernel.addRoute(route) { routes.append(route) }
  }

  private mutating func multipath(_ prefix: IPPrefix) -> RouteMessage {
    var route = RouteMessage(prefix)
    route.nextHops = (0..<2).map { _ in
      let cable = random.pick(network.cables)
      var hop = NextHop()
      (hop.interface, hop.gateway) = (cable.index, cable.gateway)
      return hop
    }
    return route
  }

  private mutating func removeRoute() throws {
    // Keeps a minimum, so that later changes have an effect.
    guard routes.count > 200 else { return try addRoute() }
    let place = random.number(0..<routes.count)
    routes.swapAt(place, routes.count - 1)
    try kernel.removeRoute(routes.removeLast())
  }

  private mutating func changeDefaultRoute() throws {
    let isIPv6 = random.chance(2)
    let cable = random.pick(network.cables)
    let all = ReachabilityAddress(isIPv6 ? "::" : "0.0.0.0").flatMap { IPPrefix($0, length: 0) }
    guard let all else { return }
    var route = RouteMessage(all, via: isIPv6 ? cable.gateway6 : cable.gateway, on: cable.index)
    route.priority = 100 + cable.number
    if random.chance(3) { try kernel.removeRoute(route) } else { _ = try kernel.addRoute(route) }
  }

  private mutating func changeNextHop() throws {
    let cable = random.pick(network.cables)
    let isGoing = random.chance(3)
    try kernel.setNextHop(UInt32(random.number(1..<9)), isGoing ? nil : cable.gateway, on: cable.index)
  }

  // MARK: Addresses, rules and links

  private mutating func changeAddress() throws {
    let cable = random.pick(network.cables)
    let isThere = random.chance(2)
    switch random.number(0..<8) {
    case 0: try kernel.setAddress(cable.address, 24, on: cable.index, isThere: isThere)
    case 1: try kernel.setAddress(cable.address6, 64, on: cable.index, isThere: isThere)
    case 2..<5:
      let other = ReachabilityAddress.v4(
        .init(rawValue: 10 << 24 | cable.number << 16 | UInt32(random.number(40..<50))))
      try kernel.setAddress(other, 24, on: cable.index, isThere: isThere)
    default:
      let other = SoakNetwork.Cable.unique(cable.number, UInt32(random.number(40..<50)))
      try kernel.setAddress(other, 64, on: cable.index, isThere: isThere)
    }
  }

  private mutating func changeRule() throws {
    if rules.count > 8 || (!rules.isEmpty && random.chance(2)) {
      return try kernel.setRule(rules.remove(at: random.number(0..<rules.count)), isThere: false)
    }
    let isIPv6 = random.chance(2)
    guard let prefix = Pool.prefix(isIPv6 ? 128 : 32, &random) else { return }
    var rule = Rule()
    rule.family = prefix.address.netlinkFamily
    rule.priority = UInt32(random.number(100..<30000))
    switch random.number(0..<4) {
    case 0: (rule.action, rule.mark) = (.lookUp(100), UInt32(random.number(1..<4)))
    case 1: rule.action = .lookUp(254)
    case 2: rule.action = .refuse(.unreachable)
    default: rule.action = .refuse(.prohibit)
    }
    if rule.mark == nil { rule.destination = prefix }
    try kernel.setRule(rule, isThere: true)
    rules.append(rule)
  }

  private mutating func changeDummy() throws {
    let name = "d\(random.number(0..<5))"
    if random.chance(2) { try kernel.addLink(name, "dummy") } else { try kernel.removeLink(name) }
  }

  private mutating func changePort() throws {
    try kernel.setLink("d\(random.number(0..<5))", master: random.chance(2) ? Self.bridgeIndex : 0)
  }

  private mutating func raise(_ cable: SoakNetwork.Cable) throws {
    try kernel.setLink(cable.index, up: true)
    try far.setLink(cable.farIndex, up: true)
    try kernel.setAddress(cable.address, 24, on: cable.index, isThere: true)
    try kernel.setAddress(cable.address6, 64, on: cable.index, isThere: true)
  }

  // MARK: Occasional changes

  /// Changes the addresses of the names.
  mutating func changeNames() throws {
    for name in SoakNetwork.names { names[name] = [Pool.ipv4(&random), Pool.ipv6(&random)] }
    try network.setAddresses(names)
  }

  /// Toggles whether the kernel ignores routes over dead links.
  mutating func changeSettings() throws {
    let cable = random.pick(network.cables)
    for family in ["ipv4", "ipv6"] {
      try network.host.writeSysctl(
        "net/\(family)/conf/\(cable.name)/ignore_routes_with_linkdown", random.chance(2) ? "1" : "0")
    }
  }

  /// Changes so many routes in a row that messages are lost; most of them match no target.
  mutating func flood() throws {
    let routes = (0..<10_000 as Range<UInt32>).compactMap { number in
      IPPrefix(.v4(.init(rawValue: 172 << 24 | 16 << 16 | number)), length: 32).map {
        RouteMessage($0, .blackhole)
      }
    }
    for start in stride(from: 0, to: routes.count, by: 2000) {
      try kernel.flood(Array(routes[start..<start + 2000]))
      try blow(2)
    }
  }
}
