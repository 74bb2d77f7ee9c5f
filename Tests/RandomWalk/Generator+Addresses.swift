// SPDX-License-Identifier: Apache-2.0
/// Addresses and policy rules.
extension Generator {
  private mutating func lifetime() -> String {
    switch random.below(10) {
    case 0: " valid_lft \(random.below(3) + 1) preferred_lft 1"
    case 1: " valid_lft forever preferred_lft 0"
    default: ""
    }
  }

  private mutating func addressVerb() -> String {
    random.pick(weighted: [(55, "add"), (30, "del"), (10, "replace"), (5, "change")])
  }

  /// Returns the number of a network and mostly its link; the loopback interface has one too.
  private mutating func network() -> (Int, String) {
    if random.percent(6) { return (20, "lo") }
    let number = number()
    return (number, random.percent(90) ? links[number, default: "v1"] : link())
  }

  mutating func address4() -> Command {
    if random.percent(4) { return .ip("addr flush dev \(link())") }
    let (number, name) = network()
    let verb = addressVerb()
    let address = random.pick([
      "10.\(number).0.1/24", "10.\(number).0.1/24", "10.\(number).0.50/24", "10.\(number).0.50/32",
      "10.\(number).1.1/16", "10.\(number).0.1 peer 10.\(number).9.9/32",
      "10.\(number).0.1 peer 10.\(number).9.9/24",
    ])
    guard verb != "del" else { return .ip("addr del \(address) dev \(name)") }
    let extra = random.pick(weighted: [
      (80, ""), (5, " scope link"), (5, " scope host"), (5, " noprefixroute"), (5, " metric 50"),
    ])
    return .ip("addr \(verb) \(address) dev \(name)\(extra)\(lifetime())")
  }

  mutating func address6() -> Command {
    if random.percent(4) { return .ipv6("addr flush dev \(link())") }
    let (number, name) = network()
    let verb = addressVerb()
    let address = random.pick([
      "fd00:\(number)::1/64", "fd00:\(number)::1/64", "fd00:\(number)::50/64", "fd00:\(number)::77/128",
      "fe80::\(number):1/64", "fd00:\(number)::1 peer fd00:\(number)::9999/128", "2001:db8:\(number)::1/64",
    ])
    guard verb != "del" else { return .ipv6("addr del \(address) dev \(name)") }
    let extra = random.pick(weighted: [
      (60, " nodad"), (25, ""), (5, " noprefixroute nodad"), (5, " metric 50 nodad"), (5, " optimistic"),
    ])
    return .ipv6("addr \(verb) \(address) dev \(name)\(extra)\(lifetime())")
  }

  // MARK: Rules

  mutating func rule() -> Command {
    let isIPv6 = random.percent(50)
    func command(_ text: String) -> Command { isIPv6 ? .ipv6(text) : .ip("\(text)") }
    let preference = random.below(10) + 10
    if random.percent(60) { return command("rule del pref \(preference)") }
    if random.percent(4) {
      // The rules that every kernel starts with.
      return random.pick([
        command("rule del pref 0"), command("rule add pref 0 lookup local"),
        command("rule add pref 0 lookup local"),
        command("rule del pref 32766"), command("rule add pref 32766 lookup main"),
        command("rule add pref 32766 lookup main"),
      ])
    }
    let number = number()
    let source =
      isIPv6
      ? "fd00:\(number)::\(random.pick(["1", "50"]))" : "10.\(number).0.\(random.pick(["1", "50", "0/24"]))"
    let destination =
      isIPv6
      ? random.pick([
        "fd00:66::/32", "fd00:66:1::1", "2001:db8::8", "2001:db8::/32", "fd00:\(number)::/64", "2000::/3",
      ])
      : random.pick(["10.66.0.0/16", "10.66.1.1", "8.8.8.8", "8.0.0.0/8", "10.\(number).0.0/24", "0.0.0.0/1"])
    let selector = random.pick(weighted: [
      (25, "from \(source)"), (30, "to \(destination)"), (10, "from \(source) to \(destination)"),
      (10, "fwmark 0x1"),
      (5, "fwmark 0x2/0x2"), (4, "iif lo"), (4, "iif \(link())"), (8, "oif \(link())"),
      (4, "not to \(destination)"),
      (3, "uidrange 0-0"), (3, "uidrange 5-7"), (2, "uidrange 7-9"), (2, "uidrange 0-7"),
      (2, "uidrange 1000-4294967294"), (2, "uidrange 5-7 to \(destination)"), (2, "ipproto tcp"),
      (3, "ipproto tcp dport 443"), (2, "ipproto udp dport 53"), (2, "ipproto tcp dport 440-450"),
      (2, "dport 53 to \(destination)"), (3, "from all"), (2, "tos 0x10"),
    ])
    let action = random.pick(weighted: [
      (20, "lookup 100"), (15, "lookup 200"), (8, "lookup main"), (5, "lookup 110"), (5, "lookup 77"),
      (5, "lookup main suppress_prefixlength 0"), (3, "lookup main suppress_ifgroup 0"), (8, "blackhole"),
      (8, "unreachable"), (8, "prohibit"), (3, "goto 32766"), (3, "nop"), (3, "lookup local"),
    ])
    return command("rule add pref \(preference) \(selector) \(action)")
  }
}
