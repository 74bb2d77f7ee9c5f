import CommandLineSupport
import DeadlineSupport
import Foundation
import ReachabilityHistory
import Testing

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
    return History(from: 1000, until: 2000, lanes: [path, target], incidents: incidents)
  }

  @Test func `the page has the steps, the sums and the incidents of a report as JSON`() throws {
    var first = Incident(lane: 1, start: 1500, end: 1540)
    (first.reason, first.duration) = ("noRoute", 40)
    first.cause = Cause([.interface("wlp2s0"), .words(" lost its carrier")])
    var second = Incident(lane: 1, start: 1800, end: nil)
    (second.duration, second.flaps, second.isEndRecorded) = (150, 3, false)
    let page = HTMLPage(history(incidents: [first, second]), generated: 2345)
    #expect(
      try record(of: page) == """
        {"version":1,"from":1000,"until":2000,"generated":2345,"redacted":false,"resolution":0,\
        "states":["reachable","unreachable","unknown","notMonitored"],"reasons":["no route","later reason"],\
        "lanes":[\
        {"kind":"path","name":"path","machine":"atlas","steps":[[1000,0,-1]],"totals":[1000,0,0,0]},\
        {"kind":"target","name":"example.com","machine":"atlas",\
        "steps":[[500,0,-1],[40,1,0],[60,2,-1],[200,3,-1],[200,1,1]],"totals":[500,240,60,200]}],\
        "incidents":[\
        {"lane":1,"start":1500,"end":1540,"duration":40,"cause":"wlp2s0 lost its carrier",\
        "fault":"this machine's addresses and routes, or what assigns them","flaps":1,"isEndRecorded":true},\
        {"lane":1,"start":1800,"end":null,"duration":150,"cause":"","fault":null,"flaps":3,\
        "isEndRecorded":false}],\
        "incidentCount":2}
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
    let lanes = try #require(object?["lanes"] as? [[String: Any]])
    #expect(lanes.last?["name"] as? String == name.escapedForTerminal)
    #expect(lanes.last?["machine"] as? String == name.escapedForTerminal)
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
    let history = History(from: 0, until: 9, lanes: lanes, incidents: [Incident(lane: 2, start: 0, end: nil)])
    let text = try record(of: HTMLPage(history, generated: 0))
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect((object?["lanes"] as? [[String: Any]])?.map { $0["name"] as? String } == ["eth1", "path"])
    #expect((object?["incidents"] as? [[String: Any]])?.map { $0["lane"] as? Int } == [1])
  }

  @Test func `of very many incidents the page has the longest ones, in order, and the number of all`() throws
  {
    let limit = HTMLPage.maximumIncidents
    let incidents = (0..<limit + 7).map { number in
      var incident = Incident(lane: 1, start: 1000 + number, end: nil)
      // Every third one is short; the limit cuts among these.
      incident.duration = number.isMultiple(of: 3) ? 5 : 100 + number
      return incident
    }
    let page = HTMLPage(history(incidents: incidents), generated: 0)
    let object = try JSONSerialization.jsonObject(with: Data(record(of: page).utf8)) as? [String: Any]
    let starts = (object?["incidents"] as? [[String: Any]])?.compactMap { $0["start"] as? Int }
    let short = incidents.filter { $0.duration == 5 }.map(\.start)
    #expect(starts == incidents.map(\.start).filter { !short.suffix(7).contains($0) })
    #expect(object?["incidentCount"] as? Int == limit + 7)
  }

  @Test func `the page names no other file and no address`() throws {
    let text = HTMLPage(history(), generated: 0).text
    let namespace = "http://www.w3.org/2000/svg"
    #expect(!text.replacing(namespace, with: "").contains(#/https?:|src=|<link|@import|url\((?!#)/#))
    #expect(text.contains(#/Content-Security-Policy" content="default-src 'none'; /#))
  }
}
