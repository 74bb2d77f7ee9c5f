#if os(Linux)
import Foundation
import LiveSupport

/// One command that sets a network up or changes it, written as in a shell.
///
/// `route add …` and other commands of `ip` run on the machine, and with the prefix `world` at the far end, whose
/// namespace they call WORLD. `sysctl KEY=VALUE` sets a parameter of the machine's network. `churn N` adds and deletes N
/// unrelated routes; `storm N` does so while the competitor is stopped.
struct Step: ExpressibleByStringLiteral, Sendable {
  let text: String

  init(stringLiteral text: String) { self.text = text }
  init(_ text: String) { self.text = text }

  /// The command for a shell, in the namespaces `machine` and `world`.
  var shell: String {
    let (isInWorld, words) = place
    let name = isInWorld ? "world" : "machine"
    switch words.first {
    case "sysctl": return "ip netns exec \(name) sysctl -qw '\(words.dropFirst().joined(separator: " "))'"
    case "churn":
      return
        "for verb in add del; do for i in $(seq \(words[1])); do echo route $verb 10.$((i / 256 + 100)).$((i % 256)).0/24 dev eth0; done; done | ip -n machine -batch -"
    case "storm": return "kill -STOP $watcher; \(Step("churn \(words[1])").shell); kill -CONT $watcher"
    default:
      return "ip -n \(name) " + words.joined(separator: " ").replacing("WORLD", with: "world")
    }
  }

  private var place: (isInWorld: Bool, words: [String]) {
    let words = text.split(separator: " ").map(String.init)
    return words.first == "world" ? (true, Array(words.dropFirst())) : (false, words)
  }

  /// Does it.
  ///
  /// - Parameter watcher: The competitor's processes, which a storm stops.
  func perform(on machine: NetworkNamespace, and world: NetworkNamespace, _ watcher: Watcher?) throws {
    let (isInWorld, words) = place
    let network = isInWorld ? world : machine
    switch words.first {
    case "sysctl":
      let parts = words.dropFirst().joined(separator: " ").split(separator: "=", maxSplits: 1).map(
        String.init)
      try network.writeSysctl(parts[0].replacing(".", with: "/"), parts[1])
    case "churn": try Self.churn(Int(words[1]) ?? 0, in: machine)
    case "storm":
      watcher?.signal(SIGSTOP)
      defer { watcher?.signal(SIGCONT) }
      try Self.churn(Int(words[1]) ?? 0, in: machine)
    default:
      try network.ip(
        words.map { $0 == "WORLD" ? (isInWorld ? "\(machine.threadID)" : "\(world.threadID)") : $0 })
    }
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
#endif
