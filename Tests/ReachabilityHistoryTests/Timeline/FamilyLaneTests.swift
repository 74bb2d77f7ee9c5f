// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

/// Whether the path has IPv4 and IPv6, over time.
@Suite(.deadline) struct `Address families in a report` {
  private static let usable = #""name":"eth0","gateways":["10.1.0.254"]"#
  private static let none = #""supportsIPv4":false,"supportsIPv6":false"#
  private static let only4 = #""supportsIPv4":true,"supportsIPv6":false,"reasonAgainstIPv6":"noRoute""#
  private static let only6 = #""supportsIPv4":false,"reasonAgainstIPv4":"noRoute","supportsIPv6":true"#

  private func history(_ change: (inout RecordText) -> Void) throws -> History {
    var record = RecordText()
    record.start(0)
    record.path(0, "satisfied", usable: Self.usable, families: RecordText.bothFamilies)
    record.target(0, "reachable")
    change(&record)
    record.heartbeats(60_000, until: 100_000)
    return try #require(try History(RecordText.reader(record.text)))
  }

  @Test func `a family that is lost is an event, though the default route stays reachable`() throws {
    let history = try history { record in
      record.path(10_000, "satisfied", usable: Self.usable, families: Self.only6)
      record.path(30_000, "satisfied", usable: Self.usable, families: RecordText.bothFamilies)
    }
    #expect(history.sums("IPv4") == [80_000, 20_000, 0, 0])
    #expect(history.sums("IPv6") == [100_000, 0, 0, 0])
    #expect(history.lanes.map(\.name).prefix(3) == ["path", "IPv4", "IPv6"])
    #expect(history.events.map(\.family) == [.v4] && history.events.map(\.duration) == [20_000])
    #expect(history.incidents.map(\.reason) == ["noRoute"] && history.events.map(\.fault) == [.routing])
  }

  @Test func `a machine that never had a family has no lane for it`() throws {
    var record = RecordText()
    record.start(0)
    record.path(0, "satisfied", usable: Self.usable, families: Self.only4)
    record.heartbeats(0, until: 10_000)
    let history = try #require(try History(RecordText.reader(record.text)))
    #expect(history.lanes.filter { $0.kind == .family }.map(\.name) == ["IPv4"] && history.events.isEmpty)
  }

  @Test(arguments: [(2000.0, 1), (4900, 1), (50_000, 2)])
  func `families that fail with the path are no incidents, unless one stays away`(
    _ delay: Double, _ count: Int
  ) throws {
    let history = try history { record in
      record.path(10_000, "satisfied", usable: Self.usable, families: Self.only6)
      record.path(10_001, "unsatisfied", "noCarrier", families: Self.none)
      record.path(20_000, "satisfied", usable: Self.usable, families: Self.only4)
      record.path(20_000 + delay, "satisfied", usable: Self.usable, families: RecordText.bothFamilies)
    }
    #expect(history.events.count == count)
    #expect(history.incidents.map { history.lanes[$0.lane].name } == Array(["path", "IPv6"].prefix(count)))
    #expect(history.events.last?.family == (count == 2 ? .v6 : nil))
  }
}
