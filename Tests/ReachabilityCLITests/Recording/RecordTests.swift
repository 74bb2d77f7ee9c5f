// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// `reachability record`, with the kernel and the file system.
@Suite(.needsNamespaces, .deadline) struct `The command record` {
  private let folder: RecordFolder

  init() throws { folder = try RecordFolder() }

  private static func start(_ targets: String, heartbeat: Int = 60, _ event: String = "start") -> String {
    #"{"version":1,"time":"TIME",UPTIME,RUN,"targets":[\#(targets)],"interface":null,"from":null,"mark":null,"family":null,"namespace":null,"heartbeatSeconds":\#(heartbeat),"event":"\#(event)"}"#
  }

  private static func status(_ fields: String, _ event: String) -> String {
    #"{"version":1,"time":"TIME",UPTIME,"target":"10.9.0.1",\#(fields),"addresses":[],\#(event)}"#
  }

  private static let unreachable = #"""
    "status":"notReachable","reason":"noRoute","flags":[],"flagsValue":0,"interface":null,"index":null,"kind":null,\#
    "isTunnel":false,"linkType":null,"gateway":null,"source":null
    """#

  private static let stop = #"{"version":1,"time":"TIME",UPTIME,"event":"stop"}"#

  @Test func `the run, the path, the statuses and each change are lines of the file`() throws {
    let network = try NetworkNamespace.wired()
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try folder.wait(for: #""event":"change""#)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))

    let lines = try folder.lines().map(\.withEqualRuns)
    #expect(lines.count == 5)
    #expect(lines.first == Self.start(#""10.9.0.1""#))
    let path = try reachability("path", "--json", in: network).output
    // The path is not about the new route.
    let initial = path.dropLast().replacing(#""time":"TIME""#, with: #""time":"TIME",UPTIME"#)
      .replacing(#""event":"check""#, with: #""event":"initial""#)
    #expect(lines.dropFirst().first == String(initial))
    #expect(
      Array(lines.dropFirst(2)) == [
        Self.status(Self.unreachable, #""previous":null,"event":"initial""#),
        Self.status(
          #"""
          "status":"reachable","reason":null,"flags":["reachable"],"flagsValue":2,"interface":"eth0","index":0,\#
          "kind":"wired","isTunnel":false,"linkType":"veth","gateway":"10.1.0.254","source":"10.1.0.1"
          """#, #""previous":{\#(Self.unreachable),"addresses":[]},"event":"change""#),
        Self.stop,
      ])
  }

  @Test func `the first line identifies the machine, its boot and the run`() throws {
    for _ in 0..<2 {
      let command = try folder.record(in: .sample())
      try folder.wait(for: #""event":"initial""#)
      command.send(SIGINT)
      try #expect(command.finish().status == 0)
      try FileManager.default.moveItem(
        atPath: folder.file, toPath: folder.file + ".\(folder.names.count)")
    }
    let starts = try [".1", ".2"].compactMap { try folder.objects($0).first }
    let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    for start in starts {
      #expect(start["machine"] as? String == ProcessInfo.processInfo.hostName)
      #expect(start["boot"] as? String == boot.trimmingCharacters(in: .newlines))
      #expect(start["targets"] as? [String] == ["default"])
    }
    #expect(Set(starts.compactMap { $0["run"] as? String }).count == 2)
  }

  @Test func `the time since boot grows from line to line and is the kernel's`() throws {
    let network = try NetworkNamespace.wired()
    let command = try folder.record("10.9.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    func uptime() throws -> Double {
      let text = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
      return try #require(text.split(separator: " ").first.flatMap { Double($0) })
    }
    let before = try uptime()
    for number in 1...20 {
      try network.ip("route replace 10.9.0.0/16 via 10.1.0.\(number + 1)")
      try folder.wait(for: #""event":"change""#, number)
    }
    // The kernel's file has hundredths.
    let after = try uptime() + 0.01
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    let times = try folder.objects().compactMap { $0["uptimeMicroseconds"] as? Int }
    #expect(try times.count == folder.lines().count)
    #expect(times == times.sorted())
    let changes = times.dropFirst(3).prefix(20).map { Double($0) / 1_000_000 }
    #expect(changes.allSatisfy { (before...after).contains($0) }, "\(before) \(changes) \(after)")
  }

  @Test func `a heartbeat proves that nothing was missed`() throws {
    let command = try folder.record("--heartbeat", "1s", in: .sample())
    try folder.wait(for: #""event":"heartbeat""#, 2)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    let lines = try folder.lines().map(\.withEqualRuns)
    #expect(lines.first == Self.start(#""default""#, heartbeat: 1))
    #expect(lines.contains(#"{"version":1,"time":"TIME",UPTIME,"event":"heartbeat"}"#))
    let times = try folder.objects().filter { $0["event"] as? String == "heartbeat" }
      .compactMap { $0["uptimeMicroseconds"] as? Int }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 900_000 })
  }

  @Test func `a second record of the same file is an error, and changes nothing`() throws {
    let command = try folder.record(in: .sample())
    try folder.wait(for: #""event":"initial""#, 2)
    let before = folder.text()
    let second = try folder.record(in: .sample())
    try #expect(
      second.finish()
        == Outcome(
          status: 2,
          errors: """
            error: another 'record' appends to \(folder.file)
            hint: end it, or give another file

