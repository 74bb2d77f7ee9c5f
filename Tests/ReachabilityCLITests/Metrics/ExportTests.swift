// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `The command export` {
  @Test func `each change rewrites the file, with the outage and the last route`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let export = try Export(["10.9.0.1", "10.1.0.2"], in: network)
    let route =
      #"reachability_target_route_info{target="10.9.0.1",device="eth0",gateway="10.1.0.254",source="10.1.0.1"} 1"#
    let begin = try export.text { $0.contains(route) }
    #expect(begin.contains(#"reachability_target_status{target="10.9.0.1",status="reachable"} 1"# + "\n"))
    #expect(begin.contains(#"reachability_target_status{target="10.1.0.2",status="reachable"} 1"# + "\n"))
    #expect(begin.contains(#"reachability_path_status{status="unsatisfied"} 1"# + "\n"))
    #expect(begin.contains("reachability_monitor_overruns_total 0\n"))

    let before = ContinuousClock.now
    try network.ip("route del 10.9.0.0/16")
    let during = try export.text { $0.contains(#"{target="10.9.0.1",reason="noRoute"} 1"#) }
    #expect(during.contains(#"reachability_target_status{target="10.9.0.1",status="notReachable"} 1"# + "\n"))
    #expect(during.contains(route))
    try network.ip("route add 10.9.0.0/16 via 10.1.0.253")
    let after = try export.text { $0.contains(#"gateway="10.1.0.253""#) }
    let longest = (ContinuousClock.now - before) / .seconds(1)
    #expect(!after.contains("10.1.0.254") && !after.contains("noRoute"))
    #expect(after.contains(#"reachability_target_changes_total{target="10.9.0.1"} 2"# + "\n"))
    #expect(after.contains(#"reachability_target_changes_total{target="10.1.0.2"} 0"# + "\n"))
    let outage = try #require(
      export.value(
        #"reachability_target_status_seconds_total{target="10.9.0.1",status="notReachable"}"#, after))
    #expect(outage > 0 && outage <= longest, "\(outage) of \(longest)")
  }

  @Test func `an outage that is over before the next file is counted`() throws {
    let network = try NetworkNamespace.wired()
    let export = try Export(["10.1.0.2"], in: network)
    _ = try export.text { export.shows("reachable", $0) }
    let text = try export.text {
      // Much less time than there is between two files; the monitor may find the link up again.
      if export.value(#"reachability_target_changes_total{target="10.1.0.2"}"#, $0) ?? 0 < 2 {
        try? network.batch("link set eth0 down\nlink set eth0 up")
      }
      return export.value(#"reachability_target_changes_total{target="10.1.0.2"}"#, $0) ?? 0 >= 2
        && export.shows("reachable", $0)
    }
    let outage = try #require(
      export.value(
        #"reachability_target_status_seconds_total{target="10.1.0.2",status="notReachable"}"#, text))
    #expect(outage > 0)
  }

  // Slow: a burst of changes for two seconds.
  @Test func `a burst of changes replaces the file at most four times a second`() throws {
    let network = try NetworkNamespace.wired()
    let export = try Export(["10.1.0.2", "--every", "1h"], in: network)
    _ = try export.text { !$0.isEmpty }
    let start = ContinuousClock.now
    var files: Set<UInt64> = [try export.fileNumber()]
    var count = 0.0
    func changes(_ text: String) -> Double {
      export.value(#"reachability_target_changes_total{target="10.1.0.2"}"#, text) ?? 0
    }
    func isEnough() -> Bool { files.count > 3 && count > Double(files.count + 1) }
    // A busy monitor finds the link up again most times, and counts no change.
    repeat {
      try network.batch("link set eth0 down\nlink set eth0 up")
      files.insert(try export.fileNumber())
      count = changes(try export.text { _ in true })
    } while ContinuousClock.now - start < (isEnough() ? .seconds(2) : .seconds(30))
    let text = try export.text {
      let before = count
      count = changes($0)
      return count > 0 && count == before && export.shows("reachable", $0)
    }
    files.insert(try export.fileNumber())
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    #expect(files.count > 3 && Double(files.count) <= 2 + seconds * 4, "\(files.count) files in \(seconds) s")
    #expect(count > Double(files.count), "\(text)")
  }

  @Test func `without an event, the heartbeat and the seconds advance`() throws {
    let export = try Export(["127.0.0.1", "--every", "1s"], in: .sample())
    let heartbeat = "reachability_monitor_heartbeat_timestamp_seconds"
    let seconds = #"reachability_target_status_seconds_total{target="127.0.0.1",status="reachable"}"#
    let first = try export.text { !$0.isEmpty }
    let start = try #require(export.value(heartbeat, first))
    let next = try export.text { (export.value(heartbeat, $0) ?? 0) > start }
    let elapsed = try #require(export.value(heartbeat, next)) - start
    #expect(elapsed >= 0.9)
    let counted = try #require(export.value(seconds, next)) - (try #require(export.value(seconds, first)))
    // The wall clock may be set meanwhile, but not in a test.
    #expect(abs(counted - elapsed) < 0.02, "\(counted) \(elapsed)")
  }

  @Test func `everybody may read the file, whatever the mask, and nothing else is left beside it`() throws {
    let export = try Export(["127.0.0.1"], in: .sample(), through: "umask 077; exec \"$@\"")
    let text = try export.text { !$0.isEmpty }
    #expect(text.hasSuffix("\nreachability_build_info{version=\"0.1.0\"} 1\n"))
    let attributes = try FileManager.default.attributesOfItem(atPath: export.path)
    #expect(attributes[.posixPermissions] as? Int == 0o644)
    try #expect(Set(FileManager.default.contentsOfDirectory(atPath: export.folder.path)) == export.names)
  }

  @Test(arguments: ["export", "record"])
  func `a second command for a file fails, and the file of the first stays`(_ command: String) throws {
    let network = try NetworkNamespace.sample()
    let export = try Export(["127.0.0.1"], in: network)
    _ = try export.text { !$0.isEmpty }
    // A user who may open a file may lock it for ever, so the lock is a file of this user's own.
    let lock = try FileManager.default.attributesOfItem(atPath: export.lock.path)
    #expect(lock[.posixPermissions] as? Int == 0o600)
    let record = command == "record" ? ["--to", export.folder.appending(path: "other.jsonl").path] : []
    try #expect(
      RunningCommand([command, "127.0.0.2", "--textfile", export.path] + record, in: network).finish()
        == Outcome(
          status: 2,
          errors: """
            error: another command writes \(export.path)
            hint: end it, or give another file

            """))
    let text = try export.text { !$0.isEmpty }
    #expect(text.contains(#"target="127.0.0.1""#) && !text.contains(#"target="127.0.0.2""#))
    export.command.send(SIGTERM)
    try #expect(export.command.finish() == Outcome(status: 0))
    try #expect(FileManager.default.contentsOfDirectory(atPath: export.folder.path).count == record.count / 2)
  }

  /// A program in Python that runs its arguments, of which the kernel kills each process that flushes a file: a filter
  /// of system calls (PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_RET_KILL_PROCESS) for fsync.
  private static let killingAtFlush = """
    import ctypes, os, struct, sys
    number = {"x86_64": 74, "aarch64": 82}[os.uname().machine]
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x80000000), (0x06, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filter = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, filter) == 0
    os.execv(sys.argv[1], sys.argv[1:])
    """

  @Test(.needsPython) func `the next command removes what one left that was killed while it wrote`() throws {
    let network = try NetworkNamespace.sample()
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let program = folder.appending(path: "program.py")
    try Data(Self.killingAtFlush.utf8).write(to: program)
    let killed = try Export(
      ["127.0.0.1"], in: network, folder: folder,
      through: "ulimit -c 0; exec /usr/bin/python3 \(program.path) \"$@\"")
    try #expect(killed.command.finish() == Outcome(status: 128 + SIGSYS))
    try FileManager.default.removeItem(at: program)
    #expect(!FileManager.default.fileExists(atPath: killed.path))
    let left = try FileManager.default.contentsOfDirectory(atPath: killed.folder.path)
    #expect(left.contains { $0.hasPrefix("kit.prom.") }, "\(left)")
    let next = try Export(["127.0.0.1"], in: network, folder: killed.folder)
    _ = try next.text { !$0.isEmpty }
    try #expect(Set(FileManager.default.contentsOfDirectory(atPath: next.folder.path)) == next.names)
    next.command.send(SIGTERM)
    try #expect(next.command.finish() == Outcome(status: 0))
    try #expect(FileManager.default.contentsOfDirectory(atPath: next.folder.path) == [])
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends the command silently, and removes the file`(_ signal: Int32) throws {
    let export = try Export(["127.0.0.1"], in: .sample())
    _ = try export.text { !$0.isEmpty }
    export.command.send(signal)
    try #expect(export.command.finish() == Outcome(status: 0))
    try #expect(FileManager.default.contentsOfDirectory(atPath: export.folder.path) == [])
  }

  @Test func `a killed command leaves a whole file, which the next one replaces`() throws {
    let network = try NetworkNamespace.sample()
    let export = try Export(["127.0.0.1"], in: network)
    _ = try export.text { !$0.isEmpty }
    export.command.send(SIGKILL)
    _ = try export.command.finish()
    let left = try export.text { !$0.isEmpty }
    #expect(left.hasSuffix("\nreachability_build_info{version=\"0.1.0\"} 1\n"))
    let next = try Export(["127.0.0.2"], in: network, folder: export.folder)
    _ = try next.text { $0.contains(#"target="127.0.0.2""#) && !$0.contains(#"target="127.0.0.1""#) }
  }

  @Test func `a reader that closes the command's output does not end it`() throws {
    let export = try Export(["127.0.0.1", "--every", "1s"], in: .sample())
    let first = try export.text { !$0.isEmpty }
    export.command.closeOutput()
    _ = try export.text { $0 != first }
  }

  @Test func `a target that is named twice has its series once`() throws {
    let export = try Export(["127.0.0.1", "default", "127.0.0.1"], in: .sample())
    let text = try export.text { !$0.isEmpty }
    let series = text.split(separator: "\n").filter { $0.hasPrefix("reachability_target_changes_total") }
    #expect(
      series.map(String.init) == [
        #"reachability_target_changes_total{target="127.0.0.1"} 0"#,
        #"reachability_target_changes_total{target="default"} 0"#,
      ])
  }

  @Test func `a record and its metrics count the same microseconds`() throws {
    let network = try NetworkNamespace.wired()
    let export = try Export(["10.1.0.2"], in: network, isRecording: true)
    _ = try export.text { export.shows("reachable", $0) }
    for _ in 0..<5 {
      try network.ip("link set eth0 down")
      _ = try export.text { export.shows("notReachable", $0) }
      try network.ip("link set eth0 up")
      _ = try export.text { export.shows("reachable", $0) }
    }
    let text = try export.text { !$0.isEmpty }
    export.command.send(SIGTERM)
    try #expect(export.command.finish().status == 0)
    let record = try String(contentsOf: export.folder.appending(path: "history.jsonl"), encoding: .utf8)
    // The record may have changes that came after the file.
    var changes = try #require(export.value(#"reachability_target_changes_total{target="10.1.0.2"}"#, text))
    var (sum, begin, last) = (0, 0, "")
    for line in record.split(separator: "\n") where line.contains(#""target":"10.1.0.2""#) {
      let uptime = try #require(
        line.firstMatch(of: /"uptimeMicroseconds":(\d+)/).flatMap { Int($0.output.1) })
      let status = try String(#require(line.firstMatch(of: /"status":"(\w+)"/)).output.1)
      if !last.isEmpty, status != last { changes -= 1 }
      guard changes >= 0 else { break }
      if last == "notReachable" { sum += uptime - begin }
      (begin, last) = (uptime, status)
    }
    let outage = try #require(
      export.value(
        #"reachability_target_status_seconds_total{target="10.1.0.2",status="notReachable"}"#, text))
    #expect(sum > 0 && (outage * 1e6).rounded() == Double(sum), "\(outage) \(sum)")
  }

  @Test(Requirement(.withoutPrograms("nft")), arguments: [false, true])
  func `a rule that drops packets is a fault of this machine in the metrics, and in a report`(
    _ isRecording: Bool
  ) throws {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.1")
    let export = try Export(["10.9.0.1", "--evidence"], in: lab.client, isRecording: isRecording)
    _ = try export.text {
      $0.contains(#"reachability_target_traffic{target="10.9.0.1",verdict="answering"} 1"#)
    }
    try lab.client.sh(
      "nft 'table inet site { chain filter { type filter hook output priority 0; ip daddr 10.9.0.1 drop; }; }'"
    )
    let start = ContinuousClock.now
    let text = try export.text { $0.contains("reachability_target_fault_info{") }
    // Nothing is retransmitted: without another sign, the connections are listed every thirty seconds only.
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(text.contains(#"reachability_target_fault_info{target="10.9.0.1",fault="thisMachine"} 1"# + "\n"))
    #expect(text.contains(#"reachability_target_stalls_total{target="10.9.0.1"} 1"# + "\n"))
    #expect(text.contains(#"reachability_target_status{target="10.9.0.1",status="reachable"} 1"# + "\n"))
    export.command.send(SIGTERM)
    try #expect(export.command.finish().status == 0)
    withExtendedLifetime(talk) {}
    guard isRecording else { return }
    let report = try RunningCommand(
      ["report", export.folder.appending(path: "history.jsonl").path], in: lab.client
    ).finish().output
    #expect(report.contains("  this machine failed for "), "\(report)")
    #expect(
      report.contains(
        "fault: this machine: a firewall's output rule, a traffic filter, a security policy or a full queue"),
      "\(report)")
  }

  @Test func `a link is replaced by the file, and has a lock of its own`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let target = folder.appending(path: "target").path
    try "own\n".write(toFile: target, atomically: false, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "kit.prom").path, withDestinationPath: target)
    let export = try Export(["127.0.0.1"], in: .sample(), folder: folder)
    _ = try export.text { $0.contains("reachability_target_status") }
    #expect(FileManager.default.fileExists(atPath: export.lock.path))
    export.command.send(SIGTERM)
    try #expect(export.command.finish() == Outcome(status: 0))
    try #expect(FileManager.default.contentsOfDirectory(atPath: folder.path) == ["target"])
    try #expect(String(contentsOfFile: target, encoding: .utf8) == "own\n")
  }

  @Test func `a folder that is missing, or a name of a folder, is an error at the start`() throws {
    let hint = """
      hint: the command creates files beside it, and renames one; check the folder and its file system

      """
    try #expect(
      reachability("export", "127.0.0.1", "--textfile", "/nonexistent/a.prom", in: .sample())
        == Outcome(
          status: 2, errors: "error: could not write /nonexistent/a.prom: No such file or directory\n" + hint)
    )
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).prom")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try #expect(
      reachability("export", "127.0.0.1", "--textfile", folder.path, in: .sample())
        == Outcome(status: 2, errors: "error: could not write \(folder.path): Is a directory\n" + hint))
    #expect(FileManager.default.fileExists(atPath: folder.path))
  }

  @Test(.needsOwnSettings)
  func `a full disk is reported once, keeps the last file, and is written again later`() throws {
    let network = try NetworkNamespace.wired()
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The file system is the command's own; the test reaches it through the command's root.
    let export = try Export(
      ["10.1.0.2", "--every", "1s"], in: network, folder: folder,
      through: """
        exec unshare --mount sh -c 'mount -t tmpfs -o size=32k tmpfs \(folder.path) && exec "$@"' sh "$@"
        """,
      isInOwnRoot: true)
    let first = try export.text { !$0.isEmpty }
    let filler = export.visibleFolder.appending(path: "filler")
    try Data().write(to: filler)
    let handle = try FileHandle(forWritingTo: filler)
    // Again after a write that took place meanwhile, whose file occupied the rest.
    var isFull = false
    while !isFull {
      isFull = true
      while (try? handle.write(contentsOf: Data(count: 1024))) != nil { isFull = false }
    }
    try handle.close()
    try #expect(
      export.command.nextLine(of: .errors) == "error: could not write \(export.path): No space left on device"
    )
    #expect(try export.text { !$0.isEmpty }.hasSuffix("\nreachability_build_info{version=\"0.1.0\"} 1\n"))
    // Two more attempts, which say nothing new.
    Thread.sleep(forTimeInterval: 2.5)
    try FileManager.default.removeItem(at: filler)
    _ = try export.text { $0 != first }
    try #expect(
      Set(FileManager.default.contentsOfDirectory(atPath: export.visibleFolder.path)) == export.names)
    export.command.send(SIGTERM)
    let outcome = try export.command.finish()
    #expect(outcome.status == 0)
    #expect(outcome.errors.matches(of: /error:/).count == 1, "\(outcome.errors)")
  }
}
#endif
