// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// The queried targets.
enum Targets {
  private static let far4: [ReachabilityAddress] = [
    "8.8.8.8", "8.8.8.9", "10.66.1.1", "10.66.1.2", "10.66.2.1", "10.70.0.1", "203.0.113.7", "192.0.2.1",
    "0.0.0.1",
    "240.0.0.1", "255.255.255.255", "224.0.0.251", "239.1.2.3", "169.254.1.1", "127.0.0.1", "127.9.9.9",
    "127.255.255.255",
    "::ffff:10.1.0.2", "::ffff:8.8.8.8",
  ]

  private static let far6: [ReachabilityAddress] = [
    "fd00:66:1::1", "fd00:66:1::2", "fd00:66:2::1", "2001:db8::8", "2001:db8::9", "2000::1", "100::1",
    "3000::1",
    "9000::1", "64:ff9b::808:808", "::1", "ff0e::1", "fe80::2", "ff02::fb",
  ]

  /// The targets that are observed during the whole walk.
  static let watched: [ReachabilityTarget] = {
    let addresses: [ReachabilityAddress] = [
      "8.8.8.8", "10.1.0.2", "10.1.0.1", "10.2.0.2", "10.3.0.254", "10.4.0.2", "10.5.0.2", "10.6.0.2",
      "10.66.1.1",
      "10.66.2.1", "240.0.0.1", "224.0.0.251", "127.0.0.1", "2001:db8::8", "fd00:1::2", "fd00:1::1",
      "fd00:2::2",
      "fd00:3::9", "fd00:4::2", "10.20.0.1", "10.20.0.255", "fd00:20::1", "fd00:66:1::1", "fd00:66:2::1",
      "ff0e::1", "::1",
    ]
    return addresses.map { .address($0) } + [
      .defaultRoute,
      ReachabilityTarget(.defaultRoute, source: "10.2.0.1"),
      ReachabilityTarget(.defaultRoute, interface: .name("v2")),
      ReachabilityTarget(.defaultRoute, mark: 1),
      ReachabilityTarget(.address("8.8.8.8"), source: "10.1.0.1"),
      ReachabilityTarget(.address("8.8.8.8"), source: "10.1.0.50"),
      ReachabilityTarget(.address("10.66.1.1"), interface: .name("v2")),
      ReachabilityTarget(.address("10.66.1.1"), mark: 1),
      ReachabilityTarget(.address("2001:db8::8"), source: "fd00:1::1"),
      ReachabilityTarget(.address("2001:db8::8"), source: "fd00:9::9"),
      ReachabilityTarget(.address("fd00:66:1::1"), source: "fd00:2::1", interface: .name("v2")),
      ReachabilityTarget(.address("fd00:66:1::1"), interface: .name("v3"), mark: 2),
      .address("fe80::2", zone: .name("v1")),
      .address("fe80::2", zone: .name("v2")),
      .address("ff02::fb", zone: .name("v3")),
      ReachabilityTarget(.address("10.3.0.2"), interface: .index(1)),
      ReachabilityTarget(.address("10.2.0.2"), interface: .name("wv2")),
      ReachabilityTarget(.address("10.2.0.2"), interface: .name("alt2")),
      ReachabilityTarget(.address("fd00:3::2"), interface: .name("the-cable-of-network-3")),
    ]
  }()

  /// Returns a random target with its user.
  static func next(_ random: inout SeededGenerator, links: [Int: String]) -> Inquiry {
    let target = target(&random, links: links)
    let user = random.percent(Abilities.here.hasUsers ? 12 : 0) ? random.pick([5, 7, 1000] as [UInt32]) : 0
    return Inquiry(target, userID: user, wantsPackets: random.percent(12))
  }

  private static func target(_ random: inout SeededGenerator, links: [Int: String]) -> ReachabilityTarget {
    let numbers = links.keys.sorted()
    let number = random.pick(numbers)
    let isIPv6 = random.percent(50)
    var target = ReachabilityTarget(
      random.percent(10) ? .defaultRoute : .address(destination(&random, number, isIPv6)))
    if random.percent(22) { target.source = source(&random, random.pick(numbers), isIPv6) }
    if random.percent(10) { target.mark = random.pick([0, 1, 2, 3]) }
    var interface = random.percent(18)
    if case .address(let address) = target.destination, address.needsZone { interface = random.percent(95) }
    if interface { target.interface = Self.interface(&random, random.pick(numbers), links) }
    if random.percent(14) {
      target.transport = random.pick([nil, .tcp, .udp])
      target.port = random.pick([nil, 53, 443])
    }
    return target
  }

  private static func destination(_ random: inout SeededGenerator, _ number: Int, _ isIPv6: Bool)
    -> ReachabilityAddress
  {
    guard random.percent(50) else { return random.pick(isIPv6 ? far6 : far4) }
    // The network of the loopback interface.
    let number = random.percent(8) ? 20 : number
    let text =
      isIPv6
      ? "fd00:\(number)::\(random.pick(["", "1", "2", "7", "fe", "50", "77", "9999"]))"
      : "10.\(number).\(random.pick(["0.0", "0.1", "0.2", "0.7", "0.254", "0.255", "0.50", "9.9", "1.1"]))"
    return ReachabilityAddress(text[...]) ?? "192.0.2.99"
  }

  private static func source(_ random: inout SeededGenerator, _ number: Int, _ isIPv6: Bool)
    -> ReachabilityAddress?
  {
    // Occasionally of the other family.
    let text =
      isIPv6 != random.percent(3)
      ? random.pick([
        "fd00:\(number)::1", "fd00:\(number)::1", "fd00:\(number)::50", "fd00:9::9", "::1",
        "fe80::ff:fe00:10\(number)", "2001:db8:\(number)::1",
      ])
      : random.pick([
        "10.\(number).0.1", "10.\(number).0.1", "10.\(number).0.50", "9.9.9.9", "127.0.0.1",
      ])
    return ReachabilityAddress(text[...])
  }

  private static func interface(
    _ random: inout SeededGenerator, _ number: Int, _ links: [Int: String]
  ) -> ReachabilityTarget.Interface {
    let name = links[number, default: "v1"]
    return switch random.below(12) {
    case 0: .index(random.below(24) + 1)
    case 1: .name("lo")
    case 2: .name(Generator.otherName(name))
    case 3...5: .name(random.pick(Generator.alternativeNames(number)))
    default: .name(name)
    }
  }
}
