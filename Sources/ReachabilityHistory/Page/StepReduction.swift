// SPDX-License-Identifier: Apache-2.0
/// Fewer steps, for a page that stays small: where changes are dense, short steps are summed.
///
/// Steps shorter than a limit that follow each other become one summed step, which keeps the exact time in each state.
/// A summed step ends as soon as it is as long as the limit, or before a longer step. The limit is the smallest of a few
/// round durations with which all lanes together have at most ``maximumSteps`` steps, and fit into a page. So sums of a
/// whole period are always exact, and a short outage in a quiet time keeps its exact edges.
struct StepReduction: Sendable {
  /// One step for each lane.
  static let whole = StepReduction(shortest: .max)
  /// The largest number of steps of all lanes: about half a megabyte.
  static let maximumSteps = 20_000

  /// Durations in milliseconds, from a second to 30 days.
  private static let limits = [0, 1, 10, 60, 600, 3600, 21600, 86400, 604_800, 2_592_000].map { $0 * 1000 }

  /// The limit in milliseconds, below which steps are summed; 0 if none is.
  let shortest: Int

  /// Chooses the limit for lanes, whose steps may have so many bytes in the page.
  init(of lanes: [Lane], maximumSteps: Int = maximumSteps, maximumSize: Int = .max) {
    let fitting = Self.limits.lazy.map(StepReduction.init(shortest:)).first { reduction in
      lanes.reduce(0) { $0 + reduction.groups(of: $1).count } <= maximumSteps
        && lanes.reduce(0) { $0 + reduction.size(of: $1) } <= maximumSize
    }
    self = fitting ?? Self.whole
  }

  private init(shortest: Int) { self.shortest = shortest }

  /// The steps of a lane as the page has them: duration, state, reason.
  ///
  /// In a summed step the number of states is in place of the state, and the times in each state follow.
  func rows(of lane: Lane, position: (String?) -> Int) -> [[Int]] {
    groups(of: lane).map { group in
      let start = lane.steps[group.lowerBound].start
      let duration = lane.beginning(ofStep: group.upperBound) - start
      if group.count == 1 {
        let step = lane.steps[group.lowerBound]
        return [duration, step.state.index, position(step.reason)]
      }
      var totals = StateTotals()
      for index in group {
        totals[lane.steps[index].state] += lane.beginning(ofStep: index + 1) - lane.steps[index].start
      }
      return [duration, LaneState.allCases.count] + LaneState.allCases.map { totals[$0] }
    }
  }

  /// The bytes of a lane's rows in the page; a position of a reason has at most two digits.
  func size(of lane: Lane) -> Int {
    // Without brackets for each step.
    rows(of: lane) { $0 == nil ? -1 : 10 }.reduce(2) { $0 + $1.sizeInPage - 2 }
  }

  /// The steps that become one step each.
  private func groups(of lane: Lane) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var first = 0
    for index in lane.steps.indices {
      let start = lane.steps[index].start
      let end = lane.beginning(ofStep: index + 1)
      let isLong = end - start >= shortest
      if isLong, first < index {
        groups.append(first..<index)
        first = index
      }
      if isLong || end - lane.steps[first].start >= shortest {
        groups.append(first..<(index + 1))
        first = index + 1
      }
    }
    if first < lane.steps.count { groups.append(first..<lane.steps.count) }
    return groups
  }
}
