// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import Testing

/// The units that write yesterday's page; `Benchmarks/boot-gates units` starts them.
@Suite(.onOwnThreads, .deadline) struct `The units of report` {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardized.path(percentEncoded: false)

  private func lines(_ unit: String) throws -> [String] {
    try String(contentsOfFile: "\(Self.package)/share/systemd/\(unit)", encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  @Test func `the command of the service writes yesterday's page from all files of the record`() throws {
    let start = try #require(lines("reachability-report.service").first { $0.hasPrefix("ExecStart=") })
    let script = try #require(start.split(separator: "'").dropFirst().first)
    let folder = FileManager.default.temporaryDirectory.appending(path: "unit-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, run) in [("history.jsonl", "1"), ("history.jsonl.1", "2")] {
      var record = RecordText()
      record.start(0, run: run)
      record.target(0, "reachable", name: "target\(run)")
      try Data(record.text.utf8).write(to: folder.appending(path: name))
    }
    let before = script.replacing("/usr/bin/reachability-report", with: "\"$0\"")
    let outcome = try RunningCommand(
      [], of: "reachability-report", environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"],
      through: "cd '\(folder.path)' && exec sh -c '\(before)' \"$1\""
    ).finish()
    #expect(outcome == Outcome(status: 0))
    let page = try String(contentsOf: folder.appending(path: "yesterday.html"), encoding: .utf8)
    #expect(page.contains("target1") && page.contains("target2"))
  }

  @Test func `the service shares the user and the folder of the record`() throws {
    let (record, report) = (
      try lines("reachability-record.service"), try lines("reachability-report.service")
    )
    for line in ["DynamicUser=yes", "StateDirectory=reachability"] {
      #expect(record.contains(line) && report.contains(line))
    }
    // Without a user of its own, the record's is named after the unit.
    #expect(!record.contains { $0.hasPrefix("User=") } && report.contains("User=reachability-record"))
  }

  @Test func `the units are installed with their program, and with no other one`() throws {
    func units(_ command: String) throws -> [String] {
      let process = Process()
      process.executableURL = URL(filePath: "\(Self.package)/scripts/install")
      process.arguments = ["--uninstall", "--command", command]
      process.environment = ["PATH": "/usr/bin:/bin", "DESTDIR": "/nonexistent"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: output, as: UTF8.self).split(separator: "\n")
        .filter { $0.contains("/systemd/") }.compactMap { $0.split(separator: "/").last.map(String.init) }
    }
    #expect(try units("reachability-report") == ["reachability-report.service", "reachability-report.timer"])
    let others = try units("reachability")
    #expect(others.contains("reachability-record.service") && !others.contains { $0.contains("report") })
  }
}
#endif
