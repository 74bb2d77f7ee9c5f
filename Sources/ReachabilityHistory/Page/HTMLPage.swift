// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport

/// A report as one HTML page, which loads nothing.
///
/// The page is the template `page.html` with a JSON object inside: the lanes with their steps, and the events with their incidents.
package struct HTMLPage: Sendable {
  /// The size that no page exceeds, in bytes, whatever the records are: see ``StepReduction`` and ``maximumEvents``.
  package static let maximumSize = 1_000_000
  /// The largest number of events in the table; of more, the longest ones are kept.
  package static let maximumEvents = 1000
  /// The number of incidents that each event has, so that its row names as many lanes as text does.
  static let firstIncidents = 8
  /// The number of incidents up to which events have more.
  static let maximumIncidents = 1000
  /// The largest number of different reasons, of which this version knows fewer; steps with others have none.
  static let maximumReasons = 100

  private let record: String

  /// Creates the page of a report.
  ///
  /// - Parameters:
  ///   - history: The report, with pseudonyms already in place of names where that is wanted.
  ///   - generated: The current time, in milliseconds since 1970.
  ///   - isRedacted: Whether the report has pseudonyms, which the page says.
  package init(_ history: History, generated: Int, isRedacted: Bool = false) {
    let limit = Self.maximumSize - PackageResources.page_html.count
    record = Self.record(of: history, generated: generated, isRedacted: isRedacted, limit: limit)
  }

  /// The text of the page.
  package var text: String {
    let template = PackageResources.page_html
    let place = Array(">RECORD<".utf8)
    guard let start = template.indices.first(where: { template[$0...].starts(with: place) }) else {
      preconditionFailure("page.html has no place for the record")
    }
    var bytes = Array(template[...start])
    bytes.reserveCapacity(template.count + record.utf8.count)
    // In JSON, the character is always part of a string. Without it, no name ends the element that the object is in.
    for byte in record.utf8 {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes + template[(start + place.count - 1)...], as: UTF8.self)
  }
}

extension HTMLPage {
  /// The JSON object that the page's script reads; names are escaped as on a terminal, since they come from outside.
  ///
  /// Interfaces that no packet could leave by at any time would only fill the page, as they would in text.
  ///
  /// - Parameter limit: The bytes that the object may have in the page. At most seven tenths are for lanes with one step each,
  ///   and four for events; together nine. More steps take what is left.
  static func record(of history: History, generated: Int, isRedacted: Bool, limit: Int) -> String {
    // The members with one value each take less.
    let all = limit - 1000
    let (lanes, laneCount) = lanes(of: history, room: all * 7 / 10)
    let events = EventTable(
      history, of: lanes.positions, room: min(all * 4 / 10, all * 9 / 10 - lanes.size - lanes.stepSize))
    var room = all - lanes.size - events.size
    let reasons = TextTable(
      lanes.positions.lazy.flatMap { history.lanes[$0].steps.lazy.compactMap(\.reason) },
      limit: maximumReasons)
    let words = reasons.texts.map { pageText(ReasonText.words($0).shortened) }
    room -= words.reduce(0) { $0 + $1.sizeInPage }
    let shown = lanes.positions.map { history.lanes[$0] }
    let reduction = StepReduction(of: shown, maximumSize: room)
    var object = JSONObject()
    object.add("version", 3)
    object.add("from", history.from)
    object.add("until", history.until)
    object.add("generated", generated)
    object.add("redacted", isRedacted)
    object.add("resolution", min(reduction.shortest, history.until - history.from))
    object.add("states", LaneState.allCases.map(\.rawValue))
    object.add("kinds", LaneKind.allCases.map(\.rawValue))
    object.add("reasons", words)
    object.add("machines", lanes.machines.texts)
    object.add("laneCount", laneCount)
    object.add("names", lanes.names)
    object.add("lanes", lanes.heads)
    object.add(
      "steps", shown.map { lane in reduction.rows(of: lane) { reasons.position(of: $0) }.flatMap(\.self) })
    object.add("headlines", events.headlines.texts)
    object.add("causes", events.causes.texts)
    object.add("faults", events.faults.texts)
    object.add("events", events.rows)
    object.add("incidents", events.incidents)
    object.add("eventCount", history.events.count)
    object.add("worst", history.worstEvent?.duration)
    object.add("worstFamily", history.worstEvent?.family?.description)
    return object.text
  }

