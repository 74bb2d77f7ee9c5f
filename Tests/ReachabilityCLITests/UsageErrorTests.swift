// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct `Usage errors` {
  @Test(
    arguments: Mistake.ofOptions + Mistake.ofSpelling + Mistake.ofValues + Mistake.ofFit + Mistake.ofRecords
      + Mistake.ofPath
      + Mistake.ofProbe + Mistake.ofMetrics)
  func `a mistake in an option is an error with the accepted form as its hint`(_ mistake: Mistake) throws {
    try #expect(mistake.outcome() == Outcome(status: 2, errors: mistake.errors))
  }

  @Test(arguments: Mistake.ofTargets)
  func `a malformed target is an error with the accepted forms as its hint`(_ mistake: Mistake) throws {
    try #expect(mistake.outcome() == Outcome(status: 2, errors: mistake.errors))
  }

  @Test func `all malformed targets are reported together`() throws {
    try #expect(
      reachability("wait", "one..example", "10.1.0.1", "10.1", "fe80::1%", "--json")
        == Outcome(
          status: 2,
          errors: """
            error: 'one..example' is not a host name: it has an empty part between dots
            error: '10.1' is not an IP address
            error: 'fe80::1%' has an invalid zone: it is an interface's name or index, of a link-local or multicast IPv6 address
            \(targetHint)

            """))
  }

  @Test func `control characters in a malformed target are escaped`() throws {
    try #expect(
      reachability("a\u{1b}[31mb")
        == Outcome(
          status: 2,
          errors: """
            error: 'a\\u{1b}[31mb' is not a host name: '\\u{1b}' is not allowed in a name
            \(targetHint)

            """))
  }

  @Test func `control characters in a contradicting zone are escaped`() throws {
    let outcome = try reachability("fe80::1%a\u{1b}[31mb", "--interface", "c\u{1b}[32md")
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: the zone of 'fe80::1%a\\u{1b}[31mb' differs from --interface c\\u{1b}[32md
            \(targetHint)

            """))
  }

  @Test func `control characters in options are escaped`() throws {
    try #expect(
      reachability("--a\u{1b}[31mb")
        == Outcome(status: 2, errors: "error: unknown option --a\\u{1b}[31mb\n\(optionHint)\n"))
    try #expect(
      reachability("--mark", "\u{202e}1")
        == Outcome(status: 2, errors: "error: invalid value '\\u{202e}1' for --mark\n\(markHint)\n"))
  }
}
#endif
