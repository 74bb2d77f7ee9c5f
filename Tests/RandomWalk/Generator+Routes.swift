// SPDX-License-Identifier: Apache-2.0
/// Routes and next hops.
extension Generator {
  private static let prefixes4 = [
    "0.0.0.0/0", "0.0.0.0/0", "0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "10.64.0.0/10", "10.66.0.0/16",
    "10.66.1.0/24", "10.66.1.1/32", "8.8.8.0/24", "8.8.8.8/32", "10.1.0.0/24", "10.2.0.0/16", "10.2.0.2/32",
    "10.3.0.9/32", "240.0.0.0/4", "0.0.0.0/8", "224.0.0.0/4", "203.0.113.0/24",
  ]

  private static let prefixes6 = [
    "::/0", "::/0", "::/0", "2000::/3", "8000::/1", "fd00:66::/32", "fd00:66:1::/48", "fd00:66:1::1/128",
    "2001:db8::/32", "2001:db8::8/128", "fd00:1::/64", "fd00:2::2/128", "fd00:3::1/128", "100::/8",
    "fe80::/64",
    "ff00::/8", "64:ff9b::/96",
  ]

  mutating func gateway4() -> String { "10.\(random.below(9) + 1).0.\(random.pick([2, 7, 254]))" }

  mutating func gateway6() -> String {
    random.percent(20)
      ? "fe80::\(random.below(3) + 1)" : "fd00:\(random.below(9) + 1)::\(random.pick(["2", "7", "fe"]))"
  }

  private mutating func verb() -> String {
    random.pick(weighted: [
      (45, "add"), (25, "del"), (15, "replace"), (5, "append"), (5, "prepend"), (3, "change"),
    ])
  }

  /// Returns a next hop: a gateway, a link or both.
  private mutating func hop4() -> String {
    switch random.below(10) {
    case 0..<4: " via \(gateway4())"
    case 4..<6: " dev \(random.percent(12) ? "lo" : link())"
    case 6..<8: " via \(gateway4()) dev \(link())\(random.maybe(50, " onlink"))"
    default: " via inet6 \(gateway6()) dev \(link())"
    }
  }

  private mutating func hop6() -> String {
    switch random.below(10) {
    case 0..<4: " via \(gateway6())"
    case 4..<6: " dev \(random.percent(12) ? "lo" : link())"
    default: " via \(gateway6()) dev \(link())\(random.maybe(20, " onlink"))"
    }
  }

  mutating func route4() -> Command {
    let verb = verb()
    let prefix = random.pick(Self.prefixes4)
    let kind = random.pick(weighted: [
      (56, ""), (14, "multipath"), (7, "blackhole"), (7, "unreachable"), (7, "prohibit"), (5, "throw"),
      (3, "local"),
    ])
    let ending = "\(prefix)\(table())\(metric())"
    if verb == "del", random.percent(70) { return .ip("route del \(ending)") }
    switch kind {
    case "":
      let source = random.maybe(15, " src 10.\(number()).0.\(random.pick([1, 50]))")
      return .ip("route \(verb) \(ending)\(random.maybe(5, " tos 0x10"))\(source)\(hop4())")
    case "multipath":
      let hops = (0..<random.below(3) + 1).map { _ in " nexthop\(hop4()) weight \(random.below(3) + 1)" }
      return .ip("route \(verb) \(ending)\(hops.joined())")
    case "local":
      return .ip("route \(verb) \(kind) \(ending) dev \(random.percent(50) ? "lo" : link())")
    default:
      return .ip("route \(verb) \(kind) \(ending)")
    }
  }

  mutating func route6() -> Command {
    let verb = verb()
    let prefix = random.pick(Self.prefixes6)
    let kind = random.pick(weighted: [
      (56, ""), (14, "multipath"), (7, "blackhole"), (7, "unreachable"), (7, "prohibit"), (5, "throw"),
      (3, "local"),
      (2, "anycast"), (1, "multicast"),
    ])
    let ending = "\(prefix)\(table())\(metric())"
    if verb == "del", random.percent(70) { return .ipv6("route del \(ending)") }
    switch kind {
    case "":
      let source = random.maybe(10, " from fd00:\(number())::/64")
      let own = random.maybe(10, " src fd00:\(number())::\(random.pick(["1", "50"]))")
      let lifetime = random.maybe(8, " expires \(random.below(3) + 1)")
      let preference = random.maybe(8, " pref \(random.pick(["high", "low"]))")
      return .ipv6("route \(verb) \(ending)\(source)\(own)\(hop6())\(lifetime)\(preference)")
    case "multipath":
      let hops = (0..<random.below(3) + 1).map { _ in " nexthop\(hop6()) weight \(random.below(3) + 1)" }
      return .ipv6("route \(verb) \(ending)\(hops.joined())")
    case "local", "anycast", "multicast":
      return .ipv6("route \(verb) \(kind) \(ending) dev \(random.percent(50) ? "lo" : link())")
    default:
      return .ipv6("route \(verb) \(kind) \(ending)")
    }
  }

