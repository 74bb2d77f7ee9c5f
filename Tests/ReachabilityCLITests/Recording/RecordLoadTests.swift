// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `reachability record` under many changes and sudden ends.
@Suite(.needsNamespaces, .deadline) struct `A record under load` {
  private let folder: RecordFolder

  init() throws { folder = try RecordFolder() }

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
    try #expect(folder.eventCounts() == ["start": 1, "initial": 1501, "change": 6000, "stop": 1])
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
      // A slow command may read several changes as one, so they go on until there are enough.
      let end = "\(folder.file).end\(run)"
      let churn = try network.startApart {
        try network.sh(
          """
          for round in $(seq 100); do
            for i in $(seq 2 250); do
              [ ! -e \(end) ] || exit 0
              ip route replace 10.9.0.0/16 via 10.1.0.$i
            done
          done
          """, within: .seconds(120))
      }
      try folder.wait { $0.count >= start.count + 17 * run }
      command.send(SIGKILL)
      try #expect(command.exitStatus() == 128 + SIGKILL)
      let count = try folder.eventCounts()
      #expect(count["start"] == run)
      #expect(count["stop"] == nil)
      before = folder.text()
      try Data().write(to: URL(filePath: end))
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
    try #expect(folder.eventCounts(suffixes)["stop"] == 1)
  }
}
#endif
