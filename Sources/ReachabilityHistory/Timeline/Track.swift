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
    func begin(_ microseconds: Int, _ state: LaneState, _ reason: String?) {
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
      begin(segment.start, value.state, value.reason)
      let next = position + 1 < segments.count ? segments[position + 1].start : nil
      if next != segment.end { begin(segment.end, .notMonitored, nil) }
    }
    return steps
  }

  /// The outages of a period.
  func outages(from: Int, until: Int, _ observations: ObservationTable) -> [Outage] {
    var outages: [Outage] = []
    let first = segments.position(endingAfter: from * 1000)
    var previous = first > 0 ? segments[first - 1] : nil
    for (position, segment) in segments.enumerated().dropFirst(first) {
      // What began with the last line has no length yet, and is an outage all the same.
      let isLast = position == segments.count - 1
      guard segment.start.milliseconds < until + (isLast ? 1 : 0) else { break }
      defer { previous = segment }
      guard observations[segment.value].state == .unreachable else { continue }
      let follows = previous.map { $0.end == segment.start } ?? false
      let isNew =
        !follows || outages.isEmpty
        || previous.map { observations[$0.value].state != .unreachable } ?? true
      let (start, end) = (max(segment.start, from * 1000), min(segment.end, until * 1000))
      if isNew {
        outages.append(
          Outage(
            segment: position, start: start, end: end, isCut: segment.start < start, followsGap: !follows))
      } else {
        outages[outages.count - 1].end = end
      }
      let next = position + 1 < segments.count ? segments[position + 1].start : nil
      outages[outages.count - 1].isOpen = segment.end >= until * 1000
      outages[outages.count - 1].precedesGap = next != segment.end
    }
    return outages
  }
}

extension Int {
  /// The whole millisecond of a moment in microseconds.
  var milliseconds: Int { dividedDown(by: 1000).quotient }
}