  /// A text of a record as the page has it.
  static func pageText(_ text: String) -> String {
    text.shortened(to: 400).escapedForTerminal.shortened(to: 200)
  }

  /// The lanes of the page, in their order, and the number of all that it would have without a limit.
  ///
  /// If they do not fit, paths and lanes with much time unreachable come first.
  private static func lanes(of history: History, room: Int) -> (LaneTable, Int) {
    let totals = history.lanes.map(\.totals)
    let shown = history.lanes.indices.filter {
      history.lanes[$0].kind != .interface || totals[$0][.reachable] > 0
    }
    func rank(_ position: Int) -> (Int, Int, Int) {
      (history.lanes[position].kind == .path ? 0 : 1, -totals[position][.unreachable], position)
    }
    var table = LaneTable()
    for position in shown.sorted(by: { rank($0) < rank($1) }) {
      table.add(history.lanes[position], position)
      if table.size + table.stepSize > room {
        table.removeLast()
        break
      }
    }
    table.sort()
    return (table, shown.count)
  }
}

/// The names of lanes, with their kinds and machines.
private struct LaneTable {
  /// The positions in the report.
  private(set) var positions: [Int] = []
  private(set) var names: [String] = []
  /// Kind and machine of each lane, by their positions in lists.
  private(set) var heads: [[Int]] = []
  private(set) var machines = TextTable()
  /// The bytes of all this in the page.
  private(set) var size = 0
  /// The bytes of the steps if each lane has one.
  private(set) var stepSize = 0

  mutating func add(_ lane: Lane, _ position: Int) {
    let head = [lane.kind.index, machines.add(HTMLPage.pageText(lane.machine), &size)]
    let name = HTMLPage.pageText(lane.name)
    size += name.sizeInPage + head.sizeInPage
    stepSize += StepReduction.whole.size(of: lane)
    positions.append(position)
    names.append(name)
    heads.append(head)
  }

  mutating func removeLast() {
    positions.removeLast()
    names.removeLast()
    heads.removeLast()
  }

  /// Returns to the order of the report.
  mutating func sort() {
    let order = positions.indices.sorted { positions[$0] < positions[$1] }
    (positions, names, heads) = (
      order.map { positions[$0] }, order.map { names[$0] }, order.map { heads[$0] }
    )
  }
}

/// The events of the page, in their order, with their incidents: the longest events, if there are too many.
private struct EventTable {
  /// An event that the page has, and its incidents in lanes of the page.
  private struct Entry {
    /// The position in ``History/events``.
    let position: Int
    let row: [Int]
    var incidents: [[Int]] = []
    /// The positions of incidents that are not in the table.
    var rest: ArraySlice<Int>
  }

  /// What failed, the numbers of incidents and of different lanes; then the numbers of a time, the cause, and the fault.
  private(set) var rows: [[Int]] = []
  /// Event and lane; then the numbers of a time, the cause, and the fault.
  private(set) var incidents: [[Int]] = []
  private(set) var headlines = TextTable()
  private(set) var causes = TextTable()
  private(set) var faults = TextTable()
  private(set) var size = 0

  private let history: History
  /// The lanes of the page, by their positions in the report.
  private let places: [Int: Int]

