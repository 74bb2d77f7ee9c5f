// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import LiveSupport

/// One command that sets a network up or changes it, written as in a shell.
///
/// `route add …` and other commands of `ip` run on the machine, and with the prefix `world` or `router` at the far end or
/// between both. They call these namespaces WORLD and ROUTER. `sysctl KEY=VALUE` sets a parameter of a namespace. `churn N`
/// adds and deletes N unrelated routes; `storm N` does so while the competitor is stopped. `advertise END LINK` makes the
/// world an IPv6 router on one of its links: it advertises itself until the machine has a route over its own link.
struct Step: ExpressibleByStringLiteral, Sendable {
  let text: String

  init(stringLiteral text: String) { self.text = text }
  init(_ text: String) { self.text = text }

  /// The command for a shell, in the namespaces `machine`, `world` and `router`.
  var shell: String {
    let (name, words) = place
    switch words.first {
    case "sysctl": return "ip netns exec \(name) sysctl -qw '\(words.dropFirst().joined(separator: " "))'"
    case "churn":
      return
        "for verb in add del; do for i in $(seq \(words[1])); do echo route $verb 10.$((i / 256 + 100)).$((i % 256)).0/24 dev eth0; done; done | ip -n machine -batch -"
    case "advertise":
      return
        "until ip -n machine -6 route show default dev \(words[2]) | grep -q 'proto ra'; do ip netns exec world python3 -c '\(Self.advertisement)' \(words[1]) 2>/dev/null || true; sleep 0.1; done"
    case "storm": return "kill -STOP $watcher; \(Step("churn \(words[1])").shell); kill -CONT $watcher"
    default:
      return "ip -n \(name) "
        + words.joined(separator: " ").replacing("WORLD", with: "world").replacing("ROUTER", with: "router")
    }
  }

  /// The command for a shell on the machine itself, without what a storm does to a competitor; `nil` if it runs elsewhere.
  var local: String? {
    let (name, words) = place
    guard name == "machine", words.first != "advertise" else { return nil }
    if words.first == "storm" { return Step("churn \(words[1])").local }
    return shell.replacing("ip netns exec machine ", with: "").replacing("ip -n machine ", with: "ip ")
  }

  private var place: (name: String, words: [String]) {
    let words = text.split(separator: " ").map(String.init)
    guard let first = words.first, ["world", "router"].contains(first) else { return ("machine", words) }
    return (first, Array(words.dropFirst()))
  }

  /// Does it.
  ///
  /// - Parameter watcher: The competitor's processes, which a storm stops.
  func perform(in lab: Lab, _ watcher: Watcher? = nil) throws {
    let (name, words) = place
    let network = name == "machine" ? lab.machine : name == "world" ? lab.world : lab.router
    switch words.first {
    case "sysctl":
      let parts = words.dropFirst().joined(separator: " ").split(separator: "=", maxSplits: 1).map(
        String.init)
      try network.writeSysctl(parts[0].replacing(".", with: "/"), parts[1])
    case "advertise": try Self.advertise(at: words[1], to: words[2], in: lab)
    case "churn": try Self.churn(Int(words[1]) ?? 0, in: lab.machine)
    case "storm":
      watcher?.signal(SIGSTOP)
      defer { watcher?.signal(SIGCONT) }
      try Self.churn(Int(words[1]) ?? 0, in: lab.machine)
    default:
      let numbers = ["WORLD": lab.world.threadID, "ROUTER": lab.router.threadID]
      try network.ip(words.map { word in numbers[word].map { "\($0)" } ?? word })
    }
  }

  /// Sends what ``RouterAdvertisement`` does, over the link that is the argument.
  private static let advertisement =
    "import socket, sys; s = socket.socket(10, 3, 58); s.setsockopt(41, 18, 255); s.setsockopt(41, 17, socket.if_nametoindex(sys.argv[1])); s.sendto(bytes([134, 0, 0, 0, 64, 0, 7, 8] + 8 * [0]), (\"ff02::1\", 0))"

  private static func advertise(at end: String, to link: String, in lab: Lab) throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      // Without effect until the far end has a link-local address.
      _ = try lab.world.run { RouterAdvertisement.send(over: end) }
      usleep(20_000)
      if try lab.machine.ip("-6 route show default dev \(link)").contains("proto ra") { return }
    }
    throw CommandError("no route from an advertisement over \(link)")
  }

  /// Adds and deletes routes that no target uses.
  static func churn(_ count: Int, in machine: NetworkNamespace) throws {
    let batch = try CommandBatch(in: machine)
    for verb in ["add", "del"] {
      _ = try batch.run(
        (1...count).map { "route \(verb) 10.\($0 / 256 + 100).\($0 % 256).0/24 dev eth0" })
    }
  }
}
