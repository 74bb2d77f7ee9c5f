// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory
@testable import ReachabilityReportCLI

@Suite(.deadline) struct `The bar of a lane` {
  private func bar(_ steps: [(Int, LaneState)], until: Int, width: Int) -> String {
    let steps = steps.map { Lane.Step($0.0, $0.1) }
    let lane = Lane(machine: "a", kind: .path, name: "path", steps: steps, end: until)
    return String(LaneBar(lane, from: steps[0].start, until: until, width: width).cells.map(\.character))
  }

  @Test func `each character shows the share of its part that was reachable`() {
    let steps: [(Int, LaneState)] = (0..<9).flatMap { part -> [(Int, LaneState)] in
      [(part * 80, .reachable), (part * 80 + part * 10, .unreachable)]
    }
    #expect(bar(steps + [(720, .reachable)], until: 800, width: 10) == "x▁▂▃▄▅▆▇██")
  }

  @Test func `the shortest outage and the shortest connectivity of a part show`() {
    #expect(bar([(0, .reachable), (500, .unreachable), (501, .reachable)], until: 1000, width: 2) == "█▇")
    #expect(bar([(0, .unreachable), (499, .reachable), (500, .unreachable)], until: 1000, width: 2) == "▁x")
    #expect(
      bar([(0, .notMonitored), (700, .unreachable), (701, .notMonitored)], until: 1000, width: 2) == "░x")
  }

  @Test func `parts that are no whole milliseconds begin with the one before`() {
    #expect(bar([(0, .reachable), (3, .unreachable), (4, .reachable)], until: 10, width: 3) == "█▅█")
  }

  @Test func `what was not monitored or unknown for most of a part has its own character`() {
    #expect(bar([(0, .notMonitored), (51, .reachable)], until: 200, width: 2) == "░█")
    #expect(bar([(0, .notMonitored), (49, .reachable)], until: 200, width: 2) == "██")
    #expect(bar([(0, .unknown), (51, .reachable)], until: 200, width: 2) == "?█")
  }

  @Test(arguments: [1, 3, 7, 80]) func `all parts together are the period`(width: Int) {
    let steps: [(Int, LaneState)] = [(17, .reachable), (18, .unknown), (60, .reachable)]
    #expect(bar(steps, until: 1000, width: width).count == width)
    #expect(bar([(17, .reachable)], until: 20, width: width) == String(repeating: "█", count: min(width, 3)))
    #expect(bar([(17, .reachable)], until: 17, width: width) == "")
  }
}
