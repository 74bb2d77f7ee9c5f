// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@testable import ReachabilityHistory

/// Random records of several machines, also of one name, with options, rotations and copies; a Python program calculates
/// the sums from what it wrote.
// Slow: the program looks up each millisecond of each lane.
@Suite(.needsPython, .deadline) struct `The sums of random records` {
  private struct Expectation: Decodable {
    struct Sums: Decodable {
      var machine: String
      var kind: String
      var name: String
      var totals: [String: Int]
    }

    var from: Int
    var until: Int
    var lost: Int
    var lanes: [Sums]
  }

  private func write(_ seed: Int) throws -> (RecordReader, Expectation) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "records-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../Support/records.py"
    ).standardized
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [program.path, folder.path, "\(seed)"]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    var reader = RecordReader()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix("l") {
      try reader.read(folder.appending(path: name).path)
    }
    let data = try Data(contentsOf: folder.appending(path: "expected.json"))
    return (reader, try JSONDecoder().decode(Expectation.self, from: data))
  }

  /// The nightly part sets how many.
  @Test(arguments: 0..<(ProcessInfo.processInfo.environment["RECORD_SEEDS"].flatMap { Int($0) } ?? 8))
  func `they agree with an independent calculation`(seed: Int) throws {
    let (reader, expected) = try write(seed)
    let history = try #require(try History(reader, from: expected.from, until: expected.until))
    #expect(reader.lostCount == expected.lost)
    #expect(history.lanes.count == expected.lanes.count)
    for sums in expected.lanes {
      let lane = try #require(
        history.lanes.first {
          $0.machine == sums.machine && $0.kind.rawValue == sums.kind && $0.name == sums.name
        })
      let totals = Dictionary(uniqueKeysWithValues: LaneState.allCases.map { ($0.rawValue, lane.totals[$0]) })
      #expect(totals == sums.totals, "\(sums.machine) \(sums.kind) \(sums.name)")
    }
    check(history)
  }

  /// What holds for every history.
  private func check(_ history: History) {
    for (position, lane) in history.lanes.enumerated() {
      #expect(lane.totals.sum == history.until - history.from)
      #expect(lane.totals.thousandthsOfPercent.values.reduce(0, +) == 100_000)
      let starts = lane.steps.map(\.start)
      #expect(starts.first == history.from && starts.last ?? .max < history.until)
      #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 })
      let isNew = zip(lane.steps, lane.steps.dropFirst()).allSatisfy {
        $0.state != $1.state || $0.reason != $1.reason
      }
      #expect(isNew)
      guard lane.kind != .interface else { continue }
      let incidents = history.incidents(of: position)
      #expect(incidents.reduce(0) { $0 + $1.duration } == lane.totals[.unreachable])
      for (one, next) in zip(incidents, incidents.dropFirst()) {
        #expect(next.start - (one.end ?? .max) > History.flapInterval)
      }
    }
    #expect(zip(history.incidents, history.incidents.dropFirst()).allSatisfy { $0.start <= $1.start })
  }
}
#endif
