#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `reachability record` under many changes, full disks and sudden ends.
@Suite(.needsNamespaces, .deadline) struct `A record under load` {
  private let folder: RecordFolder

  init() throws { folder = try RecordFolder() }

  /// An independent decoder: the number of lines by their event, and an error for one that is not whole.
  private static let decoder = #"""
    import collections, json, sys
    count = collections.Counter()
    for path in sys.argv[1:]:
        with open(path, "rb") as file: data = file.read()
        assert data.endswith(b"\n"), path
        for line in data[:-1].split(b"\n"): count[json.loads(line)["event"]] += 1
    print(json.dumps(count))
    """#

  /// The numbers of lines in files, by their event, as Python reads them.
  private func eventCounts(_ suffixes: [String] = [""]) throws -> [String: Int] {
    let result = try NetworkNamespace.sample().shell(
      #"exec /usr/bin/python3 -c "$@""#, [Self.decoder] + suffixes.map { folder.file + $0 })
    try #require(result.status == 0, "\(result.standardError)")
    let data = Data(result.standardOutput.utf8)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Int])
  }

  private static let targets = (0..<1500).map { "10.9.\($0 / 250).\($0 % 250 + 1)" }

  // Slow: 6,000 changes of 1,500 targets.
  @Test(.needsPython) func `each of 6,000 changes is a line, 1,500 of them at once`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["record", "--to", folder.file] + Self.targets, in: network)
    try folder.wait(for: #""event":"initial""#, 1501, within: .seconds(60))
    for round in 1...4 {
      try network.batch(
        Self.targets.map { "route replace \($0) via 10.1.0.\(round + 1)" }.joined(separator: "\n"))
      // A status that changes again before it was read is one change.
      try folder.wait(for: #""event":"change""#, 1500 * round, within: .seconds(60))
    }
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    try #expect(eventCounts() == ["start": 1, "initial": 1501, "change": 6000, "stop": 1])
    var gateways: [String: [String]] = [:]
    for object in try folder.objects() {
      if let target = object["target"] as? String, let gateway = object["gateway"] as? String {
        gateways[target, default: []].append(gateway)
      }
    }
    #expect(gateways.count == 1500)
    #expect(Set(gateways.values) == [(2...5).map { "10.1.0.\($0)" }])
  }

  // Slow: five runs under changes.
  @Test(.needsPython) func `a kill in the middle of changes leaves whole lines`() throws {
    let network = try NetworkNamespace.wired()
    var before = ""
    for run in 1...5 {
      let command = try folder.record("10.9.0.1", in: network)
      let start = try folder.wait { lines in
        lines.count { $0.contains(#""event":"start""#) } == run
          && lines.last?.contains(#""target":"10.9.0.1""#) == true
      }
      #expect(folder.text().hasPrefix(before))
      let churn = try network.startApart {
        try network.sh("for i in $(seq 2 250); do ip route replace 10.9.0.0/16 via 10.1.0.$i; done")
      }
      try folder.wait { $0.count >= start.count + 17 * run }
      command.send(SIGKILL)
      try #expect(command.exitStatus(within: .seconds(5)) == 128 + SIGKILL)
      let count = try eventCounts()
      #expect(count["start"] == run)
      #expect(count["stop"] == nil)
      before = folder.text()
      _ = try churn.wait()
    }
  }

  @Test(.needsPython) func `each of several files can be read alone`() throws {
    let network = try NetworkNamespace.wired()
    let command = try folder.record("--rotate", "16K", "--keep", "4", "10.9.0.1", "10.8.0.1", in: network)
    try folder.wait(for: #""event":"initial""#, 3)
    for number in 2...150 {
      try network.ip("route replace 10.9.0.0/16 via 10.1.0.\(number)")
      try folder.wait(for: #""gateway":"10.1.0.\#(number)""#)
    }
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    let suffixes = ["", ".1", ".2", ".3", ".4"].filter { folder.names.contains("history.jsonl\($0)") }
    #expect(folder.names.count == suffixes.count)
    #expect(suffixes.count > 2)
    var run: Set<String> = []
    var last: [String: String] = [:]
    for suffix in suffixes.reversed() {
      let objects = try folder.objects(suffix)
      #expect(folder.text(suffix).utf8.count <= 16 << 10)
      let isFirst = objects.first?["event"] as? String == "start"
      try #require(isFirst || objects.first?["event"] as? String == "continue")
      run.insert(try #require(objects.first?["run"] as? String))
      #expect(objects.dropFirst().first?["path"] != nil)
      #expect(objects.dropFirst(2).prefix(2).map { $0["target"] as? String } == ["10.9.0.1", "10.8.0.1"])
      #expect(objects.dropFirst().prefix(3).allSatisfy { $0["event"] as? String == "initial" })
      // The values at its beginning are those at the end of the file before.
      for object in objects {
        guard let target = object["target"] as? String else { continue }
        let gateway = object["gateway"] as? String ?? "none"
        if object["event"] as? String == "initial", let before = last[target] { #expect(gateway == before) }
        last[target] = gateway
      }
    }
    #expect(run.count == 1)
    try #expect(eventCounts(suffixes)["stop"] == 1)
  }

  // MARK: Disks

  /// A network whose commands have a disk of 64 KB at the folder.
  private func networkWithSmallDisk() throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.hideFolders()
    try network.sh("mount -t tmpfs -o size=64k tmpfs '\(folder.path)'")
    return network
  }

  @Test(.needsPython) func `a full disk is reported once, and costs only the lines meanwhile`() throws {
    let network = try networkWithSmallDisk()
    func text() throws -> String { try network.sh("cat '\(folder.file)'") }
    func change() throws {
      try network.sh("for i in $(seq 2 61); do ip route replace 10.9.0.0/16 via 10.1.0.$i; done")
    }
    try network.sh("head -c 40000 /dev/zero >'\(folder.path)/filler'")
    let command = try folder.record("--heartbeat", "1s", "10.9.0.1", in: network)
    let problem = "could not write to \(folder.file): No space left on device"
    let deadline = ContinuousClock.now + .seconds(20)
    while try !network.sh("df --output=avail '\(folder.path)'").contains("\n    0") {
      try change()
      try #require(ContinuousClock.now < deadline)
    }
    // The last block of the file has room for some more lines.
    try change()
    try #expect(command.nextLine(of: .errors) == "error: \(problem); lines are lost until it works again")
    let before = try text()
    #expect(before.hasSuffix("\n"))
    // More than a second, in which it tries again.
    for _ in 0..<8 { try change() }
    try network.ip("route replace 10.9.0.0/16 via 10.1.0.99")
    try #expect(text() == before)

    try network.sh("rm '\(folder.path)/filler'")
    let note = try command.nextLine(of: .errors)
    let lost = try #require(note.firstMatch(of: /^writing works again, ([0-9]+) lines were lost$/)?.output.1)
    command.send(SIGTERM)
    let outcome = try command.finish()
    #expect(outcome.status == 0)
    #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome.errors)")
    let after = try text()
    #expect(after.hasPrefix(before))
    let added = after.dropFirst(before.count).split(separator: "\n").map(\.description.withEqualRuns)
    #expect(Int(lost) ?? 0 > 0)
    #expect(added.first == #"{"version":1,"time":"TIME",UPTIME,"lost":\#(lost),"event":"resume"}"#)
    #expect(added.dropFirst().first?.contains(#""path":"#) == true)
    let status = added.dropFirst(2).first ?? ""
    #expect(status.contains(#""gateway":"10.1.0.99""#) && status.contains(#""event":"initial""#), "\(added)")
    try network.sh(#"/usr/bin/python3 -c '\#(Self.decoder)' '\#(folder.file)'"#)
  }

  @Test func `a record on a disk that stays full ends with an error`() throws {
    let network = try networkWithSmallDisk()
    _ = try network.shell("head -c 100000 /dev/zero >'\(folder.path)/filler'")
    let command = try folder.record(in: network)
    let problem = "error: could not write to \(folder.file): No space left on device"
    try #expect(command.nextLine(of: .errors) == "\(problem); lines are lost until it works again")
    command.send(SIGTERM)
    let outcome = try command.finish()
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasSuffix("\nerror: not all lines are in \(folder.file)\n"), "\(outcome)")
    try #expect(network.sh("cat '\(folder.file)'") == "")
  }

  @Test func `a disk that flushes nothing is reported once`() throws {
    let network = try NetworkNamespace.wired()
    // Programs that this thread starts get the error, too.
    try network.run { try Faults.refuse("fdatasync", with: EIO) }
    let command = try folder.record("--heartbeat", "1s", in: network)
    let problem = "error: could not bring \(folder.file) to the disk: Input/output error"
    try #expect(command.nextLine(of: .errors) == problem)
    try folder.wait(for: #""event":"heartbeat""#, 3)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0, errors: problem + "\n"))
  }
}
#endif
