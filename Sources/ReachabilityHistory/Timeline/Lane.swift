/// The states of a target, a path or an interface of one machine, one after the other.
package struct Lane: Equatable, Sendable {
  /// A time without a change; it ends where the next step begins, the last one where the period ends.
  package struct Step: Equatable, Sendable {
    /// The beginning, in milliseconds since 1970.
    package var start: Int
    package var state: LaneState
    /// The raw value of the reason; `nil` if there is none.
    package var reason: String?

    package init(_ start: Int, _ state: LaneState, reason: String? = nil) {
      self.start = start
      self.state = state
      self.reason = reason
    }
  }

  package var machine: String
  package var kind: LaneKind
  /// The target or endpoint as it was given, the name of the interface, or `path`.
  package var name: String
  /// The steps in order, of which the first one begins with the period; none is empty, no two neighbours are equal.
  package var steps: [Step]
  /// The end of the last step.
  package var end: Int

  package init(machine: String, kind: LaneKind, name: String, steps: [Step], end: Int) {
    self.machine = machine
    self.kind = kind
    self.name = name
    self.steps = steps
    self.end = end
  }

  /// The time in each state.
  package var totals: StateTotals {
    var totals = StateTotals()
    for (position, step) in steps.enumerated() {
      let next = position + 1 < steps.count ? steps[position + 1].start : end
      totals[step.state] += next - step.start
    }
    return totals
  }

  /// The longest time without a moment of connectivity, the first of several; `nil` if there was none.
  package var longestOutage: (start: Int, duration: Int)? {
    var (longest, start) = (nil as (start: Int, duration: Int)?, nil as Int?)
    for step in steps + [Step(end, .notMonitored)] {
      if step.state == .unreachable {
        start = start ?? step.start
      } else if let begin = start {
        if step.start - begin > longest?.duration ?? 0 { longest = (begin, step.start - begin) }
        start = nil
      }
    }
    return longest
  }
}
