// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Foundation
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `The page of a report` {
  private static var element: Regex<(Substring, Substring)> {
    #/<script id="record" type="application/json">([^<]*)</script>/#
  }

  /// The text of the object in a page.
  private func record(of page: HTMLPage) throws -> String {
    try String(#require(page.text.firstMatch(of: Self.element)).output.1)
  }

  private func history(name: String = "example.com", machine: String = "atlas", incidents: [Incident] = [])
    -> History
  {
    let target = Lane(
      machine: machine, kind: .target, name: name,
      steps: [
        .init(1000, .reachable), .init(1500, .unreachable, reason: "noRoute"), .init(1540, .unknown),
        .init(1600, .notMonitored), .init(1800, .unreachable, reason: "later reason"),
      ], end: 2000)
    let path = Lane(machine: machine, kind: .path, name: "path", steps: [.init(1000, .reachable)], end: 2000)
    var history = History(from: 1000, until: 2000, lanes: [path, target], incidents: incidents)
    history.joinIncidents()
    return history
  }

  @Test func `the page has the steps, the events and their incidents of a report as JSON`() throws {
    var first = Incident(lane: 1, start: 1500, end: 1540)
    (first.reason, first.duration) = ("noRoute", 40)
    first.cause = Cause([.interface("wlp2s0"), .words(" lost its carrier")])
    var second = Incident(lane: 0, start: 1510, end: 1540)
    (second.duration, second.gap, second.flaps, second.isEndRecorded) = (20, 10, 3, false)
    let page = HTMLPage(history(incidents: [first, second]), generated: 2345)
    let text = try record(of: page)
    #expect(
      text == """
        {"version":3,"from":1000,"until":2000,"generated":2345,"redacted":false,"resolution":0,\
        "states":["reachable","unreachable","unknown","notMonitored"],\
        "kinds":["path","target","traffic","verification","interface","family"],"reasons":["no route","later reason"],\
        "machines":["atlas"],"laneCount":2,"names":["path","example.com"],"lanes":[[0,0],[1,0]],\
        "steps":[[1000,0,-1],[500,0,-1,40,1,0,60,2,-1,200,3,-1,200,1,1]],\
        "headlines":["unreachable"],"causes":["wlp2s0 lost its carrier",""],\
        "faults":["this machine's addresses and routes, or what assigns them"],\
        "events":[[0,2,2,500,40,40,10,3,0,0,0]],\
        "incidents":[[0,1,500,40,40,0,1,1,0,0],[0,0,510,30,20,10,3,0,1,-1]],\
        "eventCount":1,"worst":40,"worstFamily":null}
        """)
  }

  @Test(arguments: [
    "</script><script>alert(1)</script>", "<!--<script>", "<img src=x onerror=alert(1)>", "\"><svg onload=a>",
    "\u{2028}\u{2029}]]>", "&lt;", "\\u003c", "\u{0}\u{1b}[31m\u{7f}", "\u{202e}gro.elpmaxe", "RECORD",
    ">RECORD<",
  ])
  func `a hostile name stays inside the object, and hides no character`(name: String) throws {
    let page = HTMLPage(history(name: name, machine: name), generated: 0)
    let object = try JSONSerialization.jsonObject(with: Data(record(of: page).utf8)) as? [String: Any]
    #expect(object?["names"] as? [String] == ["path", name.escapedForTerminal])
    #expect(object?["machines"] as? [String] == [name.escapedForTerminal])
    let plain = HTMLPage(history(), generated: 0)
    // The element's end and the others of the template.
    #expect(
      page.text.utf8.count { $0 == UInt8(ascii: "<") } == plain.text.utf8.count { $0 == UInt8(ascii: "<") })
  }

  @Test func `an interface that was never usable has no lane, and incidents keep theirs`() throws {
    func lane(_ kind: LaneKind, _ name: String, _ state: LaneState) -> Lane {
      Lane(machine: "atlas", kind: kind, name: name, steps: [.init(0, state)], end: 9)
    }
    let lanes = [
      lane(.interface, "eth0", .unreachable), lane(.interface, "eth1", .reachable),
      lane(.path, "path", .unreachable),
    ]
    var history = History(from: 0, until: 9, lanes: lanes, incidents: [Incident(lane: 2, start: 0, end: nil)])
    history.joinIncidents()
    let text = try record(of: HTMLPage(history, generated: 0))
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(object?["names"] as? [String] == ["eth1", "path"])
    #expect((object?["incidents"] as? [[Int]])?.map { $0[1] } == [1])
    #expect(object?["laneCount"] as? Int == 2)
  }

  @Test func `of very many events the page has the longest ones, in order, and the number of all`() throws {
    let limit = HTMLPage.maximumEvents
    let incidents = (0..<limit + 7).map { number in
      // Every third one is short; the limit cuts among these.
      let length = number.isMultiple(of: 3) ? 5 : 100 + number
      var incident = Incident(lane: 1, start: 1000 + 10_000 * number, end: 1000 + 10_000 * number + length)
      incident.duration = length
      return incident
    }
    let object = try object(of: HTMLPage(history(incidents: incidents), generated: 0))
    let short = incidents.filter { $0.duration == 5 }.map(\.start)
    let expected = incidents.map(\.start).filter { !short.suffix(7).contains($0) }
    #expect((object["events"] as? [[Int]])?.map { $0[3] + 1000 } == expected)
    #expect((object["incidents"] as? [[Int]])?.map { $0[2] + 1000 } == expected)
    #expect((object["incidents"] as? [[Int]])?.map { $0[0] } == Array(0..<limit))
    #expect(object["eventCount"] as? Int == limit + 7)
  }

  /// Lanes with an outage each, which is longer the later the lane.
  private func many(_ count: Int, name: (Int) -> String) -> History {
    var lanes = [
      Lane(machine: "atlas", kind: .path, name: "path", steps: [.init(0, .reachable)], end: 86_400_000)
    ]
    lanes += (1...count).map { number in
      let steps: [Lane.Step] = [
        .init(0, .reachable), .init(1000, .unreachable, reason: "noRoute"), .init(2000 + number, .reachable),
      ]
      return Lane(machine: "atlas", kind: .target, name: name(number), steps: steps, end: 86_400_000)
    }
    let incidents = (1...count).map { number in
      var incident = Incident(lane: number, start: 1000, end: 2000 + number)
      incident.duration = 1000 + number
      incident.cause = Cause([.words("no route, "), .interface("eth\(number)")])
      return incident
    }
    var history = History(from: 0, until: 86_400_000, lanes: lanes, incidents: incidents)
    history.joinIncidents()
    return history
  }

  private func object(of page: HTMLPage) throws -> [String: Any] {
    let data = try Data(record(of: page).utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func `a page of 10,000 targets has all of them, and takes less than a megabyte`() throws {
    let page = HTMLPage(many(10_000) { "host\($0).example.com" }, generated: 0)
    #expect(page.text.utf8.count <= HTMLPage.maximumSize)
    let object = try object(of: page)
    #expect((object["names"] as? [String])?.count == 10_001)
    // One event with an incident in each lane, of which the page has the first ones, and the number.
    #expect((object["events"] as? [[Int]])?.map { Array($0[1...2]) } == [[10_000, 10_000]])
    #expect((object["incidents"] as? [[Int]])?.count == HTMLPage.maximumIncidents)
    // One step each, with the time in each state.
    #expect((object["steps"] as? [[Int]])?[1] == [86_400_000, 4, 86_398_999, 1001, 0, 0])
  }

  @Test(arguments: ["", "<", "\u{202e}", "\"", "語"])
  func `of lanes that do not fit, the path and those with the longest outages are shown`(text: String) throws
  {
    let name = String(repeating: text, count: 300)
    let count = text.isEmpty ? 30_000 : 10_000
    let page = HTMLPage(many(count) { "\($0)\(name)" }, generated: 0)
    #expect(page.text.utf8.count <= HTMLPage.maximumSize)
    let object = try object(of: page)
    let names = try #require(object["names"] as? [String])
    #expect(names.first == "path" && names.count < count + 1 && names.count > 300)
    let shown = count + 2 - names.count...count
    #expect(names.dropFirst().map { Int($0.prefix { $0.isNumber }) } == Array(shown))
    #expect(names.allSatisfy { $0.unicodeScalars.count <= 201 })
    #expect(object["laneCount"] as? Int == count + 1)
    let incidents = try #require(object["incidents"] as? [[Int]])
    let events = try #require(object["events"] as? [[Int]])
    #expect(
      !incidents.isEmpty && incidents.allSatisfy { $0[0] < events.count && $0[1] < names.count })
    // An event has the number of all lanes, also of those that are not shown.
    #expect(events.allSatisfy { $0[1] == $0[2] } && events.contains { $0[2] > names.count })
  }

  @Test func `steps with the longest times, and reasons without number, take less than a megabyte`() throws {
    let millennium = 31_536_000_000_000
    let steps = (0..<9000).map { number in
      Lane.Step(
        number * millennium / 1000, number.isMultiple(of: 2) ? .unreachable : .unknown, reason: "<\(number)")
    }
    let lanes = (0..<30).map { number in
      Lane(machine: "m\(number)", kind: .target, name: "default", steps: steps, end: 9 * millennium)
    }
    let page = HTMLPage(History(from: 0, until: 9 * millennium, lanes: lanes, incidents: []), generated: 0)
    #expect(page.text.utf8.count <= HTMLPage.maximumSize)
    let object = try object(of: page)
    #expect((object["reasons"] as? [String])?.count == HTMLPage.maximumReasons)
    #expect((object["steps"] as? [[Int]])?.count == 30)
    #expect(object["resolution"] as? Int == 9 * millennium)
  }

  @Test func `the page names no other file and no address`() throws {
    let text = HTMLPage(history(), generated: 0).text
    let namespace = "http://www.w3.org/2000/svg"
    #expect(!text.replacing(namespace, with: "").contains(#/https?:|src=|<link|@import|url\((?!#)/#))
    #expect(text.contains(#/Content-Security-Policy" content="default-src 'none'; /#))
  }
}
