// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `reachability record` as root in a folder of another user, who may put anything there at any moment.
@Suite(.needsNamespaces, .needsOtherUser, .deadline) struct `A record in the folder of another user` {
  private static let user = 65534
  private let folder: RecordFolder
  /// A folder that the other user may not write to.
  private let own: RecordFolder

  init() throws {
    folder = try RecordFolder()
    own = try RecordFolder()
    try FileManager.default.setAttributes(
      [.ownerAccountID: Self.user, .groupOwnerAccountID: Self.user, .posixPermissions: 0o755],
      ofItemAtPath: folder.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: own.path)
  }

  /// A shell command in the other user's folder, as this user.
  private func asUser(_ command: String) -> String {
    "cd '\(folder.path)' && setpriv --reuid \(Self.user) --regid \(Self.user) --clear-groups sh -ec '\(command)'"
  }

  @Test func `a lock of a reader neither stops a record nor keeps it from starting`() throws {
    let ready = folder.path + "/ready"
    try own.write(#"{"version":1,"time":""}"# + "\n")
    let reader = try RunningCommand(
      [own.file, "-c", "touch '\(ready)'; exec sleep 100"], of: "reachability",
      through: """
        shift; exec setpriv --reuid \(Self.user) --regid \(Self.user) --clear-groups --pdeathsig KILL \
        flock -s "$@"
        """)
    let deadline = ContinuousClock.now + .seconds(20)
    while !FileManager.default.fileExists(atPath: ready) {
      try #require(ContinuousClock.now < deadline)
      usleep(1000)
    }
    let command = try own.record(in: .sample())
    try own.wait(for: #""event":"initial""#, 2)
    let second = try own.record(in: .sample())
    try #expect(second.finish().errors.hasPrefix("error: another 'record' appends to \(own.file)\n"))
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    // The lock is a file that only its owner can open, and goes with the record.
    #expect(own.names == ["history.jsonl"])
    reader.send(SIGKILL)
  }

  @Test func `a link of the other user is not followed at the start`() throws {
    let victim = own.path + "/created"
    try NetworkNamespace.sample().sh(asUser("ln -s '\(victim)' history.jsonl"))
    let outcome = try folder.record(in: .sample()).finish()
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: \(folder.file) is a symbolic link"), "\(outcome.errors)")
    #expect(own.names == [])
  }

  @Test(arguments: ["ln -s", "ln"])
  func `a link that replaces the file is not followed`(link: String) throws {
    let network = try NetworkNamespace.wired()
    let victim = own.path + "/victim"
    try #"{"version":1,"time":""}"#.appending("\n").write(toFile: victim, atomically: false, encoding: .utf8)
    // As root, since a kernel that protects hard links refuses another user's.
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    try network.sh("cd '\(folder.path)' && \(link) '\(victim)' other && mv other history.jsonl")
    if link == "ln -s" {
      try network.sh(asUser("rm history.jsonl; ln -s '\(victim)' history.jsonl"))
    }
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let error = try command.nextLine(of: .errors)
    #expect(
      error.hasPrefix("error: \(folder.file) ") && error.hasSuffix("lines are lost until it works again"))
    try #expect(String(contentsOfFile: victim, encoding: .utf8).count == 24)
    command.send(SIGTERM)
    try #expect(command.finish().status == 2)
    try #expect(String(contentsOfFile: victim, encoding: .utf8).count == 24)
  }

  @Test func `a folder that a link replaces is not followed`() throws {
    let network = try NetworkNamespace.wired()
    let inner = folder.path + "/inner"
    try NetworkNamespace.sample().sh(asUser("mkdir inner"))
    let command = try RunningCommand(
      ["record", "--heartbeat", "1s", "--to", inner + "/history.jsonl", "10.9.0.1"], in: network)
    let deadline = ContinuousClock.now + .seconds(20)
    func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    while text(inner + "/history.jsonl").split(separator: "\n").count < 3 {
      try #require(ContinuousClock.now < deadline)
      usleep(1000)
    }
    try NetworkNamespace.sample().sh(asUser("mv inner moved && ln -s '\(own.path)' inner"))
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    // Two heartbeats, of which one began after the change.
    while !text(folder.path + "/moved/history.jsonl").contains(/"change"(.*\n)*.*"heartbeat"/) {
      try #require(ContinuousClock.now < deadline)
      usleep(1000)
    }
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    #expect(own.names == [])
  }

  @Test func `links that come and go while lines are written lead to no other file`() throws {
    let network = try NetworkNamespace.wired()
    let line = #"{"version":1,"time":""}"# + "\n"
    let victims = [own.path + "/record", own.path + "/empty"]
    for (victim, text) in zip(victims, [line, ""]) {
      try text.write(toFile: victim, atomically: false, encoding: .utf8)
    }
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    let targets = (victims + [own.path + "/missing"]).map { #""\#($0)""# }.joined(separator: " ")
    let swap = "ln -sf $to history.jsonl; rm -f history.jsonl; touch history.jsonl || :"
    let swaps = asUser("for i in $(seq 100); do for to in \(targets); do \(swap); done; done")
    // On another thread than that of the changes.
    let user = try NetworkNamespace()
    let swapping = try user.startApart { try user.sh(swaps) }
    for number in 2...250 { try network.ip("route replace 10.9.0.0/16 via 10.1.0.\(number)") }
    _ = try swapping.wait()
    command.send(SIGTERM)
    _ = try command.finish()
    #expect(own.names == ["empty", "record"])
    try #expect(victims.map { try String(contentsOfFile: $0, encoding: .utf8) } == [line, ""])
  }

  /// How often commands meet the other user's changes; the nightly part sets it.
  private static let rounds = ProcessInfo.processInfo.environment["FOREIGN_ROUNDS"].flatMap { Int($0) } ?? 8

  /// Lets the other user replace files by links, pipes and files of his own, while a closure runs commands.
  ///
  /// Expects that no file of root changes, and that none is made.
  private func whileSwapping(_ names: [String], _ body: () throws -> Void) throws {
    let texts = ["record": #"{"version":1,"time":""}"# + "\n", "empty": "", "kit.prom": "# secret\n"]
    let before = own.names
    for (name, text) in texts {
      let victim = own.path + "/" + name
      try text.write(toFile: victim, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: victim)
    }
    let targets = (texts.keys + ["missing"]).map { #""\#(own.path)/\#($0)""# }.joined(separator: " ")
    let files = names.map { #""\#($0)""# }.joined(separator: " ")
    let swap = "rm -f $f; mkfifo $f; rm -f $f; touch $f; ln -sf $to $f"
    let loops = "for f in \(files); do for to in \(targets); do { \(swap); } 2>&- || :; done; done"
    // The number bounds the loop if the test ends early.
    let swaps = asUser("for i in $(seq 100000); do [ ! -e stop ] || exit 0; \(loops); done")
    let swapping = try RunningCommand([], through: swaps)
    let result = Result(catching: body)
    #expect(FileManager.default.createFile(atPath: folder.path + "/stop", contents: nil))
    try #expect(swapping.finish() == Outcome(status: 0))
    try result.get()
    #expect(Set(own.names) == Set(before).union(texts.keys))
    for (name, text) in texts {
      let attributes = try FileManager.default.attributesOfItem(atPath: own.path + "/" + name)
      try #expect(String(contentsOfFile: own.path + "/" + name, encoding: .utf8) == text)
      #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.ownerAccountID] as? Int == 0)
    }
  }

  // Slow: metrics are written four times a second at most.
  @Test func `links that come and go where metrics are written lead to no other file`() throws {
    let network = try NetworkNamespace.wired()
    let file = folder.path + "/kit.prom"
    func contents() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
    let command = try RunningCommand(["export", "--textfile", file, "10.9.0.1"], in: network)
    let deadline = ContinuousClock.now + .seconds(20)
    while contents().isEmpty {
      try #require(ContinuousClock.now < deadline)
      usleep(1000)
    }
    try whileSwapping(["kit.prom", "kit.prom.tmp", ".kit.prom.lock"]) {
      let end = ContinuousClock.now + .milliseconds(250) * Self.rounds
      var number = 0
      while ContinuousClock.now < end {
        number += 1
        try network.ip("route replace 10.9.0.0/16 via 10.1.0.\(number % 250 + 2)")
      }
    }
    command.send(SIGTERM)
    _ = try command.finish()
  }

  @Test func `links that come and go where a page is written lead to no other file`() throws {
    let record = try own.record("10.9.0.1", in: .sample())
    try own.wait(for: #""event":"initial""#, 2)
    record.send(SIGTERM)
    try #expect(record.finish() == Outcome(status: 0))
    let page = folder.path + "/page.html"
    var outcomes: Set<Int32> = []
    try whileSwapping(["page.html"]) {
      for _ in 0..<Self.rounds * 4 {
        let outcome = try RunningCommand(["--html", page, own.file], of: "reachability-report").finish()
        outcomes.insert(outcome.status)
        #expect([0, 2].contains(outcome.status), "\(outcome)")
      }
    }
    #expect(outcomes.contains(2), "the page was never refused: \(outcomes)")
  }

  @Test func `a file of the other user in a folder that all may write to is refused`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: own.path)
    try NetworkNamespace.sample().sh(asUser("touch '\(own.file)'"))
    let outcome = try own.record(in: .sample()).finish()
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: \(own.file) "), "\(outcome.errors)")
    #expect(own.text() == "")
  }

  @Test func `a record in a folder that its user may not write to has one writer, too`() throws {
    try own.write(#"{"version":1,"time":""}"# + "\n")
    try FileManager.default.setAttributes([.ownerAccountID: Self.user], ofItemAtPath: own.file)
    let shell = "exec setpriv --reuid \(Self.user) --regid \(Self.user) --clear-groups \"$@\""
    let command = try own.record(in: .sample(), through: shell)
    try own.wait(for: #""event":"initial""#, 2)
    let second = try own.record(in: .sample(), through: shell)
    try #expect(second.finish().errors.hasPrefix("error: another 'record' appends to \(own.file)\n"))
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    #expect(own.names == ["history.jsonl"])

    // The lock of a record of root, which may be running.
    try NetworkNamespace.sample().sh(asUser("touch history.jsonl"))
    #expect(FileManager.default.createFile(atPath: folder.path + "/.history.jsonl.lock", contents: nil))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.path + "/.history.jsonl.lock")
    let third = try folder.record(in: .sample(), through: shell).finish()
    #expect(
      third.errors.hasPrefix("error: the lock .history.jsonl.lock in the folder of \(folder.file) belongs"))
    #expect(third.status == 2 && folder.text() == "")
  }

  @Test func `a lock of metrics that belongs to another user is named`() throws {
    let file = folder.path + "/kit.prom"
    #expect(FileManager.default.createFile(atPath: folder.path + "/.kit.prom.lock", contents: nil))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.path + "/.kit.prom.lock")
    let shell = "exec setpriv --reuid \(Self.user) --regid \(Self.user) --clear-groups \"$@\""
    let outcome = try RunningCommand(
      ["export", "127.0.0.1", "--textfile", file], in: .sample(), through: shell
    ).finish()
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: the lock .kit.prom.lock in the folder of \(file) belongs to another user
            hint: remove it, or give a file in a folder of this user

            """))
    // Without one, the folder is what is wrong.
    let denied = try RunningCommand(
      ["export", "127.0.0.1", "--textfile", own.path + "/kit.prom"], in: .sample(), through: shell
    ).finish()
    #expect(denied.errors.hasPrefix("error: could not write \(own.path)/kit.prom: Permission denied\n"))
    #expect(own.names == [])
  }

  @Test func `the other user's own file and folder have a record of root`() throws {
    try NetworkNamespace.sample().sh(asUser("touch history.jsonl"))
    let command = try folder.record(in: .sample())
    try folder.wait(for: #""event":"initial""#, 2)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
  }
}
#endif
