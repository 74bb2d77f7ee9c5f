import ReachabilityKit

/// Finds in the records of a machine what happened when an outage began.
struct CauseFinder {
  /// Events of the path within this time before and after the beginning belong to the outage, in microseconds.
  private static let vicinity = 2_000_000

  private let path: Track
  /// The beginnings of the outages of the path.
  private let pathOutages: [Int]
  /// The beginnings of the outages of each target.
  private let targets: [String: [Int]]
  private let observations: ObservationTable

  init(_ tracks: [Track], _ outages: [[Outage]], _ observations: ObservationTable) {
    let position = tracks.firstIndex { $0.key == .path }
    path = position.map { tracks[$0] } ?? Track(.path)
    pathOutages = position.map { outages[$0].map(\.start) } ?? []
    var targets: [String: [Int]] = [:]
    for (track, outages) in zip(tracks, outages) where track.key.kind == .target {
      targets[track.key.name] = outages.map(\.start)
    }
    self.targets = targets
    self.observations = observations
  }

  /// Describes the beginning of an outage in one line.
  func cause(of outage: Outage, on track: Track) -> Cause {
    let value = observations[track.segments[outage.segment].value]
    var pieces: [Cause.Piece] = [
      .words(value.reason.map(ReasonText.words) ?? "unreachable")
    ]
    var (interface, gateway) = (value.interface, value.gateway)
    // The reason says why no interface is left: the last one before is the one that failed.
    for position in track.segments[..<outage.segment].indices.reversed() {
      guard interface == nil, gateway == nil,
        track.segments[position].end == track.segments[position + 1].start
      else { break }
      let before = observations[track.segments[position].value]
      (interface, gateway) = (before.interface, before.gateway)
      if before.state != .unreachable { break }
    }
    if let detail = value.detail { pieces += [.words(": "), .detail(detail)] }
    if let interface { pieces += [.words(", "), .interface(interface)] }
    if let gateway { pieces += [.words(" via "), .address(gateway)] }
    if outage.isCut {
      pieces.append(.words("; it began before this period"))
    } else if outage.followsGap {
      pieces.append(.words("; unreachable when monitoring began"))
    } else {
      pieces += eventPieces(events(of: outage, on: track))
      pieces += scopePieces(outage, track.key)
    }
    return Cause(pieces)
  }

  // MARK: - Events

  /// Something that happened, with a kind by which the target's and the path's view of it are one.
  private struct Event {
    var time: Int
    var kind: String
    var pieces: [Cause.Piece]
  }

  /// What happened near the beginning, in the order of the record.
  private func events(of outage: Outage, on track: Track) -> [Event] {
    let end = min(outage.end, outage.start + Self.vicinity)
    var events: [Event] = []
    for segment in track.segments[outage.segment...].prefix(while: { $0.start <= end }) {
      let value = observations[segment.value]
      guard value.state == .unreachable, let reason = value.reason else { continue }
      events.append(
        Event(time: segment.start, kind: reason, pieces: pieces(of: reason, on: value.interface)))
    }
    let first = max(path.segments.position(endingAfter: outage.start - Self.vicinity), 1)
    for position in path.segments.indices.dropFirst(first) {
      let (before, now) = (path.segments[position - 1], path.segments[position])
      guard now.start <= end else { break }
      guard before.end == now.start, now.start >= outage.start - Self.vicinity else { continue }
      events += differences(observations[before.value], observations[now.value], at: now.start)
    }
    var unique: [Event] = []
    for event in events.sorted(by: { $0.time < $1.time }) {
      guard let known = unique.firstIndex(where: { $0.kind == event.kind }) else {
        unique.append(event)
        continue
      }
      if event.pieces.count > unique[known].pieces.count { unique[known].pieces = event.pieces }
    }
    return unique
  }

