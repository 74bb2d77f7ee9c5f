// SPDX-License-Identifier: Apache-2.0
/// What records say about a period.
package struct History: Equatable, Sendable {
  /// The beginning of the period, in milliseconds since 1970.
  package var from: Int
  /// The end of the period.
  package var until: Int
  /// The lanes of each machine: the path, then targets, verifications and interfaces.
  package var lanes: [Lane]
  /// The incidents of paths, targets and verifications, the oldest first.
  package var incidents: [Incident]
  /// What happened: the incidents that begin and end together, the oldest first.
  package var events: [OutageEvent] = []
  /// The machines that were recorded in two boots at once: several ones with one name, or one with a wrong clock.
  package var ambiguousMachines: [String] = []

  package init(from: Int, until: Int, lanes: [Lane], incidents: [Incident]) {
    self.from = from
    self.until = until
    self.lanes = lanes
    self.incidents = incidents
  }
}

extension History {
  /// The largest time between two outages of one incident, in milliseconds.
  package static let flapInterval = 60_000

  /// The records have so few lines for so many steps that they were made to fill the memory.
  ///
  /// Each time without a record is a step of each lane, so a small file may have many lanes and many such times.
  package struct TooManySteps: Error {}

  /// The steps that records may have in any case, and for each of their lines.
  private static let stepLimit = (all: 200_000, line: 10)

  /// Computes what records say about a period.
  ///
  /// - Parameters:
  ///   - from: The beginning in milliseconds since 1970; `nil` for the first line.
  ///   - until: The end; `nil` for the last line.
  /// - Returns: `nil` if there is no line, or if the period has no length.
  package init?(_ reader: RecordReader, from: Int? = nil, until: Int? = nil) throws(TooManySteps) {
    var observations = reader.observations
    var room = Self.stepLimit.all + Self.stepLimit.line * reader.lineCount
    // What happened shortly before and after an edge belongs to the causes.
    let (start, end) = (from.map { $0 * 1000 - 10_000_000 }, until.map { $0 * 1000 + 10_000_000 })
    let period = (start ?? .min)...max(end ?? .max, start ?? .min)
    var machines: [MachineTimeline] = []
    let offsets = reader.runs.clockOffsets
    for (name, runs) in reader.runs.machines {
      machines.append(
        try MachineTimeline(
          name, runs, observations: &observations, offsets: offsets[runs[0].identity.machine] ?? [:],
          period: period,
          room: &room))
    }
    let extents = machines.compactMap(\.extent)
    guard let first = extents.map(\.lowerBound).min(), let last = extents.map(\.upperBound).max() else {
      return nil
    }
    self.init(from: from ?? first.milliseconds, until: until ?? last.milliseconds, lanes: [], incidents: [])
    guard self.from <= self.until, from == nil && until == nil || self.from < self.until else { return nil }
    for machine in machines { add(machine, observations) }
    ambiguousMachines = machines.filter(\.hasOverlappingBoots).map(\.machine)
    incidents.sort { ($0.start, $0.lane) < ($1.start, $1.lane) }
    joinIncidents()
  }

  private mutating func add(_ machine: MachineTimeline, _ observations: ObservationTable) {
    var outages = machine.tracks.map { $0.outages(from: from, until: until, observations) }
    let ofPath = zip(machine.tracks, outages).first { $0.0.key == .path }?.1 ?? []
    for (position, track) in machine.tracks.enumerated() where track.key.kind == .family {
      outages[position].removeAll { $0.isPart(of: ofPath, upTo: Self.eventInterval * 1000) }
    }
    let finder = CauseFinder(machine.tracks, outages: outages, observations: observations)
    for (track, outages) in zip(machine.tracks, outages) {
      let lane = lanes.count
      lanes.append(
        Lane(
          machine: machine.machine, kind: track.key.kind, name: track.key.name,
          steps: track.steps(from: from, until: until, observations), end: until))
      guard track.key.kind != .interface else { continue }
      var last = nil as Outage?
      for outage in outages {
        if let end = last?.end, outage.start.milliseconds - end.milliseconds <= Self.flapInterval {
          incidents[incidents.count - 1].flaps += 1
        } else {
          var incident = Incident(lane: lane, start: outage.start.milliseconds, end: nil)
          incident.reason = observations[track.segments[outage.segment].value].reason
          incident.cause = finder.cause(of: outage, on: track)
          incident.lostFamily = finder.lostFamily(of: outage)
          incidents.append(incident)
        }
        let place = incidents.count - 1
        incidents[place].evidenceFault =
          incidents[place].evidenceFault ?? finder.evidenceFault(of: outage, on: track)
        incidents[place].end = outage.isOpen ? nil : outage.end.milliseconds
        incidents[place].duration += outage.duration
        incidents[place].gap += outage.gap
        incidents[place].isEndRecorded = !outage.precedesGap || outage.isOpen
        last = outage
      }
    }
  }

  /// The number of incidents of each lane.
  package var incidentCounts: [Int] {
    incidents.reduce(into: Array(repeating: 0, count: lanes.count)) { $0[$1.lane] += 1 }
  }
}
