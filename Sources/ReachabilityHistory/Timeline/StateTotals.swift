/// The milliseconds that a lane spent in each state; together they are the period.
package struct StateTotals: Equatable, Sendable {
  private var milliseconds: [4 of Int] = [0, 0, 0, 0]

  package init() {}

  package subscript(_ state: LaneState) -> Int {
    get { milliseconds[state.index] }
    set { milliseconds[state.index] = newValue }
  }

  /// The length of the period.
  package var sum: Int { LaneState.allCases.reduce(0) { $0 + self[$1] } }

  package static func == (one: StateTotals, other: StateTotals) -> Bool {
    LaneState.allCases.allSatisfy { one[$0] == other[$0] }
  }
}
