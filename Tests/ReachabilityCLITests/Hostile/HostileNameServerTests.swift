// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

/// A name server chooses the bytes of its answer.
@Suite(.needsOwnSettings, .needsPython, .deadline) struct `Hostile answers of name servers` {
  @Test(arguments: HostileNameServer.words)
  func `no answer can leave its column in text or its string in JSON`(_ word: String)
    throws
  {
    let lab = try HostileNameServer.sample().lab
    // Both run concurrently, since some answers only end by a timeout.
    let commands = try [[], ["--json"]].map { try lab.start(["check", "\(word).test", "127.0.0.1"] + $0) }
    let (text, json) = try (commands[0].finish(), commands[1].finish())
    text.expectHarmless(errors: 0, "check")
    json.expectHarmless(lines: 2, errors: 0, "check --json")
    let objects = json.objects()
    #expect(objects.map { $0["target"] as? String } == ["\(word).test", "127.0.0.1"])
    #expect(objects.last?["status"] as? String == "reachable")

    let addresses = (objects.first?["addresses"] as? [[String: Any]] ?? []).map {
      $0["address"] as? String ?? ""
    }
    #expect(HostileNameServer.addresses.isSuperset(of: addresses), "\(addresses)")
    #expect(Set(addresses).count == addresses.count)
    // The name, each of its addresses, and the other target.
    #expect(text.lines.count == addresses.count + 2, "\(text)")
    // Shows that the server's answers arrive.
    if word == "plain" { #expect(addresses == ["fd00:9::1", "10.9.0.1"]) }
  }

  // Slow: five name servers, and commands that run for a second.
  @Test(arguments: ["escape", "newline", "cut", "many", "odd"])
  func `no answer can do so in a watch or a wait`(_ word: String) throws {
    let lab = try HostileNameServer.sample().lab
    let runs = [["watch"], ["wait", "--until", "unreachable"]].flatMap { [$0, $0 + ["--json"]] }
    let commands = try runs.map { try lab.start($0 + ["\(word).test", "--timeout", "1s"]) }
    for (run, command) in zip(runs, commands) {
      try command.finish().expectHarmless(isJSON: run.last == "--json", "\(run)")
    }
  }
}
#endif
