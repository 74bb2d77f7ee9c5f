// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import Foundation

@testable import ReachabilityHistory

/// The lines of a record, as a test writes them.
///
/// Times are milliseconds since 2026-11-23T08:00:00Z. The machine started sixty days before, by a clock that counts on
/// when the wall clock is set.
struct RecordText {
  static let beginning = 1_795_420_800_000
  static let uptime = 5_184_000_000_000

  var lines: [String] = []
  /// The difference of the wall clock, in milliseconds.
  var clockError = 0

  var text: String { lines.map { $0 + "\n" }.joined() }

  mutating func add(_ milliseconds: Double, _ members: String) {
    let wall = Timestamp(
      milliseconds: Self.beginning + Int(milliseconds.rounded(.down)) + clockError
    ).text
    let uptime = Self.uptime + Int((milliseconds * 1000).rounded())
    lines.append(#"{"version":1,"time":"\#(wall)","uptimeMicroseconds":\#(uptime),\#(members)}"#)
  }

  /// The first line of a file, with JSON members for options such as `"mark":66`.
  mutating func start(
    _ time: Double, machine: String = "db1", id: String? = nil, boot: String = "b", run: String = "r",
    options: String = #""interface":null"#, event: String = "start"
  ) {
    let id = id.map { #""\#($0)""# } ?? "null"
    add(
      time,
      #""machine":"\#(machine)","machineID":\#(id),"boot":"\#(boot)","run":"\#(run)","program":"1","targets":[],\#(options),"heartbeatSeconds":60,"event":"\#(event)""#
    )
  }

  mutating func target(
    _ time: Double, _ status: String, _ reason: String? = nil, name: String = "default",
    interface: String? = "eth0", gateway: String? = "10.1.0.254"
  ) {
    func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
    add(
      time,
      #""target":"\#(name)","status":"\#(status)","reason":\#(quoted(reason)),"flags":["isDirect"],"interface":\#(quoted(interface)),"gateway":\#(quoted(gateway)),"addresses":[],"event":"change","previous":null"#
    )
  }

  static let bothFamilies = #""supportsIPv4":true,"supportsIPv6":true"#

  /// A path whose interfaces, and whose families if they are known, are JSON objects without braces.
  mutating func path(
    _ time: Double, _ status: String, _ reason: String? = nil, usable: String? = nil, unusable: String? = nil,
    families: String? = nil
  ) {
    let lists = [usable, unusable].map { $0.map { "{\($0)}" } ?? "" }
    add(
      time,
      #""path":"\#(status)","reason":\#(reason.map { "\"\($0)\"" } ?? "null"),"interfaces":[\#(lists[0])],"unusableInterfaces":[\#(lists[1])],"gateways":[]\#(families.map { ",\($0)" } ?? ""),"event":"change""#
    )
  }

  /// What a verification found; the outcome is JSON without braces.
  mutating func verification(
    _ time: Double, _ state: String, _ outcome: String? = nil, name: String = "http://a.test/"
  ) {
    let outcomes = outcome.map { #"{"endpoint":"x",\#($0)}"# } ?? ""
    add(
      time,
      #""endpoint":"\#(name)","verification":"\#(state)","portal":null,"path":"satisfied","reason":"noRoute","isCurrent":true,"portalAPI":[],"endpoints":[\#(outcomes)],"event":"verification""#
    )
  }

  /// The evidence about a target.
  mutating func evidence(
    _ time: Double, _ verdict: String, fault: String? = nil, name: String = "default"
  ) {
    let fault = fault.map { #""\#($0)""# } ?? "null"
    add(
      time,
      #""target":"\#(name)","evidence":{"verdict":"\#(verdict)","strength":"weak","fault":\#(fault),"connections":1},"event":"evidence""#
    )
  }

  /// A line every minute from one time to another, and one at the end.
  mutating func heartbeats(_ from: Double, until end: Double) {
    for time in stride(from: from, to: end, by: 60_000) { add(time, #""event":"heartbeat""#) }
    add(end, #""event":"heartbeat""#)
  }

  /// Reads texts as files.
  static func reader(_ texts: String...) -> RecordReader {
    reader(texts.map { Array($0.utf8) })
  }

  static func reader(_ files: [[UInt8]], partSize: Int = .max) -> RecordReader {
    var reader = RecordReader()
    for (position, bytes) in files.enumerated() {
      var rest = bytes[...]
      reader.read("\(position).jsonl") { buffer in
        let part = rest.prefix(min(partSize, buffer.count))
        buffer.replaceSubrange(..<part.count, with: part)
        rest = rest.dropFirst(part.count)
        return part.count
      }
    }
    return reader
  }
}

extension RecordText {
  /// Eight hours with six events, among four targets: a cable, IPv4 alone, a server, the uplink behind a router, a rule of
  /// this machine, and a cable again while the recorder is restarted.
  static let night: RecordText = {
    let (eth0, unplugged) = (
      #""name":"eth0","gateways":["10.1.0.254"]"#, #""name":"eth0","reason":"noCarrier""#
    )
    let (server, names) = ("10.9.0.1", ["default", "10.9.0.1", "2001:db8::1"])
    let (endpoint, refused) = ("tcp://10.9.0.1:5432", #""outcome":"timedOut""#)
    var record = RecordText()
    func hour(_ number: Int, _ seconds: Double = 0) -> Double { (Double(number) * 3600 + seconds) * 1000 }
    func begin(_ time: Double, run: String) {
      record.start(time, run: run)
      record.path(time, "satisfied", usable: eth0, families: bothFamilies)
      for name in names { record.target(time, "reachable", name: name) }
      answer(time)
    }
    func answer(_ time: Double) {
      for name in ["default", server] { record.evidence(time, "answering", name: name) }
      record.verification(time, "verified", #""outcome":"passed""#, name: endpoint)
    }
    func unplug(_ time: Double) {
      record.path(time, "unsatisfied", "noCarrier", unusable: unplugged)
      for name in names { record.target(time + 1, "notReachable", "noCarrier", name: name) }
      record.verification(time + 2, "failed", #""outcome":"notConnected""#, name: endpoint)
    }
    func plug(_ time: Double) {
      record.path(time, "satisfied", usable: eth0, families: bothFamilies)
      for name in names { record.target(time + 2, "reachable", name: name) }
      answer(time + 900)
    }
    begin(0, run: "1")
    record.heartbeats(0, until: hour(1))
    unplug(hour(1))
    for name in ["default", server] { record.evidence(hour(1, 3), "stalled", fault: "network", name: name) }
    plug(hour(1, 12))
    record.heartbeats(hour(1, 20), until: hour(2))
    record.path(hour(2), "satisfied", usable: eth0, families: #""supportsIPv4":false,"supportsIPv6":true"#)
    record.target(hour(2), "notReachable", "noRoute", name: server)
    record.verification(hour(2, 0.1), "failed", #""outcome":"notConnected""#, name: endpoint)
    record.path(hour(2, 25), "satisfied", usable: eth0, families: bothFamilies)
    record.target(hour(2, 25), "reachable", name: server)
    answer(hour(2, 25.5))
    record.heartbeats(hour(2, 30), until: hour(3))
    record.evidence(hour(3), "stalled", fault: "peer", name: server)
    record.verification(hour(3, 10), "failed", refused, name: endpoint)
    answer(hour(3, 20))
    record.heartbeats(hour(3, 30), until: hour(4))
    for name in ["default", server] { record.evidence(hour(4, 1), "stalled", fault: "network", name: name) }
    record.verification(hour(4, 12), "failed", refused, name: endpoint)
    answer(hour(4, 15))
    record.heartbeats(hour(4, 30), until: hour(5))
    for name in names.dropFirst() { record.target(hour(5), "notReachable", "prohibited", name: name) }
    for name in names.dropFirst() { record.target(hour(5, 5), "reachable", name: name) }
    record.heartbeats(hour(5, 30), until: hour(6))
    unplug(hour(6))
    record.add(hour(6, 4), #""event":"stop""#)
    record.start(hour(6, 7), run: "2")
    unplug(hour(6, 7))
    plug(hour(6, 10))
    record.heartbeats(hour(6, 20), until: hour(8))
    record.add(hour(8), #""event":"stop""#)
    return record
  }()
}

extension History {
  /// The incidents of a lane.
  func incidents(of lane: Int) -> [Incident] { incidents.filter { $0.lane == lane } }

  /// The milliseconds of a lane: reachable, unreachable, unknown, not monitored.
  func sums(_ name: String, on machine: String = "db1") -> [Int]? {
    lanes.first { $0.name == name && $0.machine == machine }.map { lane in
      LaneState.allCases.map { lane.totals[$0] }
    }
  }
}