  /// Adds a route with several next hops over cables, and changes the state of one far end.
  mutating func multipath() -> [Command] {
    var numbers = [1, 2, 3, 5]
    numbers.shuffle(using: &random)
    let chosen = numbers.prefix(random.below(2) + 2)
    let isIPv6 = random.percent(45)
    let prefix =
      isIPv6
      ? random.pick(["fd00:66::/32", "2001:db8::/32", "::/0"])
      : random.pick(["10.66.0.0/16", "8.8.8.0/24", "0.0.0.0/0"])
    let hops = chosen.map { number in
      let gateway = isIPv6 ? "fd00:\(number)::fe" : "10.\(number).0.254"
      return (number, "via \(gateway) dev \(links[number, default: "v1"])")
    }
    func command(_ text: String) -> Command { isIPv6 ? .ipv6(text) : .ip(text) }
    var commands: [Command] = []
    let verb = random.pick(["replace", "add"])
    if random.percent(30) {
      let first = isIPv6 ? 10 : 0
      // Groups number their next hops 1 to 4, or 11 to 14.
      let members = hops.map { "\(first + min($0.0, 4))" }
      commands += hops.map { command("nexthop replace id \(first + min($0.0, 4)) \($0.1)") }
      commands.append(.ip("nexthop replace id 21 group \(members.joined(separator: "/"))"))
      commands.append(command("route \(verb) \(prefix)\(table())\(metric()) nhid 21"))
    } else {
      let options = hops.map { " nexthop \($0.1) weight \(random.below(3) + 1)" }
      commands.append(command("route \(verb) \(prefix)\(table())\(metric())\(options.joined())"))
    }
    let number = random.pick(chosen.filter { $0 <= 4 })
    commands.append(.ip("link set p\(number) \(random.percent(70) ? "down" : "up")", in: Lab.far(number)))
    return commands
  }

  mutating func routeFlush() -> Command {
    let what = random.pick(weighted: [
      (30, "table 100"), (30, "table 200"), (10, "table 110"), (10, "table main"), (10, "dev \(link())"),
      (10, "proto boot"),
    ])
    return random.percent(50) ? .ip("route flush \(what)") : .ipv6("route flush \(what)")
  }

  // MARK: Next hops

  mutating func nexthop() -> Command {
    if random.percent(30) {
      return .ip("nexthop del id \(random.pick([1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23]))")
    }
    let verb = random.percent(60) ? "add" : "replace"
    switch random.below(10) {
    case 0..<4:
      let id = random.below(4) + 1
      let hop = random.pick(weighted: [
        (70, "via \(gateway4()) dev \(link())\(random.maybe(30, " onlink"))"), (15, "dev \(link())"),
        (15, "blackhole"),
      ])
      return .ip("nexthop \(verb) id \(id) \(hop)")
    case 4..<7:
      let id = random.below(4) + 11
      let hop = random.pick(weighted: [
        (70, "via \(gateway6()) dev \(link())\(random.maybe(30, " onlink"))"), (15, "dev \(link())"),
        (15, "blackhole"),
      ])
      return .ipv6("nexthop \(verb) id \(id) \(hop)")
    default:
      let first = random.percent(50) ? 1 : 11
      let members = (0..<random.below(3) + 1).map { _ in
        "\(first + random.below(4))\(random.maybe(30, ",\(random.below(4) + 1)"))"
      }
      return .ip("nexthop \(verb) id \(random.below(3) + 21) group \(members.joined(separator: "/"))")
    }
  }

  mutating func nexthopRoute() -> Command {
    let verb = random.pick(["add", "replace", "append"])
    if random.percent(50) {
      return .ip(
        "route \(verb) \(random.pick(Self.prefixes4))\(table())\(metric()) nhid \(random.pick([1, 2, 3, 4, 21, 22, 23]))"
      )
    }
    return .ipv6(
      "route \(verb) \(random.pick(Self.prefixes6))\(table())\(metric()) nhid \(random.pick([11, 12, 13, 14, 21, 22, 23]))"
    )
  }
}
