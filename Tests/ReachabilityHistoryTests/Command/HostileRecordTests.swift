// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// Records that are made to hurt, and what a report of them costs.
@Suite(.needsPython, .onOwnThreads, .serialized, .deadline) struct `Hostile records` {
  private struct Cost: Decodable {
    var bytes: Int
    var megabytes: Double
    var seconds: Double
    var text: Int
    var json: Int
    var page: Int
    var refused: Bool
  }

  private static let program = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../Support/hostile.py"
  ).standardized.path

  private static let kinds = [
    "addresses", "many_addresses", "restless_path", "many_interfaces", "long_names", "short_long_names",
    "gaps",
    "flapping_gaps", "continued", "overlapping", "machines", "outages_of_many", "reasons", "ages",
    "verifications",
  ]

  private func cost(_ kind: String, bytes: Int, seed: Int = 0) throws -> Cost {
    let outcome = try RunningCommand(
      [kind, "\(bytes)", "\(seed)"], of: "reachability-report",
      through: "exec /usr/bin/python3 '\(Self.program)' \"$@\""
    ).finish()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(Cost.self, from: Data(outcome.output.utf8))
  }

  /// The bounds are those of a debug build on a busy machine; faults of growth exceed them many times.
  private func check(_ cost: Cost) {
    #expect(cost.page <= 1_000_000)
    #expect(cost.megabytes <= 60 + Double(cost.bytes) / 25_000)
    #expect(cost.seconds <= 10 + Double(cost.bytes) / 100_000)
    #expect(cost.text <= 1_000_000 + cost.bytes * 4)
  }

  @Test func `all kinds are tested`() throws {
    let outcome = try RunningCommand(
      [], of: "reachability-report", through: "exec /usr/bin/python3 '\(Self.program)' --kinds"
    ).finish()
    #expect(outcome.output.split(separator: "\n").map(String.init) == Self.kinds + ["mixed"])
  }

  @Test(arguments: kinds.map { ($0, 153_000) } + [("gaps", 70_000), ("flapping_gaps", 70_000)])
  func `a report of a small record takes little memory and time, and its page a megabyte`(
    kind: String, bytes: Int
  ) throws {
    let cost = try cost(kind, bytes: bytes)
    #expect(cost.refused == (["gaps", "flapping_gaps"].contains(kind) && bytes > 100_000))
    check(cost)
  }

  /// The nightly part sets how many.
  @Test(arguments: 0..<(ProcessInfo.processInfo.environment["RECORD_SEEDS"].flatMap { Int($0) } ?? 4))
  func `a random mixture takes little memory and time, and its page a megabyte`(seed: Int) throws {
    check(try cost("mixed", bytes: 50_000 << (seed % 4), seed: seed))
  }
}
#endif
