// SPDX-License-Identifier: Apache-2.0
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

  /// The name, with its kind unless it is the path, one of its families or a target.
  package var title: String {
    switch kind {
    case .path, .family, .target: name
    case .traffic: "traffic of \(name)"
    case .verification: "verification of \(name)"
    // A pseudonym begins with this word already; no interface's name has a blank.
    case .interface: name.hasPrefix("interface ") ? name : "interface \(name)"
    }
  }

  /// The beginning of a step; the end of the lane for the position after the last step.
  package func beginning(ofStep position: Int) -> Int {
    position < steps.count ? steps[position].start : end
  }

  /// The time in each state.
  package var totals: StateTotals {
    var totals = StateTotals()
    for (position, step) in steps.enumerated() {
      totals[step.state] += beginning(ofStep: position + 1) - step.start
    }
    return totals
  }

  /// The longest time without a moment of connectivity, the first of several; `nil` if there was none.
  ///
  /// As in ``Track/outages(from:until:_:)``, a gap in the record does not end it, and does not count.
  package var longestOutage: (start: Int, duration: Int)? {
    var longest: (start: Int, duration: Int)?
    var outage: (start: Int, duration: Int)?
    var isPaused = false
    for (position, step) in steps.enumerated() {
      switch step.state {
      case .unreachable:
        let duration = beginning(ofStep: position + 1) - step.start
        outage = (outage?.start ?? step.start, (outage?.duration ?? 0) + duration)
        isPaused = false
      case .notMonitored: isPaused = true
      case .unknown where isPaused: break
      case .unknown, .reachable: outage = nil
      }
      if let outage, outage.duration > longest?.duration ?? 0 { longest = outage }
    }
    return longest
  }
}

/// A time in which a lane had one value, in microseconds since 1970; between segments nothing was monitored.
struct Segment: Equatable {
  var start: Int
  var end: Int
  /// The index in the table of observations.
  var value: Int32
}

extension [Segment] {
  /// Puts later segments, in order, over these; where both exist, the later ones count.
  mutating func overlay(_ later: [Segment]) {
    guard let first = later.first else { return }
    let begin = position(endingAfter: first.start)
    let covered = Array(self[begin...])
    removeSubrange(begin...)
    var rest = later[...]
    for var segment in covered {
      while segment.start < segment.end {
        while let end = rest.first?.end, end <= segment.start { append(rest.removeFirst()) }
        guard let next = rest.first, next.start < segment.end else {
          append(segment)
          break
        }
        if segment.start < next.start {
          append(Segment(start: segment.start, end: next.start, value: segment.value))
        }
        segment.start = next.end
      }
    }
    self += rest
  }

  /// The position of the first segment that ends after a moment.
  func position(endingAfter moment: Int) -> Int { position { $0.end > moment } }
}

extension Array {
  /// The position of the first element that fulfils a condition, as all elements behind it do; the number of all if none does.
  func position(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

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

  /// The mean time between so many incidents, in milliseconds: the reachable time, divided by their number.
  ///
  /// It is `nil` without an incident, and without reachable time, which has nothing between its outages.
  package func meanTime(between incidents: Int) -> Int? {
    incidents == 0 || self[.reachable] == 0 ? nil : self[.reachable] / incidents
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
    for (state, _) in byRest.prefix(missing) { shares[state]? += 1 }
    return shares
  }

  package static func == (one: StateTotals, other: StateTotals) -> Bool {
    LaneState.allCases.allSatisfy { one[$0] == other[$0] }
  }
}

/// All that the records say about a lane, in order.
struct Track {
  var key: LaneKey
  var segments: [Segment] = []

  init(_ key: LaneKey) { self.key = key }

  /// The steps of a period, which begins and ends with a whole millisecond.
  ///
  /// A step begins with the millisecond in which its change happened. What begins and ends in the same millisecond is
  /// no step.
  func steps(from: Int, until: Int, _ observations: ObservationTable) -> [Lane.Step] {
    var steps = [Lane.Step(from, .notMonitored)]
    func begin(_ state: LaneState, reason: String? = nil, at microseconds: Int) {
      let start = max(microseconds.milliseconds, from)
      guard start < until else { return }
      if steps.last?.start == start { steps.removeLast() }
      if let last = steps.last, last.state == state, last.reason == reason { return }
      steps.append(Lane.Step(start, state, reason: reason))
    }
    let first = segments.position(endingAfter: from * 1000)
    for (position, segment) in segments.enumerated().dropFirst(first) {
      guard segment.start < until * 1000 else { break }
      let value = observations[segment.value]
      begin(value.state, reason: value.reason, at: segment.start)
      let next = position + 1 < segments.count ? segments[position + 1].start : nil
      if next != segment.end { begin(.notMonitored, at: segment.end) }
    }
    return steps
  }

  /// The outages of a period.
  ///
  /// An outage that still lasts after a gap in the record, such as a restart of the recorder, is one, with the gap in it.
  /// Until a new run knows the status, it is unknown.
  func outages(from: Int, until: Int, _ observations: ObservationTable) -> [Outage] {
    var outages: [Outage] = []
    let first = segments.position(endingAfter: from * 1000)
    // Whether the segments before are an outage, if need be with a gap after it.
    var isRunning = first > 0 && observations[segments[first - 1].value].state == .unreachable
    var (hasGap, previousEnd) = (false, first > 0 ? segments[first - 1].end : nil)
    for (position, segment) in segments.enumerated().dropFirst(first) {
      // What began with the last line has no length yet, and is an outage all the same.
      let isLast = position == segments.count - 1
      guard segment.start.milliseconds < until + (isLast ? 1 : 0) else { break }
      let follows = previousEnd == segment.start
      previousEnd = segment.end
      hasGap = hasGap || !follows
      let state = observations[segment.value].state
      guard state == .unreachable else {
        isRunning = isRunning && hasGap && state == .unknown
        hasGap = isRunning
        continue
      }
      let (start, end) = (max(segment.start, from * 1000), min(segment.end, until * 1000))
      if isRunning, let last = outages.indices.last {
        outages[last].gap += start.milliseconds - outages[last].end.milliseconds
        outages[last].end = end
      } else {
        outages.append(
          Outage(
            segment: position, start: start, end: end, isCut: segment.start < start || isRunning,
            followsGap: !follows))
      }
      (isRunning, hasGap) = (true, false)
      let next = position + 1 < segments.count ? segments[position + 1].start : nil
      outages[outages.count - 1].isOpen = segment.end >= until * 1000
      outages[outages.count - 1].precedesGap = next != segment.end
    }
    return outages
  }
}

extension Int {
  /// The whole millisecond of a moment in microseconds.
  var milliseconds: Int { self / 1000 - (self % 1000 < 0 ? 1 : 0) }
}
