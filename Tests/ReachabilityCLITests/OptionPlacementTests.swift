// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `Options and targets` {
  @Test(arguments: [
    ["--mark", "66", "10.9.0.1", "10.1.0.2"], ["10.9.0.1", "--mark", "66", "10.1.0.2"],
    ["10.9.0.1", "10.1.0.2", "--mark=66"], ["check", "--mark=0x42", "10.9.0.1", "10.1.0.2"],
    ["--mark", "66", "check", "10.9.0.1", "10.1.0.2"], ["--mark=66", "--", "10.9.0.1", "10.1.0.2"],
    ["--mark=66", "check", "--", "10.9.0.1", "10.1.0.2"], ["10.9.0.1", "--mark", "66", "--", "10.1.0.2"],
    ["--mark", "1", "10.9.0.1", "10.1.0.2", "--mark", "66"],
  ])
  func `options may stand anywhere before two dashes, and the last of a name applies`(
    _ arguments: [String]
  ) throws {
    try #expect(
      RunningCommand(arguments, in: .sample()).finish()
        == Outcome(
          status: 0,
          output: """
            10.9.0.1  reachable      wire1 (wired) via 10.2.0.254 from 10.2.0.1
            10.1.0.2  reachable      eth0 (wired) from 10.1.0.1

            """))
  }

  @Test func `two dashes alone leave the default route as the target`() throws {
    try #expect(
      reachability("--", in: .sample())
        == Outcome(
          status: 0, output: "default  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1, no IPv6\n")
    )
  }

  @Test func `an option's value may begin with a dash`() throws {
    try #expect(
      reachability("--interface", "--json", "10.1.0.2", in: .sample())
        == Outcome(status: 1, output: "10.1.0.2  not reachable  no such interface\n"))
  }

  @Test func `an interface may be named by its index`() throws {
    try #expect(
      reachability("127.0.0.1", "--interface", "1", in: .sample())
        == Outcome(status: 0, output: "127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"))
  }

  @Test func `constraints apply to the default route too`() throws {
    try #expect(
      reachability("--from", "10.2.0.1", in: .sample())
        == Outcome(status: 0, output: "default  reachable      wire1 (wired) via 10.2.0.253 from 10.2.0.1\n"))
    try #expect(
      reachability("--from", "fd00:1::1", in: .sample())
        == Outcome(status: 1, output: "default  not reachable  no route\n"))
  }
}
#endif
