// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import Foundation
import RequirementSupport
import Testing

@testable import ReachabilityHistory
@testable import ReachabilityReportCLI

/// `reachability-report` by its exact output.
@Suite(.onOwnThreads, .deadline) struct `The command report` {
  /// Files that are removed with this object.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID())")

    init(_ files: [String: String]) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for (name, text) in files { try Data(text.utf8).write(to: url.appending(path: name)) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  /// Runs the command in a folder with these files, in a time zone by the rules of POSIX.
  private func report(
    _ arguments: [String], _ files: [String: String], zone: String = "CET-1CEST,M3.5.0,M10.5.0/3",
    terminals: Set<RunningCommand.Stream> = [], prefix: String = ""
  ) throws -> Outcome {
    let folder = try Folder(files)
    return try RunningCommand(
      arguments, of: "reachability-report", terminals: terminals, environment: ["TZ": zone],
      through: "cd '\(folder.url.path)' && \(prefix) exec \"$@\""
    ).finish()
  }

  private static let eth0 = #""name":"eth0","addresses":["10.1.0.1/24"],"gateways":["10.1.0.254"]"#

  /// An hour with an outage of six minutes, three flaps, and no record of the last quarter.
  private static let hour: String = {
    var record = RecordText()
    record.start(0)
    record.path(1, "satisfied", usable: eth0)
    record.target(2, "reachable", name: "10.9.0.1")
    record.heartbeats(60_000, until: 540_000)
    record.path(
      600_000, "unsatisfied", "noCarrier",
      unusable: #""name":"eth0","reason":"noCarrier","addresses":["10.1.0.1/24"]"#)
    record.target(600_000.3, "notReachable", "noCarrier", name: "10.9.0.1")
    record.target(600_003.5, "notReachable", "noRoute", name: "10.9.0.1", interface: nil, gateway: nil)
    record.heartbeats(660_000, until: 900_000)
    record.path(960_000, "satisfied", usable: eth0)
    record.target(960_001, "reachable", name: "10.9.0.1")
    record.heartbeats(1_020_000, until: 1_980_000)
    for start in [2_000_000.0, 2_010_000, 2_020_000] {
      record.target(start, "notReachable", "prohibited", name: "10.9.0.1")
      record.target(start + 40, "reachable", name: "10.9.0.1")
    }
    record.heartbeats(2_040_000, until: 2_700_000)
    record.add(2_700_000, #""event":"stop""#)
    record.start(3_600_000, run: "2")
    return record.text
  }()

  @Test func `text has a line of what happened, a bar and the sums of each lane, then the events`() throws {
    let outcome = try report(["a.jsonl"], ["a.jsonl": Self.hour])
    let expected = """
      2026-11-23 09:00:00.000+01:00 to 2026-11-23 10:00:00.000+01:00, 1h 0m 0.000s
      2 events, the worst 6m 0.001s

      db1

      path
        █████████████xxxxxxx▁██████████████████████████████████████░░░░░░░░░░░░░░░░░░░
        reachable      38m 59.999s   65.000%
        unreachable      6m 0.000s   10.000%
        not monitored   15m 0.001s   25.000%
        1 incident, mean time between outages 38m 59.999s
        longest outage 6m 0.000s from 2026-11-23 09:10:00.000+01:00

      10.9.0.1
        █████████████xxxxxxx▁██████████████████████▇███████████████░░░░░░░░░░░░░░░░░░░
        reachable      38m 59.877s   64.997%
        unreachable      6m 0.121s   10.003%
        not monitored   15m 0.002s   25.000%
        2 incidents, mean time between outages 19m 29.938s
        longest outage 6m 0.001s from 2026-11-23 09:10:00.000+01:00

      interface eth0
        █████████████xxxxxxx▁██████████████████████████████████████░░░░░░░░░░░░░░░░░░░
        reachable      38m 59.999s   65.000%
        unreachable      6m 0.000s   10.000%
        not monitored   15m 0.001s   25.000%

      Events, the oldest first

      2026-11-23 09:10:00.000+01:00  the uplink failed for 6m 0.001s: path, 10.9.0.1
        no carrier, eth0 via 10.1.0.254: carrier lost on eth0, route withdrawn +3 ms; the path failed with it
        fault: the link: the cable, the access point, or its other end

      2026-11-23 09:33:20.000+01:00  this machine failed for 0.120s in 3 outages within 20.040s: 10.9.0.1
        a route or rule prohibits it, eth0 via 10.1.0.254; the path stayed satisfied
        fault: a route, rule or IPsec policy of this machine, which rejects the packets

      """
    #expect(outcome.errors == "" && outcome.status == 0)
    #expect(outcome.output == expected)
  }

  @Test func `a night with six events has six entries, with one line on top`() throws {
    let outcome = try report(["a.jsonl"], ["a.jsonl": RecordText.night.text], zone: "UTC")
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.status == 0 && lines[1] == "6 events, the worst 25.000s, IPv4 only")
    let place = try #require(outcome.output.range(of: "Events, the oldest first\n\n"))
    let link = "the link: the cable, the access point, or its other end"
    #expect(
      outcome.output[place.upperBound...] == """
        2026-11-23 09:00:00.000+00:00  the uplink failed for 12.001s: path, 10.9.0.1, 2001:db8::1, default, \
        verification of tcp://10.9.0.1:5432, traffic of 10.9.0.1, traffic of default
          no carrier, eth0 via 10.1.0.254; 3 targets failed with it
          fault: \(link)

        2026-11-23 10:00:00.000+00:00  unreachable for 25.000s, IPv4 only: IPv4, 10.9.0.1, \
        verification of tcp://10.9.0.1:5432
          no route, eth0 via 10.1.0.254; the path stayed satisfied
          fault: this machine's addresses and routes, or what assigns them

        2026-11-23 11:00:00.000+00:00  the server did not answer for 20.000s: traffic of 10.9.0.1, \
        verification of tcp://10.9.0.1:5432
          connections stall: nothing answers; the path stayed satisfied
          fault: the peer, or the way behind the common path: other peers answer

        2026-11-23 12:00:01.000+00:00  the uplink failed for 14.000s: traffic of 10.9.0.1, traffic of default, \
        verification of tcp://10.9.0.1:5432
          connections stall: nothing answers; the path stayed satisfied
          fault: the network: several peers stall, and none on the same path answers

        2026-11-23 13:00:00.000+00:00  this machine failed for 5.000s: 10.9.0.1, 2001:db8::1
          a route or rule prohibits it, eth0 via 10.1.0.254; the path stayed satisfied, 1 other target failed with it
          fault: a route, rule or IPsec policy of this machine, which rejects the packets

        2026-11-23 14:00:00.000+00:00  the uplink failed for 7.000s, and not monitored for 3.001s in it: path, \
        10.9.0.1, 2001:db8::1, default, verification of tcp://10.9.0.1:5432
          no carrier, eth0 via 10.1.0.254; 3 targets failed with it
          fault: \(link)

        """)
  }

  @Test(.needsLineSchema) func `JSON output matches the schema`() throws {
    let outcome = try report(["--json", "a.jsonl"], ["a.jsonl": Self.hour + "{"])
    try #expect(LineSchema.problems(in: outcome.output) == "")
  }

  @Test func `--json prints the report, each lane, incident and event as an object`() throws {
    let outcome = try report(
      ["--json", "a.jsonl", "--since", "2026-11-23 09:05"], ["a.jsonl": Self.hour + "{"])
    #expect(outcome.errors == "warning: a.jsonl:60: the last line is unfinished\n")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 9)
    let expected = #"""
      {"version":1,"from":"TIME","until":"TIME","milliseconds":3300000,"files":["a.jsonl"],\#
      "lines":59,"lostLines":0,"problems":["a.jsonl:60: the last line is unfinished"],\#
      "ambiguousMachines":[],"groups":2,\#
      "event":"report"}
      {"version":1,"machine":"db1","kind":"target","name":"10.9.0.1","reachableMilliseconds":2039879,\#
      "unreachableMilliseconds":360121,"unknownMilliseconds":0,"notMonitoredMilliseconds":900000,\#
      "reachablePercent":61.814,"unreachablePercent":10.913,"unknownPercent":0.000,\#
      "notMonitoredPercent":27.273,"longestOutageStart":"TIME","longestOutageMilliseconds":360001,\#
      "incidents":2,"meanMillisecondsBetweenOutages":1019939,"event":"lane"}
      {"version":1,"machine":"db1","kind":"target","name":"10.9.0.1","start":"TIME","end":"TIME",\#
      "isEndRecorded":true,"unreachableMilliseconds":360001,"gapMilliseconds":0,"outages":1,\#
      "reason":"noCarrier",\#
      "fault":"link","cause":"no carrier, eth0 via 10.1.0.254: carrier lost on eth0,\#
       route withdrawn +3 ms; the path failed with it","event":"incident"}
      {"version":1,"machine":"db1","start":"TIME","end":"TIME","isEndRecorded":true,\#
      "unreachableMilliseconds":360001,"gapMilliseconds":0,"outages":1,"family":null,"side":"uplink",\#
      "fault":"link","reason":"noCarrier","cause":"no carrier, eth0 via 10.1.0.254: carrier lost on eth0,\#
       route withdrawn +3 ms; the path failed with it","lanes":[{"kind":"path","name":"path"},\#
      {"kind":"target","name":"10.9.0.1"}],"event":"group"}
      """#
    #expect([0, 2, 5, 7].map { lines[$0] }.joined(separator: "\n") == expected)
    let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    #expect(
      objects.compactMap { $0?["event"] as? String } == [
        "report", "lane", "lane", "lane", "incident", "incident", "incident", "group", "group",
      ])
  }

  @Test func `boots that overlap are a warning, in a redacted report without the name`() throws {
    var (one, other) = (RecordText(), RecordText())
    one.start(0)
    one.heartbeats(0, until: 60_000)
    other.start(1000, boot: "c", run: "s")
    let files = ["a": one.text, "b": other.text]
    let warning = "overlap: several machines have this name, or its clock was wrong\n"
    let plain = try report(["a", "b", "--json"], files)
    #expect(plain.errors == "warning: two boots of db1 " + warning && plain.status == 0)
    #expect(plain.output.contains(#""ambiguousMachines":["db1"]"#))
    try #expect(
      report(["a", "b", "--redact"], files).errors == "warning: two boots of machine 1 " + warning)
  }

  @Test func `a locale without UTF-8 has bars of ASCII`() throws {
    let files = ["a.jsonl": Self.hour]
    let ascii = try report(["a.jsonl"], files, prefix: "export LC_ALL=C;").output
    let unicode = try report(["a.jsonl"], files).output
    #expect(ascii.utf8.allSatisfy { $0 < 0x80 } && ascii.contains("##"), "\(ascii)")
    #expect(ascii == CharacterRepertoire.ascii.spelling(unicode) && ascii != unicode)
  }

  @Test func `local times have the offset of their moment`() throws {
    var record = RecordText()
    // The clock goes back from three to two at 2026-10-25T01:00:00Z.
    let change = 1_792_890_000_000.0 - Double(RecordText.beginning)
    record.start(change - 1_800_000)
    record.target(change - 1_800_000, "reachable")
    record.heartbeats(change - 1_740_000, until: change - 60_000)
    record.target(change - 600, "notReachable", "noRoute")
    record.target(change + 400, "reachable")
    record.heartbeats(change + 60_000, until: change + 1_800_000)
    let output = try report(["a"], ["a": record.text]).output
    #expect(
      output.hasPrefix("2026-10-25 02:30:00.000+02:00 to 2026-10-25 02:30:00.000+01:00, 1h 0m 0.000s\n"))
    #expect(output.contains("\n2026-10-25 02:59:59.400+02:00  unreachable for 1.000s: default\n"))
    // A local time that exists twice is the first one; a time with a zone is exact.
    let twice = try report(["a", "--since", "2026-10-25 02:45"], ["a": record.text]).output
    #expect(twice.hasPrefix("2026-10-25 02:45:00.000+02:00 to 2026-10-25 02:30:00.000+01:00, 45m 0.000s\n"))
    let exact = try report(["a", "--since", "2026-10-25T02:15:00+01:00"], ["a": record.text]).output
    #expect(exact.hasPrefix("2026-10-25 02:15:00.000+01:00 to "))
    // A local time that does not exist is read as if the clock had not been set yet.
    let missing = try report(
      ["a", "--since", "2026-03-29 02:30", "--until", "2026-03-29T04:00"], ["a": record.text]
    ).output
    #expect(missing.hasPrefix("2026-03-29 03:30:00.000+02:00 to 2026-03-29 04:00:00.000+02:00, 30m 0.000s\n"))
  }

  @Test(arguments: ["UTC", "CET-1CEST,M3.5.0,M10.5.0/3", "XXX+11:30"])
  func `yesterday is the whole local day`(zone: String) throws {
    let outcome = try report(
      ["a", "--since", "yesterday", "--until", "today"], ["a": Self.hour], zone: zone)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(#/^\S+ 00:00:00\.000\S+ to \S+ 00:00:00\.000\S+, \S/#), "\(outcome)")
  }

  @Test func `a bar fills the terminal`() throws {
    let output = try report(
      ["a"], ["a": Self.hour], terminals: [.output], prefix: "stty columns 42 <&1 &&"
    ).output
    let bar = output.split(whereSeparator: \.isNewline).first { $0.contains("░") }
    let plain = bar?.replacing(#/\u{1b}\[[0-9]*m/#, with: "")
    #expect(plain?.count == 42, "\(output)")
    #expect(plain?.contains("xxx") == true && bar?.contains("\u{1b}[31m") == true)
  }

  @Test(arguments: [
    ([], "no file was given", "give at least one file that 'reachability record' wrote"),
    (["b"], "could not read b: No such file or directory", "give files that 'reachability record' wrote"),
    (["."], "could not read .: Is a directory", "give files that 'reachability record' wrote"),
    (["a", "--since", "noon"], "invalid value 'noon' for --since", "give \(PeriodBound.acceptedTexts)"),
    (
      ["a", "--since", "tomorrow"], "invalid value 'tomorrow' for --since",
      "give \(PeriodBound.acceptedTexts)"
    ),
    (["a", "--until", "25:00"], "invalid value '25:00' for --until", "give \(PeriodBound.acceptedTexts)"),
    (["a", "--until="], "invalid value '' for --until", "give \(PeriodBound.acceptedTexts)"),
    (["--since"], "--since requires a value", "give \(PeriodBound.acceptedTexts)"),
    (
      ["a", "--until", "2026-11-23 08:00"],
      "the period would begin at 2026-11-23 09:00:00.000+01:00 and end at 2026-11-23 08:00:00.000+01:00",
      "give an earlier --since or a later --until"
    ),
    (["empty"], "no line of a record is in empty", "give files that 'reachability record' wrote"),
  ])
  func `a mistake is an error with a hint`(arguments: [String], error: String, hint: String) throws {
    let outcome = try report(arguments, ["a": Self.hour, "empty": ""])
    #expect(outcome == Outcome(status: 2, errors: "error: \(error)\nhint: \(hint)\n"))
  }

  @Test(Requirement(.withoutPrograms("gzip", "xz", "zstd")), arguments: ["gzip", "xz", "zstd"])
  func `a compressed file is read through its program, whatever its name`(program: String) throws {
    let plain = try report(["a"], ["a": Self.hour])
    let packed = try report(["b"], ["a": Self.hour], prefix: "\(program) -qc a > b && rm a &&")
    #expect(packed.output == plain.output && packed.errors == "" && packed.status == 0)
    // A file that lost its end has a warning, and counts until then.
    let cut = try report(["b"], ["a": Self.hour], prefix: "\(program) -qc a | head -c 400 > b &&")
    #expect(cut.errors.contains("the compressed file is damaged, so lines after this one may be missing"))
    // Without the program, the advice names it.
    let missing = try report(
      ["b"], ["a": Self.hour], prefix: "\(program) -qc a > b && PATH=/nonexistent &&")
    let error = "error: could not read b: it is compressed, and '\(program)' could not be started: "
    let hint = "hint: install '\(program)', or give the file that '\(program) -dc' makes of it\n"
    #expect(missing == Outcome(status: 2, errors: "\(error)No such file or directory\n\(hint)"))
  }

  @Test(.needsOtherUser, Requirement(.withoutPrograms("gzip")))
  func `a report with rights that its caller lacks runs no program`() throws {
    // The same difference between the users of a process that a set-user-ID program has.
    let outcome = try report(
      ["b"], ["a": Self.hour],
      prefix: """
        gzip -qc a > b && printf '#!/bin/sh\ntouch ran\n' > gzip && chmod 755 . gzip && PATH=$PWD:$PATH &&
        set -- setpriv --euid 65534 "$@" &&
        """)
    let hint = "hint: give the file that 'gzip -dc' makes of it\n"
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: "error: could not read b: it is compressed, and 'gzip' could not be started: "
            + "Operation not permitted\n" + hint))
  }

  @Test(Requirement(.withoutPrograms("gzip", "xz", "zstd")))
  func `a compressed file that expands without measure is read in part`() throws {
    let outcome = try report(
      ["b"], ["a": Self.hour],
      prefix: "{ cat a; head -c 60000000 /dev/zero | tr '\\0' '\\n'; } | xz -0 > b &&")
    #expect(outcome.status == 0 && outcome.output.contains("\n10.9.0.1\n"))
    #expect(
      outcome.errors.contains("more than 200 times as large as the compressed file, so the rest is left out"))
  }
}
#endif
