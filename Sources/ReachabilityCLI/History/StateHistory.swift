import ReachabilityKit

/// The states of a target in the last minutes.
struct StateHistory {
  /// What a piece of the time was like.
  enum Cell {
    /// Nothing was observed.
    case none
    case reachable
    /// Reachable for a part of the time, however long.
    case partly
    case notReachable
    case unknown
  }

  private var changes: [(time: Int, state: ReachabilityStatus.State)] = []

  /// Adds a state that begins now, and forgets what ended before the window.
  ///
  /// - Parameters:
  ///   - state: The new state.
  ///   - time: The present time, in microseconds.
  ///   - window: The time that the history covers, in microseconds.
  mutating func add(_ state: ReachabilityStatus.State, at time: Int, within window: Int) {
    guard changes.last?.state != state else { return }
    changes.append((time, state))
    let first = changes.lastIndex { $0.time <= time - window } ?? 0
    changes.removeFirst(first)
  }

  /// The history in pieces of equal length, of which the last contains the present.
  ///
  /// Pieces begin at multiples of their length, so that a piece never changes when it is over.
  func cells(_ count: Int, within window: Int, at time: Int) -> [Cell] {
    let length = max(1, window / count)
    let end = (time / length + 1) * length
    return (0..<count).map { index in
      let start = end - (count - index) * length
      return cell(start..<(start + length))
    }
  }

  private func cell(_ period: Range<Int>) -> Cell {
    var states: Set<ReachabilityStatus.State> = []
    for (index, change) in changes.enumerated() {
      let next = index + 1 < changes.count ? changes[index + 1].time : .max
      if change.time < period.upperBound, next > period.lowerBound { states.insert(change.state) }
    }
    if states.contains(.notReachable) { return states.contains(.reachable) ? .partly : .notReachable }
    if states.contains(.unknown) { return .unknown }
    return states.isEmpty ? .none : .reachable
  }
}
