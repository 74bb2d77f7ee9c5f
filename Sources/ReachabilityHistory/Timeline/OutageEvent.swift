// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// Incidents of one machine that begin and end together: one thing that happened to its network.
package struct OutageEvent: Equatable, Sendable {
  /// The positions in ``History/incidents``, in order.
  package var incidents: [Int]
  /// The beginning, in milliseconds since 1970.
  package var start: Int
  /// The end; `nil` if it lasts until the end of the period.
  package var end: Int?
  package var isEndRecorded: Bool
  /// The longest time that one of its lanes was without connectivity, in milliseconds.
  package var duration: Int
  /// The time within it that the record does not show.
  package var gap: Int
  /// The number of outages of the lane with most.
  package var flaps: Int
  /// The position of the incident whose cause says most.
  package var lead: Int
  package var fault: Fault?
  /// The only family of addresses that failed; `nil` if both did, or if that is not known.
  package var family: ReachabilityAddress.Family?

  /// Joins incidents, of which traffic and verifications count only without a path or target: they are seen late.
  fileprivate init(_ positions: [Int], of incidents: [Incident], _ lanes: [Lane]) {
    let prompt = positions.filter { lanes[incidents[$0].lane].kind.delay == 0 }
    let counted = (prompt.isEmpty ? positions : prompt).map { incidents[$0] }
    self.incidents = positions
    start = counted.reduce(.max) { min($0, $1.start) }
    end = counted.contains { $0.end == nil } ? nil : counted.compactMap(\.end).max()
    isEndRecorded = counted.allSatisfy(\.isEndRecorded)
    duration = counted.reduce(0) { max($0, $1.duration) }
    gap = counted.reduce(0) { max($0, $1.gap) }
    flaps = counted.reduce(1) { max($0, $1.flaps) }
    let rank = { (fault: Fault?) in fault.flatMap(Fault.byWeight.firstIndex) ?? Fault.byWeight.count }
    let fault = positions.map { incidents[$0].fault }.min { rank($0) < rank($1) } ?? nil
    let leads = positions.filter { incidents[$0].fault == fault }
    lead = leads.max { incidents[$0].cause.pieces.count < incidents[$1].cause.pieces.count } ?? positions[0]
    self.fault = fault
  }
}

extension History {
  /// The event that lasted longest, the first of several.
  package var worstEvent: OutageEvent? { events.max { ($0.duration, $1.start) < ($1.duration, $0.start) } }

  /// What failed, as far as the fault says.
  package func words(for event: OutageEvent) -> String {
    switch event.fault?.side {
    case .thisMachine: "this machine failed"
    case .uplink: "the uplink failed"
    case .server: "the server did not answer"
    case .names: "name resolution failed"
    case nil: LaneState.unreachable.words(for: lanes[incidents[event.lead].lane].kind)
    }
  }

  /// The time between the beginnings, or the ends, of incidents that are one event, in milliseconds.
  static let eventInterval = 5000

  /// The most events and lanes that a search looks at, since a record may have any number at one moment.
  private static let searchLimit = 64

  /// Joins the incidents, which are in order, to events.
  mutating func joinIncidents() {
    let subjects = lanes.map(Subject.init)
    var groups: [[Int]] = []
    var latest: [String: [Int]] = [:]
    for position in incidents.indices {
      let machine = lanes[incidents[position].lane].machine
      let candidates = latest[machine, default: []]
      if let group = candidates.last(where: { isOneEvent(groups[$0][0], position, of: subjects) }) {
        groups[group].append(position)
      } else {
        latest[machine] = candidates.suffix(Self.searchLimit - 1) + [groups.count]
        groups.append([position])
      }
    }
    let families = families(of: subjects)
    events = groups.map { positions in
      var event = OutageEvent(positions, of: incidents, lanes)
      event.family = family(of: event, subjects, in: families)
      return event
    }
  }

