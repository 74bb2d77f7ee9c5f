// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `reachability record` while other programs move, cut and replace its file; no heartbeat is due in these tests.
@Suite(.needsNamespaces, .deadline) struct `A record and other programs` {
  private let folder: RecordFolder

  init() throws { folder = try RecordFolder() }

  /// What `reachability-report --json` prints about all files of the record, by event.
  private func report() throws -> (problems: [String], incidents: [String], errors: String) {
    let files = folder.names.filter { $0.hasPrefix("history.jsonl") }.map { "\(folder.path)/\($0)" }
    let outcome = try RunningCommand(["--json"] + files, of: "reachability-report").finish()
    let objects = try outcome.output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
    let incidents = objects.filter { $0["event"] as? String == "incident" }
    return (
      objects.first?["problems"] as? [String] ?? [], incidents.compactMap { $0["name"] as? String },
      outcome.errors
    )
  }

  private func events(_ suffix: String = "") throws -> [String] {
    try folder.objects(suffix).compactMap { $0["event"] as? String }
  }

  @Test(.needsLogrotate, arguments: ["create", "copytruncate"])
  func `logrotate loses no line, and each file can be read alone`(mode: String) throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    let settings = folder.path + "/logrotate.conf"
    try "\"\(folder.file)\" {\n  rotate 5\n  \(mode)\n}\n".write(
      toFile: settings, atomically: false, encoding: .utf8)
    // The program refuses settings and folders that others may write to.
    try network.sh("chmod go-w '\(settings)' '\(folder.path)'")
    try network.sh("logrotate --force --state '\(folder.path)/state' '\(settings)'")
    #expect(folder.text() == "")
    try #expect(events(".1") == ["start", "initial", "initial"])

    try network.ip("route del 10.9.0.0/16 via 10.1.0.254")
    try folder.wait(for: #""event":"change""#)
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try folder.wait(for: #""event":"change""#, 2)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))

    let objects = try folder.objects()
    #expect(objects.first?["event"] as? String == "continue")
    try #expect(objects.first?["run"] as? String == folder.objects(".1").first?["run"] as? String)
    #expect(objects.prefix(4).contains { $0["path"] != nil })
    let times = objects.compactMap { $0["uptimeMicroseconds"] as? Int }
    #expect(times == times.sorted())
    try #expect(events(".1").count == 3)
    let report = try report()
    #expect(report.problems == [] && report.errors == "")
    // The path has no default route at any time.
    #expect(report.incidents == ["path", "10.9.0.1"])
  }

  @Test func `lines that another program appends stay, and the record names its run again`() throws {
    let network = try NetworkNamespace.wired()
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    let before = folder.text()
    try network.sh("printf 'music' >>'\(folder.file)'")
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try folder.wait(for: #""event":"change""#)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    // The unfinished line is removed, as at a start.
    #expect(folder.text().hasPrefix(before))
    try #expect(
      events() == ["start", "initial", "initial", "continue", "change", "initial", "initial", "stop"])
  }

  @Test func `a folder that was removed and made again has a record at once`() throws {
    let network = try NetworkNamespace.wired()
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    try network.sh("rm -r '\(folder.path)' && mkdir '\(folder.path)'")
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try folder.wait(for: #""event":"change""#)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    try #expect(events() == ["continue", "change", "initial", "initial", "stop"])
  }

  @Test func `a page in place of the record is an error at once, and the record goes on after it`() throws {
    let network = try NetworkNamespace.wired()
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    try network.sh(
      "echo '<!DOCTYPE html>' >'\(folder.path)/page' && mv '\(folder.path)/page' '\(folder.file)'")
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try #expect(
      command.nextLine(of: .errors)
        == "error: \(folder.file) is not a record; lines are lost until it works again")
    #expect(folder.text() == "<!DOCTYPE html>\n")
    try FileManager.default.removeItem(atPath: folder.file)
    try folder.wait(for: #""status":"reachable""#)
    try #expect(command.nextLine(of: .errors) == "writing works again, 1 lines were lost")
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    try #expect(events() == ["continue", "resume", "initial", "initial", "stop"])
  }

  @Test func `SIGHUP opens the file again, and ends nothing`() throws {
    let command = try folder.record(in: .sample())
    try folder.wait(for: #""event":"initial""#, 2)
    command.send(SIGHUP)
    try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".1")
    command.send(SIGHUP)
    try folder.wait(for: #""event":"initial""#, 2)
    command.send(SIGHUP)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    try #expect(events() == ["continue", "initial", "initial", "stop"])
    try #expect(events(".1") == ["start", "initial", "initial"])
  }

  @Test(.needsPython) func `SIGHUP of a terminal that closes ends the record properly`() throws {
    let python = """
      import os, pty, sys, time
      child, terminal = pty.fork()
      if child == 0: os.execv(sys.argv[1], sys.argv[1:])
      deadline = time.monotonic() + 20
      while not os.path.exists(sys.argv[4]) or open(sys.argv[4]).read().count("initial") < 2:
          assert time.monotonic() < deadline
          time.sleep(0.01)
      os.close(terminal)
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      """
    let script = folder.path + "/terminal.py"
    try python.write(toFile: script, atomically: false, encoding: .utf8)
    let command = try RunningCommand(
      ["record", "--to", folder.file], in: .sample(), through: "exec /usr/bin/python3 '\(script)' \"$@\"")
    try #expect(command.finish() == Outcome(status: 0))
    try #expect(events().last == "stop")
  }
}

extension Trait where Self == Requirement {
  /// Skips tests without logrotate.
  fileprivate static var needsLogrotate: Self { Self(.withoutPrograms("logrotate")) }
}
#endif
