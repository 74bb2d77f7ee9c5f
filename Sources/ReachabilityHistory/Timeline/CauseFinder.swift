// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// Finds in the records of a machine what happened when an outage began.
struct CauseFinder {
  /// Events of the path within this time before and after the beginning belong to the outage, in microseconds.
  private static let vicinity = 2_000_000

  /// The most events that a cause names.
  private static let eventLimit = 8

  /// The most changes of evidence during an outage that are looked at.
  private static let stallLimit = 64

  private let path: Track
  private let pathEvents: PathEvents
  private let pathFailures: FailureIndex
  private let targetFailures: FailureIndex
  /// The evidence of connections, by the hosts that they lead to.
  private let traffic: [String: Track]
  private let observations: ObservationTable

  init(_ tracks: [Track], outages: [[Outage]], observations: ObservationTable) {
    func failures(_ kind: LaneKind) -> FailureIndex {
      let lanes = zip(tracks, outages).filter { $0.0.key.kind == kind }.map { $0.1.map(\.start) }
      return FailureIndex(lanes, vicinity: Self.vicinity)
    }
    path = tracks.first { $0.key == .path } ?? Track(.path)
    pathEvents = PathEvents(path, observations)
    (pathFailures, targetFailures) = (failures(.path), failures(.target))
    traffic = Dictionary(
      tracks.lazy.filter { $0.key.kind == .traffic }.map { ($0.key.name.host, $0) },
      uniquingKeysWith: { one, _ in one })
    self.observations = observations
  }

