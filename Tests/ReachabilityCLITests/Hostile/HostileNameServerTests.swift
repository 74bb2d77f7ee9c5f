#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

/// Whoever answers for a name chooses the bytes of the answer.
@Suite(.needsOwnSettings, .deadline) struct `Hostile answers of name servers` {
  @Test(arguments: HostileNameServer.words)
  func `no answer can leave its column in text or its string in JSON`(_ word: String)
    throws
  {
    let lab = try HostileNameServer.sample().lab
    // Both at once, since some answers are waited for in vain.
    let commands = try [[], ["--json"]].map { try lab.start(["check", "\(word).test", "127.0.0.1"] + $0) }
    let (text, json) = try (commands[0].finish(), commands[1].finish())
    text.expectHarmless(errors: 0, "check")
    json.expectHarmless(lines: 2, errors: 0, "check --json")
    let objects = json.objects()
    #expect(objects.map { $0["target"] as? String } == ["\(word).test", "127.0.0.1"])
    #expect(objects.last?["status"] as? String == "reachable")

    let told = (objects.first?["addresses"] as? [[String: Any]] ?? []).map { $0["address"] as? String ?? "" }
    #expect(HostileNameServer.addresses.isSuperset(of: told), "\(told)")
    #expect(Set(told).count == told.count)
    // The name, each of its addresses, and the other target.
    #expect(text.lines.count == told.count + 2, "\(text)")
    // The server can be heard at all.
    if word == "plain" { #expect(told == ["fd00:9::1", "10.9.0.1"]) }
  }

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
