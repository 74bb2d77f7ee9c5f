// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import CommandLineSupport
import DeadlineSupport
import Testing

@testable import ReachabilityCLI
@testable import ReachabilityKit

/// Which lines a record has, without files, clocks and networks.
@Suite(.deadline) struct `The lines of a record` {
  private let header = RecordHeader(
    machine: "host", boot: nil, run: "0123456789abcdef", targets: ["a.test", "10.9.0.1"],
    heartbeat: .seconds(60))
  private let path = ReachabilityPath(.unsatisfied, reason: .noRoute)
  private let reachable = ReachabilityStatus(.reachable)
  private let unreachable = ReachabilityStatus(.notReachable, reason: .noRoute)

  private func record(fileSize: Int = 0, limit: Int = 1 << 20, capacity: Int = 1 << 20) -> Record {
    Record(header, fileSize: fileSize, limit: limit, capacity: capacity, at: .recorded)
  }

  private func event(_ status: ReachabilityStatus, _ previous: ReachabilityStatus? = nil) -> ReachabilityEvent
  {
    ReachabilityEvent(target: .defaultRoute, status: status, previous: previous)
  }

  /// The steps that wait, in words.
  private func words(_ record: inout Record) -> [String] {
    record.removeSteps().map { step in
      guard let line = step.line else { return "\(step)" }
      let text = String(decoding: line, as: UTF8.self)
      func member(_ name: String) -> String? {
        text.split(separator: "\"\(name)\":").dropFirst().first.map {
          String($0.prefix { !",}".contains($0) }).replacing("\"", with: "")
        }
      }
      let subject = member("endpoint") ?? member("path").map { _ in "path" } ?? member("target")
      let state = member("verification") ?? member("verdict") ?? member("status")
      return [subject, state, member("event"), member("lost")].compactMap(\.self).joined(separator: " ")
    }
  }

  private let current = [
    "path initial", "a.test notReachable initial", "10.9.0.1 reachable initial", "a.test stalled evidence",
  ]

  /// A record with a value of each kind, whose lines are written.
  private func filled(limit: Int = 1 << 20, capacity: Int = 1 << 20) -> Record {
    var record = record(limit: 1 << 20, capacity: capacity)
    fill(&record)
    return record
  }

  private func fill(_ record: inout Record) {
    record.add(path, as: .initial, evidence: nil, at: .recorded)
    record.add(0, event(reachable), at: .recorded)
    record.add(1, event(reachable), at: .recorded)
    record.add(0, TrafficEvidence(.stalled), at: .recorded)
    record.add(0, event(unreachable, reachable), at: .recorded)
  }

