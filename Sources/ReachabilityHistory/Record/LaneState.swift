/// What a record says about a lane at a moment.
package enum LaneState: String, Sendable, CaseIterable {
  case reachable
  case unreachable
  /// The record was kept, but the status was unknown.
  case unknown
  /// No record was kept: the machine was off, or the recorder was stopped, frozen, or could not write.
  case notMonitored

  /// The position in ``allCases``, by which the page names the state.
  package var index: Int {
    switch self {
    case .reachable: 0
    case .unreachable: 1
    case .unknown: 2
    case .notMonitored: 3
    }
  }
}
