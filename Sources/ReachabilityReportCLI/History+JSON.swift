// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityHistory

extension History {
  /// The report in one object, then one for each lane, each incident and each event; all of them would fill the memory.
  func jsonObjects(_ invocation: ReportInvocation, _ reader: RecordReader) -> some Sequence<JSONObject> {
    let counts = incidentCounts
    let objects = [
      AnySequence(CollectionOfOne(summary(invocation, reader))),
      AnySequence(lanes.indices.lazy.map { laneObject($0, incidents: counts[$0]) }),
      AnySequence(incidents.lazy.map(incidentObject)),
      AnySequence(events.lazy.map(groupObject)),
    ]
    return objects.lazy.joined()
  }

  private func summary(_ invocation: ReportInvocation, _ reader: RecordReader) -> JSONObject {
    var (files, problems) = (invocation.files, reader.problems)
    if invocation.isRedacted {
      // The name of a file may be that of a machine.
      let names = Dictionary(zip(files, 1...)) { first, _ in first }.mapValues { "file \($0)" }
      files = files.map { names[$0, default: "file"] }
      for index in problems.indices { problems[index].file = names[problems[index].file, default: "file"] }
    }
    var object = JSONObject()
    object.add("version", 1)
    object.add("from", Timestamp(milliseconds: from).text)
    object.add("until", Timestamp(milliseconds: until).text)
    object.add("milliseconds", until - from)
    object.add("files", files)
    object.add("lines", reader.lineCount)
    object.add("lostLines", reader.lostCount)
    object.add("problems", problems.map(\.text))
    object.add("ambiguousMachines", ambiguousMachines)
    object.add("groups", events.count)
    object.add("event", "report")
    return object
  }

  private func beginning(_ position: Int) -> JSONObject {
    var object = JSONObject()
    object.add("version", 1)
    object.add("machine", lanes[position].machine)
    object.add("kind", lanes[position].kind.rawValue)
    object.add("name", lanes[position].name)
    return object
  }

  private func laneObject(_ position: Int, incidents count: Int) -> JSONObject {
    let (lane, totals) = (lanes[position], lanes[position].totals)
    let shares = totals.thousandthsOfPercent
    let longest = lane.longestOutage
    var object = beginning(position)
    for state in LaneState.allCases { object.add("\(state.rawValue)Milliseconds", totals[state]) }
    for state in LaneState.allCases { object.add("\(state.rawValue)Percent", thousandths: shares[state]) }
    object.add("longestOutageStart", longest.map { Timestamp(milliseconds: $0.start).text })
    object.add("longestOutageMilliseconds", longest?.duration)
    object.add("incidents", count)
    object.add("meanMillisecondsBetweenOutages", totals.meanTime(between: count))
    object.add("event", "lane")
    return object
  }

  private func incidentObject(_ incident: Incident) -> JSONObject {
    var object = beginning(incident.lane)
    object.add("start", Timestamp(milliseconds: incident.start).text)
    object.add("end", incident.end.map { Timestamp(milliseconds: $0).text })
    object.add("isEndRecorded", incident.isEndRecorded)
    object.add("unreachableMilliseconds", incident.duration)
    object.add("gapMilliseconds", incident.gap)
    object.add("outages", incident.flaps)
    object.add("reason", incident.reason)
    object.add("fault", incident.fault?.rawValue)
    object.add("cause", incident.cause.text)
    object.add("event", "incident")
    return object
  }

  /// An event: the incidents that begin and end together.
  private func groupObject(_ event: OutageEvent) -> JSONObject {
    let (lead, first) = (incidents[event.lead], lanes[incidents[event.incidents[0]].lane])
    var object = JSONObject()
    object.add("version", 1)
    object.add("machine", first.machine)
    object.add("start", Timestamp(milliseconds: event.start).text)
    object.add("end", event.end.map { Timestamp(milliseconds: $0).text })
    object.add("isEndRecorded", event.isEndRecorded)
    object.add("unreachableMilliseconds", event.duration)
    object.add("gapMilliseconds", event.gap)
    object.add("outages", event.flaps)
    object.add("family", event.family?.description)
    object.add("side", event.fault?.side?.rawValue)
    object.add("fault", event.fault?.rawValue)
    object.add("reason", lead.reason)
    object.add("cause", lead.cause.text)
    object.add(
      "lanes",
      event.incidents.map { position in
        let lane = lanes[incidents[position].lane]
        var object = JSONObject()
        object.add("kind", lane.kind.rawValue)
        object.add("name", lane.name)
        return object
      })
    object.add("event", "group")
    return object
  }
}
