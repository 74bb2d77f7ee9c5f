#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Name servers that lie: no name takes longer than it may, none is told wrongly, and other names do not suffer.
@Suite(.needsNameServer, .deadline) struct `The command and lying name servers` {
  private static let route = "reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
  private static let late = "not reachable  no name server answered in time"
  private static let failed = "not reachable  the name server refused or failed"
  private static let empty = "not reachable  the name has no address"
  /// What the C library makes of an answer that it can't read, as of a name that does not exist (`EAI_NONAME`).
  private static let missing = "not reachable  no such name"

  /// What is told of a name for each kind of lie.
  private static let told: KeyValuePairs = [
    "honest": route, "slow": route, "chain": route,
    // Nothing that counts is ever said.
    "silent": late, "noise": late, "strangers": late, "another": late,
    // Truncated over UDP, and what then comes over TCP: an end, or the same again.
    "cut": failed, "cutforever": empty,
    "empty": failed, "rcode2": failed, "rcode5": failed,
    "self": missing, "loop": missing, "dangling": missing, "half": missing, "counts": missing,
    "rcode3": missing,
  ]

  private static func lab() throws -> NameLab {
    let lab = try NameLab(settings: NameLab.impatientSettings, isServing: false)
    try lab.lie()
    return lab
  }

  @Test func `each kind of lie ends with its own reason, and honest answers stay right`() throws {
    let lab = try Self.lab()
    let start = ContinuousClock.now
    let outcome = try lab.start(["check"] + Self.told.map { "\($0.key).\($0.key).test" }).finish()
    #expect(start.duration(to: .now) < .seconds(15))
    #expect(outcome.status == 1)
    #expect(outcome.errors == "")
    var told: [String: String] = [:]
    for line in outcome.output.split(separator: "\n") where !line.hasPrefix(" ") {
      let words = line.split(separator: " ", maxSplits: 1)
      told[words[0].split(separator: ".")[0].description] = words[1].drop { $0 == " " }.description
    }
    #expect(told.count == Self.told.count)
    for (lie, text) in Self.told { #expect(told[lie] == text, "\(lie)") }
  }

  @Test(arguments: [("thousand", 1000), ("most", 4000)])
  func `a name may have as many addresses as an answer holds`(_ lie: String, _ count: Int) throws {
    let lab = try Self.lab()
    let outcome = try lab.start(["check", "\(lie).test"]).finish()
    #expect(outcome.status == 0)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "\(lie).test  \(Self.route)")
    #expect(Set(lines.dropFirst()).count == count)
    #expect(lines.count { $0.hasPrefix("  10.9.") && $0.hasSuffix(Self.route) } == count)
  }

  @Test func `a lying name server does not delay changes`() throws {
    let lab = try Self.lab()
    // One whose look-up never ends is among them: the rest of its answer does not come, over TCP.
    let lies = Self.told.map { "\($0.key).\($0.key).test" } + ["cutsilent.test", "most.test"]
    let command = try lab.start(["watch", "10.9.9.9", "honest.test"] + lies)
    var isKnown = false
    while !isKnown { isKnown = try command.nextLine().hasPrefix("TIME  honest.test ") }
    let start = ContinuousClock.now
    try lab.network.ip("route add blackhole 10.9.9.9/32")
    var isTold = false
    while !isTold {
      let line = try command.nextLine()
      isTold = line.hasPrefix("TIME  10.9.9.9 ") && line.contains("not reachable")
    }
    // Not after the names' time.
    #expect(start.duration(to: .now) < .seconds(2))
  }
}
#endif
