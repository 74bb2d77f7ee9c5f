// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// The lanes of one machine, as all its records show them.
///
/// Durations within a boot come from the clock that counts from it. The latest line of the boot says how that clock and
/// the wall clock correspond, so an earlier error of the wall clock moves nothing apart, also not other network namespaces.
struct MachineTimeline {
  let machine: String
  /// The path, then its families, targets, verifications and interfaces, by name.
  private(set) var tracks: [Track] = []
  /// The first and the last moment of a line, in microseconds since 1970.
  private(set) var extent: ClosedRange<Int>?
  /// Whether a boot seems to have begun before another one ended.
  private(set) var hasOverlappingBoots = false

  /// Joins the runs of a machine.
  ///
  /// - Parameters:
  ///   - offsets: The microseconds between the clock of each boot and the wall clock.
  ///   - period: The microseconds that the report needs; what lies outside of it and far from its edges may be missing.
  ///   - room: The number of segments that may still be made; a throw says that they were not enough.
  init(
    _ machine: String, _ runs: [RecordedRun], observations: inout ObservationTable,
    offsets: [String: Int], period: ClosedRange<Int>, room: inout Int
  ) throws(History.TooManySteps) {
    self.machine = machine
    var placed: [(run: RecordedRun, spans: [RunPiece.Span], offset: Int, start: Int, end: Int)] = []
    for run in runs {
      let spans = run.spans
      guard let offset = offsets[run.identity.boot], let first = spans.first, let last = spans.last else {
        continue
      }
      placed.append((run, spans, offset, first.start + offset, last.end + offset))
    }
    placed.sort { ($0.start, $0.run.identity.run) < ($1.start, $1.run.identity.run) }
    let paths = runs.lazy.flatMap { $0.pieces }.flatMap { $0.changes[.path] ?? [] }
    let families = paths.reduce(into: Set()) { $0.formUnion(observations[$1.value].families) }
    var boots: [String: ClosedRange<Int>] = [:]
    var byKey: [LaneKey: Track] = [.path: Track(.path)]
    for (run, spans, offset, start, end) in placed {
      let boot = boots[run.identity.boot] ?? start...end
      boots[run.identity.boot] = min(start, boot.lowerBound)...max(end, boot.upperBound)
      let needed = spans.filter { period.overlaps($0.start + offset...$0.end + offset) }
      var changes = run.changes
      let path = changes[.path] ?? []
      changes.merge(Self.interfaceChanges(path, &observations)) { $1 }
      for family in families { changes[.family(family)] = Self.changes(of: family, path, &observations) }
      for (key, changes) in changes {
        let segments = Self.segments(changes, spans: needed, offset: offset)
        room -= segments.count
        guard room >= 0 else { throw History.TooManySteps() }
        // A later run counts more: it knows what is so now.
        byKey[key, default: Track(key)].segments.overlay(segments)
      }
    }
    let extents = boots.values.sorted { $0.lowerBound < $1.lowerBound }
    hasOverlappingBoots = zip(extents, extents.dropFirst()).contains { $0.upperBound > $1.lowerBound }
    extent = extents.first.map { $0.lowerBound...(extents.map(\.upperBound).max() ?? $0.upperBound) }
    tracks = byKey.values.sorted { ($0.key.kind.order, $0.key.name) < ($1.key.kind.order, $1.key.name) }
  }

  /// The values of a lane while the run was monitored.
  private static func segments(
    _ changes: [RunPiece.Change], spans: [RunPiece.Span], offset: Int
  ) -> [Segment] {
    var segments: [Segment] = []
    var index = 0
    for span in spans {
      while index + 1 < changes.count, changes[index + 1].uptime <= span.start { index += 1 }
      while index < changes.count, changes[index].uptime <= span.end {
        let start = max(changes[index].uptime, span.start)
        let next = index + 1 < changes.count ? changes[index + 1].uptime : Int.max
        let end = min(next, span.end)
        // A value of the last moment has no length, but counts.
        if start < end || start == span.end {
          segments.append(Segment(start: start + offset, end: end + offset, value: changes[index].value))
        }
        if next > span.end { break }
        index += 1
      }
    }
    return segments
  }

  /// Whether a path supports an address family, and why not.
  private static func changes(
    of family: ReachabilityAddress.Family, _ path: [RunPiece.Change], _ observations: inout ObservationTable
  ) -> [RunPiece.Change] {
    path.map { change in
      let whole = observations[change.value]
      var value = Observation(state: whole.families.contains(family) ? .reachable : .unreachable)
      if whole.state == .unknown { value.state = .unknown }
      if value.state == .unreachable { value.reason = whole.familyReasons[family] ?? whole.reason }
      return RunPiece.Change(uptime: change.uptime, value: observations.index(of: value))
    }
  }

  /// The values of the interfaces that a path names.
  private static func interfaceChanges(
    _ path: [RunPiece.Change], _ observations: inout ObservationTable
  ) -> [LaneKey: [RunPiece.Change]] {
    var all: [LaneKey: [RunPiece.Change]] = [:]
    var listed: Set<String> = []
    func add(_ name: String, _ value: Observation, at uptime: Int) {
      let key = LaneKey(kind: .interface, name: name)
      let index = observations.index(of: value)
      if let first = path.first, all[key] == nil, first.uptime < uptime {
        all[key] = [.init(uptime: first.uptime, value: observations.index(of: Observation()))]
      }
      if all[key]?.last?.value != index { all[key, default: []].append(.init(uptime: uptime, value: index)) }
    }
    for change in path {
      let interfaces = observations[change.value].interfaces
      let names = Set(interfaces.map(\.name))
      for interface in interfaces {
        let state = interface.reason == nil ? LaneState.reachable : .unreachable
        add(interface.name, Observation(state: state, reason: interface.reason), at: change.uptime)
      }
      // A satisfied path lists all usable interfaces, another one all interfaces.
      for name in listed.subtracting(names) { add(name, Observation(state: .unreachable), at: change.uptime) }
      listed = names
    }
    return all
  }
}

extension LaneKind {
  /// The position in a report: the families follow the path.
  fileprivate var order: Int { self == .family ? 1 : 2 * index }
}