  /// Describes the beginning of an outage in one line.
  func cause(of outage: Outage, on track: Track) -> Cause {
    let value = observations[track.segments[outage.segment].value]
    var pieces: [Cause.Piece] = [
      .words(value.reason.map { ReasonText.words($0).shortened } ?? "unreachable")
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
    if let detail = value.detail { pieces += [.words(": "), .detail(detail.shortened(to: 200))] }
    if let interface { pieces += [.words(", "), .interface(interface.shortened)] }
    if let gateway { pieces += [.words(" via "), .address(gateway.shortened)] }
    if outage.isCut {
      pieces.append(.words("; it began before this period"))
    } else if outage.followsGap {
      pieces.append(.words("; unreachable when monitoring began"))
    } else {
      let (first, others) = events(of: outage, on: track)
      pieces += eventPieces(first, others: others)
      pieces += scopePieces(outage, track.key)
    }
    return Cause(pieces)
  }

  // MARK: - Events

  /// What happened near the beginning, in the order of the record: the first events, and the number of the others.
  private func events(of outage: Outage, on track: Track) -> (first: [PathEvent], others: Int) {
    let end = min(outage.end, outage.start + Self.vicinity)
    var events: [PathEvent] = []
    for segment in track.segments[outage.segment...].prefix(while: { $0.start <= end }) {
      let value = observations[segment.value]
      guard value.state == .unreachable, let reason = value.reason else { continue }
      let pieces = Cause.Piece.pieces(of: reason, on: value.interface)
      events.append(PathEvent(time: segment.start, kind: reason, pieces: pieces))
    }
    let near = pathEvents.events(from: outage.start - Self.vicinity, until: end)
    let count = events.count + near.count
    events += near.first
    var unique: [PathEvent] = []
    var positions: [String: Int] = [:]
    for event in events.sorted(by: { $0.time < $1.time }) {
      guard let known = positions[event.kind] else {
        positions[event.kind] = unique.count
        unique.append(event)
        continue
      }
      if event.pieces.count > unique[known].pieces.count { unique[known].pieces = event.pieces }
    }
    let repeated = events.count - unique.count
    let first = Array(unique.prefix(Self.eventLimit))
    return (first, count - repeated - first.count)
  }

  /// The events in their order, if there are several: the first one is what the reason says.
  private func eventPieces(_ events: [PathEvent], others: Int) -> [Cause.Piece] {
    guard events.count > 1, let first = events.first else { return [] }
    var pieces: [Cause.Piece] = [.words(": ")]
    for (position, event) in events.enumerated() {
      if position > 0 { pieces.append(.words(", ")) }
      pieces += event.pieces
      if position > 0 { pieces.append(.words(" +\(Self.text(microseconds: event.time - first.time))")) }
    }
    if others > 0 { pieces.append(.words(", and \(others) more")) }
    return pieces
  }

  private static func text(microseconds: Int) -> String {
    microseconds < 1000 ? "0.\(microseconds / 100) ms" : "\(microseconds / 1000) ms"
  }

  // MARK: - Connections

  /// The fault that the evidence of connections names during an outage; `nil` if it names none, or the reason does.
  ///
  /// Connections to the lane's host tell all, those of the default route only what everything has in common. While these
  /// answer, an endpoint that does not is alone with it.
  func evidenceFault(of outage: Outage, on track: Track) -> Fault? {
    guard observations[track.segments[outage.segment].value].reason.flatMap(Fault.init(reason:)) == nil else {
      return nil
    }
    let fault =
      stallFault(of: outage, traffic[track.key.name.host], [.thisMachine, .network, .peer, .connection])
      ?? stallFault(of: outage, traffic["default"], [.thisMachine, .network])
    return fault
      ?? (track.key.kind == .verification && answers(traffic["default"], during: outage) ? .peer : nil)
  }

  /// Whether connections answer throughout an outage.
  private func answers(_ track: Track?, during outage: Outage) -> Bool {
    guard let track else { return false }
    let first = track.segments.position(endingAfter: outage.start)
    let during = track.segments[first...].prefix(Self.stallLimit).prefix { $0.start <= outage.end }
    return during.first.map { $0.start <= outage.start } == true && (during.last?.end ?? 0) >= outage.end
      && during.allSatisfy { observations[$0.value].state == .reachable }
  }

  /// The first of some faults that a track has during an outage.
  private func stallFault(of outage: Outage, _ track: Track?, _ faults: [Fault]) -> Fault? {
    guard let track else { return nil }
    let first = track.segments.position(endingAfter: outage.start - Self.vicinity)
    let end = max(outage.end, outage.start + 1)
    let found = track.segments[first...].prefix(Self.stallLimit).prefix { $0.start < end }.compactMap {
      observations[$0.value].fault.flatMap(Fault.init(evidence:))
    }
    return faults.first(where: found.contains)
  }

  // MARK: - Families

  /// The family of addresses that the path lost at the beginning of an outage, while it kept the other one.
  func lostFamily(of outage: Outage) -> ReachabilityAddress.Family? {
    let (from, until) = (outage.start - Self.vicinity, min(outage.end, outage.start + Self.vicinity))
    let first = path.segments.position(endingAfter: from)
    let near = path.segments[first...].prefix(Self.stallLimit).prefix { $0.start <= until }
    guard let before = near.first, before.start <= from, observations[before.value].families.count == 2 else {
      return nil
    }
    let rest = near.dropFirst().map { observations[$0.value].families }.first { $0.count == 1 }
    return rest?.first.map { $0 == .v4 ? .v6 : .v4 }
  }

  // MARK: - Scope

  /// What failed at the same moment, and what did not.
  private func scopePieces(_ outage: Outage, _ key: LaneKey) -> [Cause.Piece] {
    let others = targetFailures.count(near: outage.start) - (key.kind == .target ? 1 : 0)
    let noun = others == 1 ? "target" : "targets"
    if key.kind == .path {
      return others == 0 ? [] : [.words("; \(others) \(noun) failed with it")]
    }
    let other = others == 0 ? "" : "\(others) other \(noun)"
    if pathFailures.count(near: outage.start) > 0 {
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
}

/// What a record says about the beginning of an incident, as pieces of one line of text.
///
/// Names stand apart from words, so that they can be replaced.
package struct Cause: Equatable, Sendable {
  package enum Piece: Equatable, Sendable {
    case words(String)
    case interface(String)
    /// An address of this machine, or of a gateway or server.
    case address(String)
    /// What a server, or the system, said about a verification.
    case detail(String)
  }

  package var pieces: [Piece]

  package init(_ pieces: [Piece] = []) { self.pieces = pieces }

  /// The line.
  package var text: String { text { $0.name } }

  /// The line, with other texts in the place of names.
  package func text(naming name: (Piece) -> String) -> String {
    pieces.map { piece in
      if case .words(let words) = piece { words } else { name(piece) }
    }.joined()
  }
}

extension Cause.Piece {
  /// The words or the name.
  package var name: String {
    switch self {
    case .words(let text), .interface(let text), .address(let text), .detail(let text): text
    }
  }
  /// What happened to give a status this reason.
  static func pieces(of reason: String, on interface: String?) -> [Self] {
    let interface = interface?.shortened
    let place: [Self] = interface.map { [.words(" on "), .interface($0)] } ?? []
    switch ReachabilityStatus.Reason(rawValue: reason)?.value {
    case .noCarrier: return [.words("carrier lost")] + place
    case .noRoute: return [.words("route withdrawn")]
    case .interfaceDown:
      return [.words("interface switched off")] + (interface.map { [.words(": "), .interface($0)] } ?? [])
    case .interfaceNotFound: return [.words("interface removed")]
    case .sourceAddressMissing: return [.words("address removed")]
    case .unreachableRoute, .blackhole, .prohibited, .linkDormant, .encapsulated, .zoneMissing, .tunnelLoop,
      .blockedByIPsec, .notUnicast, .nameNotFound, .noAddressRecords, .nameServerNotConfigured,
      .nameServerUnreachable, .nameServerFailed, .nameResolutionTimedOut, .namesNotResolved, .resolving,
      .systemError, nil:
      return [.words(ReasonText.words(reason).shortened)] + place
    }
  }
}

extension String {
  /// The text as a cause has it, since a record may hold names of any length: real ones are shorter.
  var shortened: String { shortened(to: 64) }

  /// The beginning of a text that has more characters than a limit.
  func shortened(to limit: Int) -> String {
    guard utf8.count > limit, unicodeScalars.count > limit else { return self }
    return String(unicodeScalars.prefix(limit)) + "…"
  }
}

/// How many lanes failed at about a moment, without a search in each of them.
struct FailureIndex {
  /// What is about the same moment, in microseconds.
  private let vicinity: Int
  /// The moments from which, and until which, another lane has a failure in the vicinity.
  private let begins: [Int]
  private let ends: [Int]

  /// Takes the moments of the failures of each lane, in order.
  init(_ lanes: [[Int]], vicinity: Int) {
    self.vicinity = vicinity
    var (begins, ends): ([Int], [Int]) = ([], [])
    for failures in lanes {
      for (position, failure) in failures.enumerated() {
        let previous = position > 0 ? failures[position - 1] : nil
        if let previous, failure - previous <= 2 * vicinity {
          ends.removeLast()
        } else {
          begins.append(failure - vicinity)
        }
        ends.append(failure + vicinity)
      }
    }
    self.begins = begins.sorted()
    self.ends = ends.sorted()
  }

  /// The number of lanes with a failure near a moment.
  func count(near moment: Int) -> Int {
    begins.position { $0 > moment } - ends.position { $0 >= moment }
  }
}
