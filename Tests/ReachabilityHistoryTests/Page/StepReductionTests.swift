// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Fewer steps for the page` {
  private func lane(_ lengths: [(Int, LaneState)]) -> Lane {
    var steps: [Lane.Step] = []
    var time = 5000
    for (length, state) in lengths {
      steps.append(.init(time, state))
      time += length
    }
    return Lane(machine: "atlas", kind: .target, name: "default", steps: steps, end: time)
  }

  private func rows(_ lane: Lane, _ reduction: StepReduction) -> [[Int]] {
    reduction.rows(of: lane) { $0 == nil ? -1 : 0 }
  }

  @Test func `steps that fit stay as they are`() {
    let lane = lane([(3, .reachable), (1, .unreachable), (900_000, .reachable)])
    let reduction = StepReduction(of: [lane], maximumSteps: 3)
    #expect(reduction.shortest == 0)
    #expect(rows(lane, reduction) == [[3, 0, -1], [1, 1, -1], [900_000, 0, -1]])
  }

  @Test func `short steps that follow each other become one with the time in each state`() {
    let lane = lane([
      (60_000, .reachable), (1, .unreachable), (400, .reachable), (500, .unknown), (99, .unreachable),
      (3, .reachable), (70_000, .notMonitored), (8, .unreachable), (1000, .reachable),
    ])
    let reduction = StepReduction(of: [lane], maximumSteps: 6)
    #expect(reduction.shortest == 1000)
    #expect(
      rows(lane, reduction) == [
        [60_000, 0, -1], [1000, 4, 400, 100, 500, 0], [3, 0, -1], [70_000, 3, -1], [8, 1, -1], [1000, 0, -1],
      ])
  }

  @Test(arguments: 1...20) func `a random lane keeps its sums, and its long steps their edges`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let lanes = (0..<3).map { _ in
      lane(
        (0..<4000).map { _ in
          (1 + generator.below(10 << generator.below(23)), generator.pick(LaneState.allCases))
        })
    }
    let reduction = StepReduction(of: lanes, maximumSteps: 1500)
    #expect(lanes.reduce(0) { $0 + rows($1, reduction).count } <= 1500)
    for lane in lanes {
      var (totals, time) = (StateTotals(), 5000)
      var kept: Set<[Int]> = []
      for row in rows(lane, reduction) {
        if row[1] == 4 {
          #expect(row[2...].reduce(0, +) == row[0])
          #expect(row[0] < 2 * reduction.shortest)
          for state in LaneState.allCases { totals[state] += row[2 + state.index] }
        } else {
          totals[LaneState.allCases[row[1]]] += row[0]
          kept.insert([time, row[0], row[1]])
        }
        time += row[0]
      }
      #expect(time == lane.end)
      #expect(totals == lane.totals)
      for (step, next) in zip(lane.steps, lane.steps.map(\.start).dropFirst() + [lane.end])
      where next - step.start >= reduction.shortest {
        #expect(kept.contains([step.start, next - step.start, step.state.index]))
      }
    }
  }

  @Test func `any number of steps of any length is reduced to the limit`() {
    for length in [1, 900, 40_000, 3_600_000, 80_000_000] {
      let lane = lane((0..<3000).map { (length, $0.isMultiple(of: 2) ? .reachable : .unreachable) })
      let reduction = StepReduction(of: [lane], maximumSteps: 1200)
      #expect(rows(lane, reduction).count <= 1200)
      #expect(reduction.shortest > length)
    }
  }
}