  init(_ history: History, of lanes: [Int], room: Int) {
    self.history = history
    places = Dictionary(uniqueKeysWithValues: zip(lanes, 0...))
    let events = history.events
    let ranked = events.indices.sorted { one, other in
      (events[other].duration, one) < (events[one].duration, other)
    }
    var entries: [Entry] = []
    for position in ranked where entries.count < HTMLPage.maximumEvents {
      guard var entry = entry(position) else { continue }
      addIncidents(to: &entry, upTo: HTMLPage.firstIncidents)
      if size > room { break }
      entries.append(entry)
    }
    var left = HTMLPage.maximumIncidents - entries.reduce(0) { $0 + $1.incidents.count }
    for index in entries.indices where left > 0 && size < room {
      // A row and its cause have less than four kilobytes, of which room has some left.
      while left > 0, size < room, !entries[index].rest.isEmpty {
        addIncidents(to: &entries[index], upTo: 1)
        left -= 1
      }
    }
    entries.sort { $0.position < $1.position }
    rows = entries.map(\.row)
    incidents = zip(0..., entries).flatMap { event, entry in entry.incidents.map { [event] + $0 } }
  }

  /// An event without its incidents; `nil` if none of its lanes is in the page.
  private mutating func entry(_ position: Int) -> Entry? {
    let event = history.events[position]
    let rest = event.incidents.filter { places[history.incidents[$0].lane] != nil }
    guard !rest.isEmpty else { return nil }
    let family = event.family.map { ", \($0) only" } ?? ""
    let titles = Set(event.incidents.map { history.lanes[history.incidents[$0].lane].title })
    let row =
      [headlines.add(history.words(for: event) + family, &size), event.incidents.count, titles.count]
      + numbers(of: event, history.incidents[event.lead].cause, event.fault)
    size += row.sizeInPage
    return Entry(position: position, row: row, rest: rest[...])
  }

  private mutating func addIncidents(to entry: inout Entry, upTo count: Int) {
    for position in entry.rest.prefix(count) {
      let incident = history.incidents[position]
      let row = [places[incident.lane] ?? 0] + numbers(of: incident, incident.cause, incident.fault)
      size += row.sizeInPage + String(HTMLPage.maximumEvents).utf8.count
      entry.incidents.append(row)
    }
    entry.rest = entry.rest.dropFirst(count)
  }

  /// Start, length (-1 for none), time unreachable, time not monitored, outages, whether the end is recorded; cause and fault.
  private mutating func numbers(of time: some OutageTime, _ cause: Cause, _ fault: Fault?) -> [Int] {
    [
      time.start - history.from, time.end.map { $0 - time.start } ?? -1, time.duration, time.gap, time.flaps,
      time.isEndRecorded ? 1 : 0,
      causes.add(cause.text.shortened(to: 1000).escapedForTerminal.shortened(to: 600), &size),
      fault.map { faults.add($0.text, &size) } ?? -1,
    ]
  }
}

/// What an incident and an event have in common.
private protocol OutageTime {
  var start: Int { get }
  var end: Int? { get }
  var isEndRecorded: Bool { get }
  var duration: Int { get }
  var gap: Int { get }
  var flaps: Int { get }
}

extension Incident: OutageTime {}
extension OutageEvent: OutageTime {}

/// Texts that a JSON object contains once, and names by their positions elsewhere.
private struct TextTable {
  private(set) var texts: [String] = []
  private var positions: [String: Int] = [:]

  init() {}

  /// The first texts of a sequence, up to a number.
  init(_ sequence: some Sequence<String>, limit: Int) {
    var size = 0
    for text in sequence where texts.count < limit { _ = add(text, &size) }
  }

  /// The position of a text, which is added, with its size, if it is new.
  mutating func add(_ text: String, _ size: inout Int) -> Int {
    if let position = positions[text] { return position }
    positions[text] = texts.count
    texts.append(text)
    size += text.sizeInPage
    return texts.count - 1
  }

  /// The position of a text; -1 for one that is not in the table, and for none.
  func position(of text: String?) -> Int { text.flatMap { positions[$0] } ?? -1 }
}

extension String {
  /// The bytes as an element of a JSON array in the page.
  fileprivate var sizeInPage: Int {
    utf8.reduce(3) { size, byte in
      switch byte {
      case UInt8(ascii: "<"): size + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): size + 2
      default: size + 1
      }
    }
  }
}

extension [Int] {
  /// The bytes as an element of a JSON array; the element has at least one number.
  var sizeInPage: Int { reduce(2) { $0 + String($1).utf8.count + 1 } }
}
