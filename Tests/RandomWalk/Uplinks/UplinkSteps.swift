// SPDX-License-Identifier: Apache-2.0
import LiveSupport

/// A generator of the events that move packets between uplinks, or stop them.
struct UplinkSteps {
  var random: SeededGenerator

  /// A command, or an event that no command makes.
  enum Event {
    case commands([Command])
    case advertisement(router: Int, isRouter: Bool)
    /// Time for the kernel's own timers, in milliseconds.
    case pause(Int)
  }

  private typealias Maker = @Sendable (inout UplinkSteps) -> Event

  private static let makers: [(Int, Maker)] = [
    (14, { .commands([$0.route4()]) }),
    (10, { .commands([$0.route6()]) }),
    (10, { .commands($0.silence()) }),
    (8, { .commands([$0.carrier()]) }),
    (5, { .advertisement(router: $0.number(), isRouter: $0.random.percent(75)) }),
    (7, { .commands([$0.rule()]) }),
    (4, { .commands([$0.nowhere()]) }),
    (5, { .commands([$0.parameter()]) }),
    (7, { .commands($0.tunnel()) }),
    (5, { .commands([$0.policy()]) }),
    (10, { .pause($0.random.pick([20, 100, 300, 1200])) }),
    (9, { .commands($0.repair()) }),
  ]

  mutating func next() -> Event { random.pick(weighted: Self.makers)(&self) }

  private mutating func number() -> Int { random.below(2) + 1 }

  private static func far(_ number: Int) -> Place { number == 1 ? .far1 : .far2 }

  private mutating func route4() -> Command {
    let verb = random.pick(weighted: [(45, "append"), (15, "add"), (30, "del"), (10, "replace")])
    let prefix = random.pick(["default", "default", "10.9.0.0/24"])
    let metric = random.pick(weighted: [(70, ""), (30, " metric 50")])
    let number = number()
    if random.percent(12) {
      return .ip(
        "route \(verb == "del" ? "del" : "replace") \(prefix)\(metric) nexthop via 10.1.0.254 dev eth1 "
          + "nexthop via 10.2.0.254 dev eth2")
    }
    return .ip("route \(verb) \(prefix) via 10.\(number).0.254 dev eth\(number)\(metric)")
  }

  private mutating func route6() -> Command {
    let verb = random.pick(weighted: [(30, "append"), (25, "add"), (35, "del"), (10, "replace")])
    let number = number()
    let metric = random.pick(weighted: [(60, ""), (40, " metric \(100 * number)")])
    return .ipv6("route \(verb) default via fd00:\(number)::fe dev eth\(number)\(metric)")
  }

  /// A router that falls silent keeps its carrier; packets that need its address are lost.
  private mutating func silence() -> [Command] {
    let number = number()
    let verb = random.percent(50) ? "del" : "add"
    return UplinkLab.routerAddresses(number).map { .ip("addr \(verb) \($0)", in: Self.far(number)) }
  }

  private mutating func carrier() -> Command {
    let number = number()
    let state = random.percent(45) ? "down" : "up"
    return random.percent(75)
      ? .ip("link set p\(number) \(state)", in: Self.far(number)) : .ip("link set eth\(number) \(state)")
  }

  private mutating func rule() -> Command {
    let preference = random.below(4) + 10
    func command(_ text: String) -> Command { random.percent(50) ? .ip(text) : .ipv6(text) }
    if random.percent(55) { return command("rule del pref \(preference)") }
    let selector = random.pick(["ipproto udp", "ipproto tcp", "tos 0x10", "ipproto udp tos 0x10"])
    let action = random.pick(["unreachable", "prohibit", "blackhole", "goto 32766", "lookup 100"])
    return command("rule add pref \(preference) \(selector) \(action)")
  }

  /// Routes that lead nowhere.
  private mutating func nowhere() -> Command {
    let verb = random.percent(40) ? "add" : "del"
    return switch random.below(4) {
    case 0: .ipv6("route \(verb) fd00:9::/64 dev lo metric 10")
    case 1: .ip("route \(verb) throw 10.9.0.0/16 metric 10")
    case 2: .ip("route \(verb) blackhole 10.9.0.1/32 tos 0x10")
    default: .ipv6("route \(verb) unreachable fd00:9::/32 metric 5")
    }
  }

  private mutating func parameter() -> Command {
    let isOn = random.percent(50) ? 1 : 0
    return switch random.below(5) {
    case 0: .set("net/ipv4/fib_multipath_use_neigh", isOn)
    case 1: .set("net/ipv4/ip_nonlocal_bind", isOn)
    case 2: .set("net/ipv6/ip_nonlocal_bind", isOn)
    case 3: .set("net/ipv4/conf/eth\(number())/ignore_routes_with_linkdown", isOn)
    default: .set("net/ipv6/conf/eth\(number())/ignore_routes_with_linkdown", isOn)
    }
  }

  /// The tunnel, its far end's route, and a route that leads the tunnel's packets into the tunnel.
  private mutating func tunnel() -> [Command] {
    let verb = random.percent(50) ? "add" : "del"
    return switch random.below(4) {
    case 0: [.ip("link set tun1 down")]
    case 1: [.ip("route \(verb) 10.8.0.1/32 via 10.1.0.254 dev eth1")]
    case 2: [.ip("route \(random.percent(25) ? "add" : "del") 10.8.0.1/32 dev tun1 metric 1")]
    default: UplinkLab.tunnel
    }
  }

  private mutating func policy() -> Command {
    let network = random.pick(["10.9.0.0/24", "0.0.0.0/0", "fd00:9::/64"])
    let source = network.contains(":") ? "::/0" : "0.0.0.0/0"
    let selector = "dir out src \(source) dst \(network)"
    return .ip(
      random.percent(35) ? "xfrm policy add \(selector) action block" : "xfrm policy delete \(selector)")
  }

  /// Restores an uplink.
  private mutating func repair() -> [Command] {
    let number = number()
    return [
      .ip("link set p\(number) up", in: Self.far(number)), .ip("link set eth\(number) up"),
      .ip("addr add fd00:\(number)::1/64 dev eth\(number) nodad"),
    ] + UplinkLab.routerAddresses(number).map { .ip("addr add \($0)", in: Self.far(number)) } + [
      .ip("route add default via 10.\(number).0.254 dev eth\(number)")
    ]
  }
}
