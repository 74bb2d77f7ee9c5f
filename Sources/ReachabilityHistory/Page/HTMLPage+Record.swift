import CommandLineSupport

extension HTMLPage {
  /// The JSON object that the page's script reads; names are escaped as on a terminal, since they come from outside.
  ///
  /// Interfaces that no packet could leave by at any time would only fill the page, as they would in text.
  static func record(of history: History, generated: Int, isRedacted: Bool) -> String {
    let shown = history.lanes.indices.filter {
      history.lanes[$0].kind != .interface || history.lanes[$0].totals[.reachable] > 0
    }
    let positions = Dictionary(uniqueKeysWithValues: zip(shown, 0...))
    let shownLanes = shown.map { history.lanes[$0] }
    var reasons = PositionTable()
    let reduction = StepReduction(of: shownLanes)
    let lanes = shownLanes.map { Self.object($0, reduction, &reasons) }
    let kept = longest(history.incidents)
    var object = JSONObject()
    object.add("version", 1)
    object.add("from", history.from)
    object.add("until", history.until)
    object.add("generated", generated)
    object.add("redacted", isRedacted)
    object.add("resolution", reduction.shortest)
    object.add("states", LaneState.allCases.map(\.rawValue))
    object.add("reasons", reasons.texts.map { ReasonText.words($0).escapedForTerminal })
    object.add("lanes", lanes)
    object.add("incidents", kept.map { Self.object($0, positions[$0.lane]) })
    object.add("incidentCount", history.incidents.count)
    return object.text
  }

  private static func object(_ lane: Lane, _ reduction: StepReduction, _ reasons: inout PositionTable)
    -> JSONObject
  {
    var object = JSONObject()
    object.add("kind", lane.kind.rawValue)
    object.add("name", lane.name.escapedForTerminal)
    object.add("machine", lane.machine.escapedForTerminal)
    object.add("steps", reduction.rows(of: lane) { reasons.position(of: $0) })
    let totals = lane.totals
    object.add("totals", LaneState.allCases.map { totals[$0] })
    return object
  }

  private static func object(_ incident: Incident, _ lane: Int?) -> JSONObject {
    var object = JSONObject()
    object.add("lane", lane)
    object.add("start", incident.start)
    object.add("end", incident.end)
    object.add("duration", incident.duration)
    object.add("cause", incident.cause.text.escapedForTerminal)
    object.add("fault", incident.fault?.text)
    object.add("flaps", incident.flaps)
    object.add("isEndRecorded", incident.isEndRecorded)
    return object
  }

  /// The incidents with the longest outages, in their order.
  private static func longest(_ incidents: [Incident]) -> [Incident] {
    guard incidents.count > maximumIncidents else { return incidents }
    let ranked = incidents.indices.sorted { one, other in
      (incidents[other].duration, one) < (incidents[one].duration, other)
    }
    return ranked.prefix(maximumIncidents).sorted().map { incidents[$0] }
  }
}

/// Texts that a JSON object contains once, and names by their positions elsewhere.
private struct PositionTable {
  private(set) var texts: [String] = []
  private var positions: [String: Int] = [:]

  /// The position of a text; -1 for none.
  mutating func position(of text: String?) -> Int {
    guard let text else { return -1 }
    if let position = positions[text] { return position }
    positions[text] = texts.count
    texts.append(text)
    return texts.count - 1
  }
}