  /// What became worse from one path to the next.
  private func differences(_ before: Observation, _ now: Observation, at time: Int) -> [Event] {
    var events: [Event] = []
    for old in before.interfaces {
      guard let new = now.interfaces.first(where: { $0.name == old.name }) else {
        if old.reason == nil {
          events.append(
            Event(
              time: time, kind: "unlisted \(old.name)",
              pieces: [.interface(old.name), .words(" became unusable")]))
        }
        continue
      }
      if let reason = new.reason, reason != old.reason {
        events.append(Event(time: time, kind: reason, pieces: pieces(of: reason, on: old.name)))
      }
      for gateway in old.gateways where new.reason == nil && !new.gateways.contains(gateway) {
        events.append(
          Event(
            time: time, kind: ReachabilityStatus.Reason.noRoute.rawValue,
            pieces: [.words("route via "), .address(gateway), .words(" withdrawn")]))
      }
      for address in old.addresses where !new.addresses.contains(address) {
        events.append(
          Event(
            time: time, kind: "address \(address)",
            pieces: [.words("address "), .address(address), .words(" removed")]))
      }
    }
    return events
  }

  /// The events in their order, if there are several: the first one is what the reason says.
  private func eventPieces(_ events: [Event]) -> [Cause.Piece] {
    guard events.count > 1, let first = events.first else { return [] }
    var pieces: [Cause.Piece] = [.words(": ")]
    for (position, event) in events.enumerated() {
      if position > 0 { pieces.append(.words(", ")) }
      pieces += event.pieces
      if position > 0 { pieces.append(.words(" +\(Self.text(microseconds: event.time - first.time))")) }
    }
    return pieces
  }

  private static func text(microseconds: Int) -> String {
    microseconds < 1000 ? "0.\(microseconds / 100) ms" : "\(microseconds / 1000) ms"
  }

  // MARK: - Scope

  /// What failed at the same moment, and what did not.
  private func scopePieces(_ outage: Outage, _ key: LaneKey) -> [Cause.Piece] {
    let others = targets.reduce(0) { count, target in
      let isOther = key.kind != .target || target.key != key.name
      return count + (isOther && hasValue(in: target.value, near: outage.start) ? 1 : 0)
    }
    let noun = others == 1 ? "target" : "targets"
    if key.kind == .path {
      return others == 0 ? [] : [.words("; \(others) \(noun) failed with it")]
    }
    let other = others == 0 ? "" : "\(others) other \(noun)"
    if hasValue(in: pathOutages, near: outage.start) {
      return [.words("; the path \(other.isEmpty ? "" : "and \(other) ")failed with it")]
    }
    let position = path.segments.position(endingAfter: outage.start)
    let isSatisfied =
      position < path.segments.count && path.segments[position].start <= outage.start
      && observations[path.segments[position].value].state == .reachable
    if isSatisfied {
      return [.words("; the path stayed satisfied\(other.isEmpty ? "" : ", \(other) failed with it")")]
    }
    return other.isEmpty ? [] : [.words("; \(other) failed with it")]
  }

  private func hasValue(in starts: [Int], near moment: Int) -> Bool {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] >= moment - Self.vicinity { high = middle } else { low = middle + 1 }
    }
    return low < starts.count && starts[low] <= moment + Self.vicinity
  }

  // MARK: - Words

  /// What happened to give a status this reason.
  private func pieces(of reason: String, on interface: String?) -> [Cause.Piece] {
    let place: [Cause.Piece] = interface.map { [.words(" on "), .interface($0)] } ?? []
    switch ReachabilityStatus.Reason(rawValue: reason) {
    case .noCarrier: return [.words("carrier lost")] + place
    case .noRoute: return [.words("route withdrawn")]
    case .interfaceDown:
      return [.words("interface switched off")] + (interface.map { [.words(": "), .interface($0)] } ?? [])
    case .interfaceNotFound: return [.words("interface removed")]
    case .sourceAddressMissing: return [.words("address removed")]
    default: return [.words(ReasonText.words(reason))] + place
    }
  }
}
