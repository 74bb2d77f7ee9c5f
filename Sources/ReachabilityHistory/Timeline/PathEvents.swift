// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// Something that happened near the beginning of an outage.
struct PathEvent {
  /// Microseconds since 1970.
  var time: Int
  /// What is the same for the target's and the path's view of the event.
  var kind: String
  var pieces: [Cause.Piece]
}

/// What became worse with each change of a path.
///
/// A path may lose thousands of addresses at once, and thousands of targets with them: of each change only the first
/// events are kept, and the number of all.
struct PathEvents {
  /// The most events of a change that are kept, and the most changes that a search looks at.
  private static let limit = (events: 8, changes: 32)

  private let segments: [Segment]
  /// The events that are kept, in order.
  private var events: [PathEvent] = []
  /// The number of events that are kept, and of all, before each segment of the path; then of the whole path.
  private var counts: [(kept: Int, all: Int)] = [(0, 0)]

  init(_ path: Track, _ observations: ObservationTable) {
    segments = path.segments
    for (position, now) in segments.enumerated() {
      var all = counts[position].all
      if position > 0, segments[position - 1].end == now.start, segments[position - 1].value != now.value {
        let before = observations[segments[position - 1].value]
        let found = Self.differences(before, observations[now.value], at: now.start)
        events += found.prefix(Self.limit.events)
        all += found.count
      }
      counts.append((events.count, all))
    }
  }

  /// The first events between two moments, both included, and the number of all.
  func events(from start: Int, until end: Int) -> (first: ArraySlice<PathEvent>, count: Int) {
    let first = segments.position { $0.start >= start }
    let last = max(segments.position { $0.start > end }, first)
    let near = min(last, first + Self.limit.changes)
    return (events[counts[first].kept..<counts[near].kept], counts[last].all - counts[first].all)
  }

  private static func differences(_ before: Observation, _ now: Observation, at time: Int) -> [PathEvent] {
    let interfaces = Dictionary(now.interfaces.map { ($0.name, $0) }) { first, _ in first }
    var events: [PathEvent] = []
    func add(_ kind: String, _ pieces: [Cause.Piece]) {
      // Of the others, only the number counts.
      events.append(PathEvent(time: time, kind: kind, pieces: events.count < limit.events ? pieces : []))
    }
    for old in before.interfaces {
      guard let new = interfaces[old.name] else {
        if old.reason == nil {
          add("unlisted \(old.name)", [.interface(old.name.shortened), .words(" became unusable")])
        }
        continue
      }
      if let reason = new.reason, reason != old.reason {
        add(reason, Cause.Piece.pieces(of: reason, on: old.name))
      }
      let gateways = new.reason == nil ? Set(old.gateways).subtracting(new.gateways) : []
      for gateway in old.gateways where gateways.contains(gateway) {
        add(
          ReachabilityStatus.Reason.noRoute.rawValue,
          [.words("route via "), .address(gateway.shortened), .words(" withdrawn")])
      }
      let addresses = Set(old.addresses).subtracting(new.addresses)
      for address in old.addresses where addresses.contains(address) {
        add("address \(address)", [.words("address "), .address(address.shortened), .words(" removed")])
      }
    }
    return events
  }
}
