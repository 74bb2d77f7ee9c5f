// SPDX-License-Identifier: Apache-2.0
/// Links: states, names, namespaces and masters.
extension Generator {
  mutating func upOrDown() -> [Command] {
    let name = random.percent(7) ? "lo" : link()
    return [.ip("link set \(name) \(random.percent(40) ? "down" : "up")")]
  }

  mutating func farUpOrDown() -> [Command] {
    let number = random.below(4) + 1
    return [.ip("link set p\(number) \(random.percent(45) ? "down" : "up")", in: Lab.far(number))]
  }

  mutating func linkMode() -> [Command] {
    let name = link()
    return switch random.below(4) {
    case 0: [.ip("link set \(name) mode dormant"), .ip("link set \(name) state dormant")]
    case 1: [.ip("link set \(name) mode default"), .ip("link set \(name) state up")]
    default: [.ip("link set \(name) carrier \(random.percent(50) ? "off" : "on")")]
    }
  }

  /// Changes that affect no status, or only indirectly.
  mutating func noise() -> [Command] {
    let name = link()
    return switch random.below(6) {
    case 0: [.ip("link set \(name) mtu 1000")]
    case 1: [.ip("link set \(name) mtu \(random.pick([1400, 1500]))")]
    case 2: [.ip("link set \(name) promisc \(random.percent(50) ? "on" : "off")")]
    case 3: [.ip("link set \(name) alias something")]
    case 4: [.ip("link set \(name) arp \(random.percent(30) ? "off" : "on")")]
    default: [.ip("link set \(name) allmulticast \(random.percent(50) ? "on" : "off")")]
    }
  }

  mutating func rename() -> [Command] {
    let name = links[number(), default: "v1"]
    let other = Self.otherName(name)
    return [.ip(random.percent(40) ? "link set \(name) name \(other)" : "link set \(other) name \(name)")]
  }

  mutating func alternativeName() -> [Command] {
    let number = number()
    let name = links[number, default: "v1"]
    let alternative = random.pick(Self.alternativeNames(number))
    let verb = random.percent(65) ? "add" : "del"
    // The kernel announces these names only while a link is up.
    return [.ip("link set \(name) up"), .ip("link property \(verb) dev \(name) altname \(alternative)")]
  }

  /// Moves a link to another namespace, and mostly back.
  mutating func move() -> [Command] {
    let number = random.pick([1, 2, 3, 5, 6].filter { links[$0] != nil })
    let name = links[number, default: "v1"]
    let place = Lab.far(3 - number % 2)
    let away = Command.ip("link set \(name) netns @\(place)")
    let back = Command.ip("link set \(name) netns @host", in: place)
    switch random.below(3) {
    case 0: return [away]
    case 1: return [back, .ip("link set \(name) up")] + Lab.addresses(number, of: name)
    default: return [away, back, .ip("link set \(name) up")]
    }
  }

  /// Removes a link, and mostly creates it again under another index.
  mutating func remake() -> [Command] {
    let number = random.below(3) + 1
    let name = "v\(number)"
    var commands: [Command] = random.percent(70) ? [.ip("link del \(name)")] : []
    if random.percent(70) {
      commands += Lab.cable(number) + [.ip("link set \(name) up")] + Lab.addresses(number, of: name)
    }
    return commands
  }

  mutating func master() -> [Command] {
    switch random.below(4) {
    case 0: [.ip("link set \(link()) nomaster")]
    case 1: [.ip("link set \(link()) master r10")]
    case 2: [.ip("link set \(random.pick(["v4", "v3", "x8", "t7"])) master br4")]
    default: [.ip("link set v4 \(random.pick(["up", "down", "master br4", "nomaster"]))")]
    }
  }

  /// Restores the initial state of one network.
  mutating func repair() -> [Command] {
    let number = number()
    let name = links[number, default: "v1"]
    var commands: [Command] = [
      .ip("link set \(name) mode default"), .ip("link set \(name) state up"), .ip("link set \(name) up"),
      .set("net/ipv6/conf/\(name)/disable_ipv6", 0),
    ]
    if (1...4).contains(number) {
      commands += [.ip("link set p\(number) up", in: Lab.far(number)), .ip("link set v\(number) up")]
    }
    commands += Lab.addresses(number, of: name)
    if random.percent(30) { commands.append(.ip("link set lo up")) }
    if number == 1 {
      commands += [.ip("route add default via 10.1.0.254"), .ipv6("route add default via fd00:1::fe")]
    }
    return commands
  }

  // MARK: Kernel parameters

  mutating func parameter() -> [Command] {
    let name = random.pick(weighted: [(80, link()), (12, "all"), (4, "default"), (4, "lo")])
    let isOn = random.percent(35) ? 1 : 0
    return switch random.below(13) {
    case 0, 1, 2: [.set("net/ipv4/conf/\(name)/ignore_routes_with_linkdown", isOn)]
    case 3, 4, 5: [.set("net/ipv6/conf/\(name)/ignore_routes_with_linkdown", isOn)]
    case 6: [.set("net/ipv6/conf/\(name)/disable_ipv6", isOn)]
    case 7: [.set("net/ipv4/nexthop_compat_mode", random.percent(50) ? 1 : 0)]
    case 8: [.set("net/ipv6/conf/\(name)/accept_dad", isOn)]
    case 9: [.set("net/ipv6/conf/\(name)/keep_addr_on_down", isOn)]
    case 10: [.set("net/ipv4/conf/\(name)/promote_secondaries", isOn)]
    case 11: [.set("net/ipv\(random.pick([4, 6]))/fib_multipath_hash_policy", isOn)]
    default: [.set("net/ipv6/conf/\(name)/forwarding", isOn)]
    }
  }
}