            """))
    #expect(folder.text() == before)
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
  }

  @Test func `a file that cannot be a record is an error`() throws {
    func outcome(_ path: String) throws -> Outcome {
      try reachability("record", "--to", path, in: .sample())
    }
    try folder.write("hello\n")
    try #expect(
      outcome(folder.file).errors == """
        error: \(folder.file) is not a record
        hint: give a file that 'record' created, or a new one

        """)
    #expect(folder.text() == "hello\n")
    try #expect(
      outcome("/dev/null").errors == """
        error: /dev/null is not a regular file
        hint: give a file that 'record' created, or a new one

        """)
    let missing = folder.path + "/none/history.jsonl"
    try #expect(
      outcome(missing)
        == Outcome(
          status: 2,
          errors: """
            error: could not open \(missing): No such file or directory
            hint: give a file in a folder that this user may write to

            """))
  }

  @Test func `the unfinished line of a killed run is removed, and all others stay`() throws {
    let whole = Self.start(#""default""#) + "\n" + Self.stop + "\n"
    try folder.write(whole + #"{"version":1,"ti"#)
    let command = try folder.record(in: .sample())
    try folder.wait { lines in lines.count == 5 }
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    #expect(folder.text().hasPrefix(whole + #"{"version":1,"time""#))
    try #expect(folder.lines().count == 6)
  }

  @Test func `a moved file is followed by a new one that can be read alone`() throws {
    let command = try folder.record("--heartbeat", "1s", in: .sample())
    try folder.wait(for: #""event":"initial""#, 2)
    try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".moved")
    try folder.wait(for: #""event":"heartbeat""#)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    let events = try folder.objects().compactMap { $0["event"] as? String }
    #expect(events.prefix(4) == ["continue", "heartbeat", "initial", "initial"])
    try #expect(folder.objects(".moved").count >= 3)
  }

  @Test func `another namespace is recorded, and changes shorter than the settling time are not`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add default via 10.1.0.254")
    let command = try RunningCommand(
      ["record", "--to", folder.file, "--namespace", network.path, "--settle", "1s", "10.9.0.1"])
    try folder.wait(for: #""event":"initial""#, 2)
    try network.ip("route replace default via 10.1.0.253")
    try network.ip("route replace default via 10.1.0.254")
    try network.ip("route replace default via 10.1.0.252")
    try folder.wait(for: #""gateway":"10.1.0.252""#)
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    let gateways = try folder.objects().filter { $0["target"] != nil }.compactMap { $0["gateway"] as? String }
    #expect(gateways == ["10.1.0.254", "10.1.0.252"])
  }

  @Test func `the first line names the options that its statuses depend on`() throws {
    let network = try NetworkNamespace.wired()
    let options = [
      "--interface", "eth0", "--from", "fd00:0:1::1", "--mark", "66", "--namespace", network.path,
    ]
    let command = try RunningCommand(["record", "--to", folder.file, "fd00:9::1"] + options)
    try folder.wait(for: #""event":"initial""#, 2)
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    let start = try #require(try folder.objects().first)
    #expect(start["interface"] as? String == "eth0" && start["from"] as? String == "fd00:0:1::1")
    #expect(start["mark"] as? Int == 66 && start["namespace"] as? String == network.path)
  }

  @Test func `an outage of one of two uplinks is in the report about both`() throws {
    let network = try NetworkNamespace.made(
      by: """
        link add eth0 type veth peer name peer0
        link add eth1 type veth peer name peer1
        link set peer0 up
        link set peer1 up
        link set eth0 up
        link set eth1 up
        address add 10.1.0.1/24 dev eth0
        address add 10.2.0.1/24 dev eth1
        route add default via 10.1.0.254
        route add default via 10.2.0.254 metric 100
        """, awaiting: "eth0", "eth1")
    let other = try RecordFolder()
    let first = try folder.record("--interface", "eth0", in: network)
    let second = try other.record("--interface", "eth1", in: network)
    for folder in [folder, other] { try folder.wait(for: #""event":"initial""#, 2) }
    try network.ip("link set peer1 down")
    try other.wait(for: #""status":"notReachable""#)
    try network.ip("link set peer1 up")
    try other.wait { $0.last { $0.contains("target") }?.contains(#""status":"reachable""#) == true }
    for command in [first, second] {
      command.send(SIGTERM)
      try #expect(command.finish().status == 0)
    }
    let report = try RunningCommand(["--json", other.file, folder.file], of: "reachability-report").finish()
    let incidents = report.output.split(separator: "\n").filter { $0.contains(#""event":"incident""#) }
    #expect(incidents.count == 1 && report.errors == "")
    #expect(incidents.first?.contains(#""name":"default (interface eth1)""#) == true, "\(report.output)")
  }

  @Test func `two machines with one host name are told apart by the hash of their identifiers`() throws {
    let network = try NetworkNamespace.wired()
    try network.hideFolders("/etc")
    var hashes: [String] = []
    for (number, id) in ["0123456789abcdef0123456789abcdef", "uninitialized", ""].enumerated() {
      try network.sh(id.isEmpty ? "rm /etc/machine-id" : "echo \(id) >/etc/machine-id")
      let command = try folder.record(in: network)
      try folder.wait(for: #""event":"initial""#, 2 * number + 2)
      command.send(SIGTERM)
      try #expect(command.finish().status == 0)
      hashes = try folder.objects().filter { $0["event"] as? String == "start" }
        .map { $0["machineID"] as? String ?? "none" }
    }
    // { echo reachability record; printf 0123456789abcdef0123456789abcdef; } | sha256sum
    #expect(hashes == ["0c10443f8c30", "none", "none"])
  }

  @Test func `evidence is recorded with the status and the path that it is about`() throws {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.1")
    let command = try folder.record("--evidence", "10.9.0.1", in: lab.client)
    try folder.wait { lines in
      lines.contains { $0.contains(#""target":"10.9.0.1","evidence":{"verdict":"answering""#) }
        && lines.contains { $0.contains(#""path":"#) && $0.contains(#""verdict":"answering""#) }
    }
    try lab.cut()
    try folder.wait { lines in
      lines.contains { $0.contains(#""target":"10.9.0.1","evidence":{"verdict":"stalled""#) }
        && lines.contains { $0.contains(#""path":"#) && $0.contains(#""verdict":"stalled""#) }
    }
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    withExtendedLifetime(talk) {}
  }
}
#endif
