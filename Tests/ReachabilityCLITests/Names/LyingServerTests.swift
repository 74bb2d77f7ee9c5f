// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Name servers that lie: no lookup exceeds its time limit, no status is wrong, and other names are unaffected.
@Suite(.needsOwnSettings, .needsPython, .deadline) struct `The command and lying name servers` {
  private static let route = "reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
  private static let late = "not reachable  no name server answered in time"
  private static let failed = "not reachable  the name server refused or failed"
  private static let empty = "not reachable  the name has no address"
  /// The C library's result for a malformed answer, the same as for a missing name (`EAI_NONAME`).
  private static let missing = "not reachable  no such name"

  /// The expected output for each kind of lie.
  private static let expected: KeyValuePairs = [
    "honest": route, "slow": route, "chain": route,
    // No valid answer ever arrives.
    "silent": late, "noise": late, "strangers": late, "another": late,
    // Truncated over UDP, and then over TCP: closed, or truncated again.
    "cut": failed, "cutforever": empty,
    "empty": failed, "rcode2": failed, "rcode5": failed,
    "self": missing, "loop": missing, "dangling": missing, "half": missing, "counts": missing,
    "rcode3": missing,
  ]

  private static func lab() throws -> NameLab {
    let lab = try NameLab(settings: NameLab.shortSettings, isServing: false)
    try lab.lie()
    return lab
  }

  @Test func `each kind of lie ends with its own reason, and honest answers stay right`() throws {
    let lab = try Self.lab()
    let start = ContinuousClock.now
    let outcome = try lab.start(["check"] + Self.expected.map { "\($0.key).\($0.key).test" }).finish()
    #expect(start.duration(to: .now) < .seconds(15))
    #expect(outcome.status == 1)
    #expect(outcome.errors == "")
    var printed: [String: String] = [:]
    for line in outcome.output.split(separator: "\n") where !line.hasPrefix(" ") {
      let words = line.split(separator: " ", maxSplits: 1)
      printed[words[0].split(separator: ".")[0].description] = words[1].drop { $0 == " " }.description
    }
    #expect(printed.count == Self.expected.count)
    for (lie, text) in Self.expected where printed[lie] != text {
      // On a busy machine a reply may come too late.
      guard text == Self.failed, printed[lie] == Self.late else {
        Issue.record("\(lie): \(printed[lie] ?? "nothing")")
        continue
      }
      let isInTime = try (0..<5).contains { _ in
        try lab.start(["check", "\(lie).\(lie).test"]).finish().output.contains(text)
      }
      #expect(isInTime, "\(lie)")
    }
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
    // One lookup never ends: over TCP, the rest of the answer does not arrive.
    let lies = Self.expected.map { "\($0.key).\($0.key).test" } + ["cutsilent.test", "most.test"]
    let command = try lab.start(["watch", "10.9.9.9", "honest.test"] + lies)
    var isKnown = false
    while !isKnown { isKnown = try command.nextLine().hasPrefix("TIME  honest.test ") }
    let start = ContinuousClock.now
    try lab.network.ip("route add blackhole 10.9.9.9/32")
    var isReported = false
    while !isReported {
      let line = try command.nextLine()
      isReported = line.hasPrefix("TIME  10.9.9.9 ") && line.contains("not reachable")
    }
    // The time limit of the lookups, 30 s, does not delay the change.
    #expect(start.duration(to: .now) < .seconds(15))
  }
}
#endif