  /// Whether an incident, and one that begins later, are one event.
  private func isOneEvent(_ first: Int, _ second: Int, of subjects: [Subject]) -> Bool {
    let (one, other) = (incidents[first], incidents[second])
    let (lane, otherLane) = (lanes[one.lane], lanes[other.lane])
    let (end, otherEnd) = (one.end ?? until, other.end ?? until)
    let delay = otherLane.kind.delay
    guard other.start - end <= Self.eventInterval, other.start - one.start <= Self.eventInterval + delay
    else {
      return false
    }
    // What a server does says nothing about other servers, unless they fail at the same moment.
    let isSeparate =
      (one.fault.isOfPeer || other.fault.isOfPeer) && subjects[one.lane].host != subjects[other.lane].host
    guard !isSeparate || other.start - one.start <= Self.eventInterval else { return false }
    let endDelay = isSeparate ? 0 : max(lane.kind.delay, delay)
    let longest = max(end - one.start, otherEnd - other.start)
    return abs(end - otherEnd) <= Self.eventInterval + endDelay + longest / 2
  }

  // MARK: - Families

  /// What a lane is about.
  private struct Subject {
    /// The host that the target or endpoint names.
    let host: String
    let family: ReachabilityAddress.Family?

    init(_ lane: Lane) {
      host = lane.name.host
      family =
        switch lane.kind {
        case .path, .interface: nil
        case .family: [ReachabilityAddress.Family.v4, .v6].first { $0.description == lane.name }
        case .target, .traffic, .verification: ReachabilityAddress(host)?.family
        }
    }
  }

  /// The lanes of each machine whose targets are addresses.
  private struct Families {
    var hosts: Set<String> = []
    var lanes: [Int] = []
  }

  private func families(of subjects: [Subject]) -> [String: [ReachabilityAddress.Family: Families]] {
    var families: [String: [ReachabilityAddress.Family: Families]] = [:]
    for (position, subject) in subjects.enumerated() {
      guard let family = subject.family else { continue }
      let machine = lanes[position].machine
      families[machine, default: [:]][family, default: Families()].hosts.insert(subject.host)
      families[machine]?[family]?.lanes.append(position)
    }
    return families
  }

  /// The family that alone failed: the path lost it, or all its addresses failed while one of the other was reachable.
  ///
  /// A single address says nothing about its family.
  private func family(
    of event: OutageEvent, _ subjects: [Subject],
    in families: [String: [ReachabilityAddress.Family: Families]]
  ) -> ReachabilityAddress.Family? {
    let lost = event.incidents.compactMap { incidents[$0].lostFamily }
    let failed = event.incidents.map { lanes[incidents[$0].lane] }
    guard !event.fault.isOfPeer, !failed.contains(where: { $0.kind == .path || $0.name == "default" }) else {
      return nil
    }
    let failedSubjects = event.incidents.map { subjects[incidents[$0].lane] }
    let families = families[failed[0].machine] ?? [:]
    for (family, other) in [(ReachabilityAddress.Family.v4, ReachabilityAddress.Family.v6), (.v6, .v4)] {
      guard !failedSubjects.contains(where: { $0.family == other }) else { continue }
      if lost.contains(family) || failed.contains(where: { $0.kind == .family }) { return family }
      guard failedSubjects.allSatisfy({ $0.family == family }) else { continue }
      let hosts = Set(failedSubjects.map(\.host))
      guard hosts.count > 1, hosts == families[family]?.hosts else { continue }
      let others = families[other]?.lanes.prefix(Self.searchLimit) ?? []
      if others.contains(where: { lanes[$0].state(at: event.start) == .reachable }) { return family }
    }
    return nil
  }
}

extension Lane {
  /// The state at a moment of the period.
  fileprivate func state(at moment: Int) -> LaneState? {
    let next = steps.position { $0.start > moment }
    return next > 0 ? steps[next - 1].state : nil
  }
}

extension LaneKind {
  /// The milliseconds after which the lane shows an outage: connections stall for a while, and verifications have intervals.
  fileprivate var delay: Int {
    switch self {
    case .path, .family, .target, .interface: 0
    case .traffic: 15_000
    case .verification: 75_000
    }
  }
}

extension Fault? {
  /// Whether it says nothing about other peers.
  fileprivate var isOfPeer: Bool {
    switch self {
    case .peer, .connection, .server, .name: true
    default: false
    }
  }
}