  @Test func `a run begins with what identifies it`() {
    let time = LineTime(wall: .now, uptime: 12_345_678)
    let record = Record(header, fileSize: 0, limit: 1 << 20, at: time)
    var copy = record
    let line = copy.removeSteps().first?.line.map { String(decoding: $0, as: UTF8.self) }
    #expect(
      line == """
        {"version":1,"time":"\(time.wall.text)","uptimeMicroseconds":12345678,"machine":"host","machineID":null,"boot":null,\
        "run":"0123456789abcdef","program":"\(packageVersion)","targets":["a.test","10.9.0.1"],\
        "interface":null,"from":null,"mark":null,"family":null,"namespace":null,\
        "heartbeatSeconds":60,"event":"start"}

        """)
  }

  @Test func `each value is a line, in the order of events`() {
    var record = record()
    fill(&record)
    record.addHeartbeat(at: .recorded)
    record.end(at: .recorded)
    #expect(
      words(&record) == [
        "start", "path initial", "a.test reachable initial", "10.9.0.1 reachable initial",
        "a.test stalled evidence", "a.test notReachable change", "heartbeat", "stop",
      ])
  }

  @Test func `no line follows the last one`() {
    var record = filled()
    record.end(at: .recorded)
    _ = record.removeSteps()
    record.addHeartbeat(at: .recorded)
    record.add(0, event(reachable, unreachable), at: .recorded)
    #expect(words(&record) == [])
    record.suspend(losing: [])
    record.resume(fileSize: 500, at: .recorded)
    #expect(words(&record) == [])
  }

  @Test func `another file begins with the run and all current values`() {
    var record = record(limit: 2500)
    fill(&record)
    _ = record.removeSteps()
    var steps: [String] = []
    for _ in 0..<100 where !steps.contains("rotate") {
      record.addHeartbeat(at: .recorded)
      steps += words(&record)
    }
    let count = steps.prefix { $0 == "heartbeat" }.count
    #expect(count > 1)
    #expect(Array(steps.dropFirst(count)) == ["rotate", "continue"] + current + ["heartbeat"])
  }

  @Test func `no file exceeds the limit by its last line`() {
    var record = record(limit: 4000)
    fill(&record)
    var size = 0
    var sizes: [Int] = []
    for _ in 0..<200 {
      record.addHeartbeat(at: .recorded)
      for step in record.removeSteps() {
        size += step.line?.count ?? 0
        if step == .rotate {
          sizes.append(size)
          size = 0
        }
      }
    }
    #expect(sizes.count > 5)
    // As full as lines of about a hundred bytes permit.
    #expect(sizes.allSatisfy { (3850...4000).contains($0) }, "\(sizes)")
  }

  @Test func `a file is at least half news, however small the limit is`() {
    var record = record(limit: 1)
    fill(&record)
    _ = record.removeSteps()
    record.beginAnew(at: .recorded)
    record.addHeartbeat(at: .recorded)
    var isHead = true
    var (head, news) = (0, 0)
    for _ in 0..<200 {
      for step in record.removeSteps() {
        let size = step.line?.count ?? 0
        if step == .rotate {
          #expect(news > head - 120 && news <= head, "\(news) of \(head)")
          (head, news, isHead) = (0, 0, true)
        } else if size > 0, isHead, size < 110 {
          (news, isHead) = (size, false)
        } else if isHead {
          head += size
        } else {
          news += size
        }
      }
      record.addHeartbeat(at: .recorded)
    }
    #expect(head > 1000)
  }

  @Test func `a run begins another file if the present one is full`() {
    var full = record(fileSize: 900, limit: 1000)
    #expect(words(&full) == ["rotate", "start"])
    var empty = record(limit: 100)
    #expect(words(&empty) == ["start"])
    var other = record(fileSize: 500, limit: 1000)
    #expect(words(&other) == ["start"])
  }

  @Test func `a verification is a line, and another file repeats the last one of each endpoint`() throws {
    func value(_ state: String) throws -> RecordedVerification {
      let line = #"{"version":1,"time":"","verification":"\#(state)","event":"change"}"#
      return try #require(RecordedVerification(line: Array(line.utf8)))
    }
    var record = record()
    try record.add("b", value("verified"), at: .recorded)
    try record.add("a", value("failed"), at: .recorded)
    record.add("b", .unknown, at: .recorded)
    record.add("b", .unknown, at: .recorded)
    try record.add("a", value("captivePortal"), at: .recorded)
    #expect(
      words(&record) == [
        "start", "b verified verification", "a failed verification", "b unknown verification",
        "a captivePortal verification",
      ])
    record.beginAnew(at: .recorded)
    let values = ["b unknown verification", "a captivePortal verification"]
    #expect(words(&record) == ["reopen", "continue"] + values)
    record.suspend(losing: [])
    try record.add("b", value("verified"), at: .recorded)
    record.resume(fileSize: 500, at: .recorded)
    #expect(words(&record) == ["resume 1", "b verified verification", "a captivePortal verification"])
  }

  @Test func `in a file that begins anew the lines that waited precede the values`() {
    var record = filled()
    _ = record.removeSteps()
    let time = LineTime(wall: .now, uptime: 12_345_678)
    record.addHeartbeat(at: time)
    record.add(1, event(unreachable, reachable), at: .recorded)
    for _ in 0..<2 { record.beginAnew(at: .recorded) }
    #expect(record.isWaiting)
    var copy = record
    let first = copy.removeSteps().dropFirst().first?.line.map { String(decoding: $0, as: UTF8.self) }
    // The time is that of the first line that waited, so that times only grow.
    #expect(first?.contains(#""uptimeMicroseconds":12345678,"machine":"host","#) == true)
    let values = current.map { $0.replacing("10.9.0.1 reachable", with: "10.9.0.1 notReachable") }
    #expect(words(&record) == ["reopen", "continue", "heartbeat", "10.9.0.1 notReachable change"] + values)
    record.beginAnew(at: .recorded)
    #expect(words(&record) == ["reopen", "continue"] + values)
  }

  @Test func `a file that begins anew keeps the first and the last line of the run`() {
    var record = record(fileSize: 900, limit: 1000)
    record.beginAnew(at: .recorded)
    #expect(words(&record) == ["reopen", "start"])
    fill(&record)
    _ = record.removeSteps()
    record.end(at: .recorded)
    record.beginAnew(at: .recorded)
    #expect(words(&record) == ["reopen", "continue"] + current + ["stop"])
  }

  @Test func `a file that begins anew while lines are left out has the lines that waited`() {
    var record = filled(capacity: 3000)
    while !record.isSuspended { record.addHeartbeat(at: .recorded) }
    record.beginAnew(at: .recorded)
    let steps = words(&record)
    #expect(steps.prefix(2) == ["reopen", "start"] && steps.last == "heartbeat")
    record.beginAnew(at: .recorded)
    #expect(words(&record) == [])
    record.resume(fileSize: 500, inOtherFile: true, at: .recorded)
    #expect(words(&record) == ["continue", "resume 0"] + current)
  }

  // MARK: Errors

  @Test func `after an error the number of lost lines precedes all current values`() {
    var record = filled()
    let steps = record.removeSteps()
    record.addHeartbeat(at: .recorded)
    record.suspend(losing: steps.dropFirst(2))
    #expect(record.isSuspended)
    record.addHeartbeat(at: .recorded)
    // Four of the six first lines, and two heartbeats.
    #expect(record.lostCount == 6)
    #expect(words(&record) == [])
    record.resume(fileSize: 500, at: .recorded)
    #expect(!record.isSuspended)
    #expect(words(&record) == ["resume 6"] + current)
    record.addHeartbeat(at: .recorded)
    #expect(words(&record) == ["heartbeat"])
  }

  @Test func `lines that only repeat values are not counted as lost`() {
    var record = filled()
    _ = record.removeSteps()
    record.beginAnew(at: .recorded)
    record.addHeartbeat(at: .recorded)
    record.suspend(losing: record.removeSteps())
    #expect(record.lostCount == 1)
  }

  @Test func `an attempt that fails keeps the count`() {
    var record = filled()
    _ = record.removeSteps()
    record.addHeartbeat(at: .recorded)
    record.suspend(losing: record.removeSteps())
    for size in [500, 0, 500] {
      record.resume(fileSize: size, at: .recorded)
      record.suspend(losing: record.removeSteps())
    }
    #expect(record.lostCount == 1)
    record.resume(fileSize: 500, at: .recorded)
    #expect(words(&record).first == "resume 1")
    #expect(record.lostCount == 0)
  }

  @Test func `a run whose first line was lost begins with it later`() {
    var record = record(fileSize: 300)
    record.suspend(losing: record.removeSteps())
    fill(&record)
    record.resume(fileSize: 300, at: .recorded)
    #expect(words(&record) == ["start", "resume 5"] + current)
    record.suspend(losing: [])
    record.resume(fileSize: 900, at: .recorded)
    #expect(words(&record) == ["resume 0"] + current)
  }

  @Test func `an empty file that follows an error can be read alone`() {
    var record = filled()
    record.suspend(losing: record.removeSteps().dropFirst())
    record.resume(fileSize: 0, at: .recorded)
    #expect(words(&record) == ["continue", "resume 5"] + current)
  }

  @Test func `a writer that is too slow makes lines wait, and then be left out`() {
    var record = filled(capacity: 3000)
    var count = 0
    while !record.isSuspended, count < 1000 {
      record.addHeartbeat(at: .recorded)
      count += 1
    }
    record.addHeartbeat(at: .recorded)
    let waiting = record.removeSteps()
    #expect(waiting.count == 6 + count)
    #expect((3001...3120).contains(waiting.compactMap(\.line?.count).reduce(0, +)))
    record.resume(fileSize: 4000, at: .recorded)
    #expect(words(&record) == ["resume 1"] + current)
  }
}
#endif
