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

  /// The mean time between so many incidents, in milliseconds: the reachable time, divided by their number; `nil` for none.
  package func meanTime(between incidents: Int) -> Int? {
    incidents == 0 ? nil : self[.reachable] / incidents
  }

  /// The shares in thousandths of a percent, rounded so that together they are 100 percent.
  ///
  /// Each share is rounded down, and those with the largest rests are rounded up instead.
  package var thousandthsOfPercent: [LaneState: Int] {
    let sum = sum
    guard sum > 0 else { return [:] }
    let parts = LaneState.allCases.map { state in
      (state, part: self[state].multipliedFullWidth(by: 100_000))
    }.map { state, part in (state, share: sum.dividingFullWidth(part)) }
    var shares = Dictionary(uniqueKeysWithValues: parts.map { ($0.0, $0.share.quotient) })
    let missing = 100_000 - shares.values.reduce(0, +)
    let byRest = parts.sorted { ($1.share.remainder, $0.0.index) < ($0.share.remainder, $1.0.index) }
    for (state, _) in byRest.prefix(missing) { shares[state, default: 0] += 1 }
    return shares
  }

  package static func == (one: StateTotals, other: StateTotals) -> Bool {
    LaneState.allCases.allSatisfy { one[$0] == other[$0] }
  }
}
