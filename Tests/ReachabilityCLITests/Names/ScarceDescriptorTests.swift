// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The status of names in a command with few descriptors.
@Suite(.needsNameServer, .deadline) struct `Names with few descriptors` {
  private static let route = "reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
  private static let unknown = "unknown        the system could not be queried"

  @Test(arguments: 6...24)
  func `a name that cannot be looked up is unknown, not missing`(_ limit: Int) throws {
    let outcome = try NameLab.sample().start(
      ["check", "a.test", "listed.test"], descriptors: limit
    ).finish()
    if outcome.output.isEmpty {
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("error: the kernel's network tables can't be read: could not "))
      #expect(outcome.errors.hasSuffix(": Too many open files\n"))
      return
    }
    var unknowns = 0
    for name in ["a.test", "listed.test"] {
      let line = outcome.output.split(separator: "\n").first { $0.hasPrefix(name) }
      let printed = line.map { $0.dropFirst(13).description }
      #expect(printed == Self.route || printed == Self.unknown, "\(outcome.output)")
      if printed == Self.unknown { unknowns += 1 }
    }
    #expect(outcome.status == (unknowns > 0 ? 2 : 0))
  }

  @Test(arguments: 6...24)
  func `name servers that cannot be read are unknown, not missing`(_ limit: Int) throws {
    let outcome = try NameLab.sample().start(["path"], descriptors: limit).finish()
    guard !outcome.output.isEmpty else { return #expect(outcome.status == 2) }
    let line = outcome.output.split(separator: "\n").first { $0.hasPrefix("DNS") }
    let printed = line.map { $0.dropFirst(3).drop { $0 == " " }.description }
    #expect(printed == "no, 127.0.0.1 (no route)" || printed == "unknown", "\(outcome.output)")
  }
}
#endif
