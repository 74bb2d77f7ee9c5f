// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import ReachabilityKit
import TestSupport
import Testing

@testable import ReachabilityCLI

@Suite(.deadline) struct `Metrics` {
  private static let eth0 = ReachabilityInterface(name: "eth0", index: 2, kind: .wired)
  private static let viaFirst = ReachabilityStatus(
    .reachable, interface: eth0, gateway: ReachabilityAddress("10.1.0.254"),
    source: ReachabilityAddress("10.1.0.1"))
  private static let viaSecond = ReachabilityStatus(
    .reachable, interface: eth0, gateway: ReachabilityAddress("10.1.0.253"),
    source: ReachabilityAddress("10.1.0.1"))
  private static let down = ReachabilityStatus.notReachable(.interfaceDown, over: eth0)

  /// An instant some microseconds after the first.
  private func instant(_ microseconds: Int) -> ClockReading {
    ClockReading(uptime: 7_000_000_000 + microseconds, time: 1_800_000_000_000 + microseconds / 1000)
  }

  /// The lines of one metric, without its name.
  private func lines(_ name: String, of text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("reachability_\(name)") }.map {
      String($0.dropFirst("reachability_\(name)".count))
    }
  }

  @Test func `all metrics are in a constant order, with their descriptions, and without times`() {
    var metrics = MonitorMetrics(["default", "10.9.0.1"])
    metrics.record(0, Self.viaFirst, at: instant(0))
    metrics.record(1, .notReachable(.noRoute), at: instant(0))
    metrics.record(ReachabilityPath(.satisfied, reasonAgainstIPv6: .noRoute))
    let text = metrics.text(at: instant(2_000_000), overruns: 3)
    #expect(
      text == """
        # HELP reachability_target_status Whether the target has this status: 1 for the present one, 0 for the others.
        # TYPE reachability_target_status gauge
        reachability_target_status{target="default",status="unknown"} 0
        reachability_target_status{target="default",status="notReachable"} 0
        reachability_target_status{target="default",status="reachable"} 1
        reachability_target_status{target="10.9.0.1",status="unknown"} 0
        reachability_target_status{target="10.9.0.1",status="notReachable"} 1
        reachability_target_status{target="10.9.0.1",status="reachable"} 0
        # HELP reachability_target_status_seconds_total Seconds in which the target had this status, since the monitor started.
        # TYPE reachability_target_status_seconds_total counter
        reachability_target_status_seconds_total{target="default",status="unknown"} 0.000000
        reachability_target_status_seconds_total{target="default",status="notReachable"} 0.000000
        reachability_target_status_seconds_total{target="default",status="reachable"} 2.000000
        reachability_target_status_seconds_total{target="10.9.0.1",status="unknown"} 0.000000
        reachability_target_status_seconds_total{target="10.9.0.1",status="notReachable"} 2.000000
        reachability_target_status_seconds_total{target="10.9.0.1",status="reachable"} 0.000000
        # HELP reachability_target_changes_total Changes of the target's status since the monitor started.
        # TYPE reachability_target_changes_total counter
        reachability_target_changes_total{target="default"} 0
        reachability_target_changes_total{target="10.9.0.1"} 0
        # HELP reachability_target_last_change_timestamp_seconds Unix time at which the present status of the target began, or the monitor started.
        # TYPE reachability_target_last_change_timestamp_seconds gauge
        reachability_target_last_change_timestamp_seconds{target="default"} 1800000000.000
        reachability_target_last_change_timestamp_seconds{target="10.9.0.1"} 1800000000.000
        # HELP reachability_target_reason_info The reason why the target is not reachable, or unknown.
        # TYPE reachability_target_reason_info gauge
        reachability_target_reason_info{target="10.9.0.1",reason="noRoute"} 1
        # HELP reachability_target_route_info The route of packets for the target; without one, the last route.
        # TYPE reachability_target_route_info gauge
        reachability_target_route_info{target="default",device="eth0",gateway="10.1.0.254",source="10.1.0.1"} 1
        # HELP reachability_path_status Whether the path of the default route has this status: 1 for the present one, 0 for the others.
        # TYPE reachability_path_status gauge
        reachability_path_status{status="satisfied"} 1
        reachability_path_status{status="unsatisfied"} 0
        reachability_path_status{status="requiresConnection"} 0
        reachability_path_status{status="unknown"} 0
        # HELP reachability_path_family Whether the path of the default route leads packets of this address family: 1 or 0.
        # TYPE reachability_path_family gauge
        reachability_path_family{family="IPv4"} 1
        reachability_path_family{family="IPv6"} 0
        # HELP reachability_monitor_overruns_total Times that announcements of the kernel were lost, after which the monitor read everything again.
        # TYPE reachability_monitor_overruns_total counter
        reachability_monitor_overruns_total 3
        # HELP reachability_monitor_heartbeat_timestamp_seconds Unix time at which the monitor wrote these values.
        # TYPE reachability_monitor_heartbeat_timestamp_seconds gauge
        reachability_monitor_heartbeat_timestamp_seconds 1800000002.000
        # HELP reachability_build_info The version of the monitor; the value is 1.
        # TYPE reachability_build_info gauge
        reachability_build_info{version="0.1.0"} 1

        """)
  }

  @Test func `evidence has its verdict, the fault of a stall, and the number of stalls`() {
    var metrics = MonitorMetrics(["default", "10.9.0.1"])
    metrics.record(0, Self.viaFirst, at: instant(0))
    metrics.record(1, Self.viaFirst, at: instant(0))
    let before = metrics.text(at: instant(0), overruns: 0)
    #expect(!before.contains("traffic") && !before.contains("fault_info") && !before.contains("stalls"))
    func record(_ verdict: TrafficEvidence.Verdict, _ fault: TrafficEvidence.Fault? = nil) -> [String] {
      metrics.record(1, TrafficEvidence(verdict, fault: fault))
      let text = metrics.text(at: instant(0), overruns: 0)
      return ["target_traffic{", "target_fault_info{", "target_stalls_total{"].flatMap { lines($0, of: text) }
    }
    func traffic(_ none: Int, _ answering: Int, _ stalled: Int) -> [String] {
      [("none", none), ("answering", answering), ("stalled", stalled)].map {
        #"target="10.9.0.1",verdict="\#($0)"} \#($1)"#
      }.sorted()
    }
    // Some connections stall, and others to the target answer.
    #expect(record(.answering, .connection).sorted() == traffic(0, 1, 0) + [#"target="10.9.0.1"} 0"#])
    #expect(
      record(.stalled, .undetermined).sorted()
        == [#"target="10.9.0.1",fault="undetermined"} 1"#] + traffic(0, 0, 1) + [#"target="10.9.0.1"} 1"#])
    #expect(
      record(.stalled, .thisMachine).sorted()
        == [#"target="10.9.0.1",fault="thisMachine"} 1"#] + traffic(0, 0, 1) + [#"target="10.9.0.1"} 1"#])
    #expect(record(.none).sorted() == traffic(1, 0, 0) + [#"target="10.9.0.1"} 1"#])
    #expect(record(.stalled).sorted() == traffic(0, 0, 1) + [#"target="10.9.0.1"} 2"#])
  }

  @Test func `an outage of 40 ms between two files is counted to the microsecond`() {
    var metrics = MonitorMetrics(["default"])
    metrics.record(0, Self.viaFirst, at: instant(0))
    metrics.record(0, Self.down, at: instant(5_000_001))
    metrics.record(0, Self.viaFirst, at: instant(5_040_003))
    let text = metrics.text(at: instant(15_000_000), overruns: 0)
    #expect(
      lines("target_status_seconds_total", of: text) == [
        #"{target="default",status="unknown"} 0.000000"#,
        #"{target="default",status="notReachable"} 0.040002"#,
        #"{target="default",status="reachable"} 14.959998"#,
      ])
    #expect(lines("target_changes_total", of: text) == [#"{target="default"} 2"#])
    #expect(
      lines("target_last_change_timestamp_seconds", of: text) == [#"{target="default"} 1800000005.040"#])
  }

  @Test func `a metric without series is left out`() {
    var metrics = MonitorMetrics(["default"])
    metrics.record(0, Self.viaFirst, at: instant(0))
    #expect(!metrics.text(at: instant(1), overruns: 0).contains("target_reason_info"))
  }

  @Test func `the seconds of the present status advance without an event`() {
    var metrics = MonitorMetrics(["default"])
    metrics.record(0, .unknown(.systemError), at: instant(0))
    for second in 1...3 {
      let text = metrics.text(at: instant(second * 1_000_000), overruns: 0)
      #expect(
        lines("target_status_seconds_total", of: text).first
          == #"{target="default",status="unknown"} \#(second).000000"#)
    }
  }

  @Test func `a new gateway is another route, and no change of the status`() {
    var metrics = MonitorMetrics(["default"])
    metrics.record(0, Self.viaFirst, at: instant(0))
    metrics.record(0, Self.viaSecond, at: instant(1_000_000))
    let text = metrics.text(at: instant(1_000_000), overruns: 0)
    #expect(lines("target_changes_total", of: text) == [#"{target="default"} 0"#])
    #expect(
      lines("target_last_change_timestamp_seconds", of: text) == [#"{target="default"} 1800000000.000"#])
    #expect(
      lines("target_route_info", of: text) == [
        #"{target="default",device="eth0",gateway="10.1.0.253",source="10.1.0.1"} 1"#
      ])
  }

  @Test func `a failure keeps the last route, and its end removes the reason`() {
    var metrics = MonitorMetrics(["default"])
    metrics.record(0, Self.viaFirst, at: instant(0))
    metrics.record(0, Self.down, at: instant(1_000_000))
    let during = metrics.text(at: instant(1_000_000), overruns: 0)
    #expect(lines("target_reason_info", of: during) == [#"{target="default",reason="interfaceDown"} 1"#])
    #expect(
      lines("target_route_info", of: during) == [
        #"{target="default",device="eth0",gateway="10.1.0.254",source="10.1.0.1"} 1"#
      ])
    metrics.record(0, Self.viaSecond, at: instant(2_000_000))
    let afterwards = metrics.text(at: instant(2_000_000), overruns: 0)
    #expect(lines("target_reason_info", of: afterwards) == [])
    #expect(!afterwards.contains("10.1.0.254"))
  }

  @Test func `a target that never had a route has no route`() {
    var metrics = MonitorMetrics(["default"])
    metrics.record(0, Self.down, at: instant(0))
    #expect(lines("target_route_info", of: metrics.text(at: instant(0), overruns: 0)) == [])
  }

  /// The line of the route over an interface.
  private func route(over name: String) -> [String] {
    var metrics = MonitorMetrics(["default"])
    let interface = ReachabilityInterface(name: name, index: 2, kind: .wired)
    metrics.record(0, ReachabilityStatus(.reachable, interface: interface), at: instant(0))
    return lines("target_route_info", of: metrics.text(at: instant(0), overruns: 0))
  }

  @Test(arguments: [
    ("a\\\"b\nc\\uü{}=,", #"a\\\"b\nc\\uü{}=,"#), ("\r\u{1b}[2J", #"\\u{d}\\u{1b}[2J"#),
    ("eth0\u{3164}", #"eth0\\u{3164}"#), (#"eth0\u{3164}"#, #"eth0\\u{5c}u{3164}"#),
    (#"\u{5c}u{1b}"#, #"\\u{5c}u{5c}u{1b}"#), (#"\\u{"#, #"\\\\u{5c}u{"#),
  ])
  func `a label has the format's escapes, and code points that no other has`(
    _ name: String, _ value: String
  ) {
    #expect(route(over: name) == [#"{target="default",device="\#(value)",gateway="",source=""} 1"#])
  }

  @Test func `each series has the labels that are common to all`() {
    var metrics = MonitorMetrics(
      ["default"], [.init(name: "namespace", value: "blue\\"), .init(name: "site", value: "Bonn")])
    metrics.record(0, Self.viaFirst, at: instant(0))
    metrics.record(ReachabilityPath(.satisfied))
    let series = metrics.text(at: instant(0), overruns: 0).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    #expect(series.allSatisfy { $0.contains(#"{namespace="blue\\",site="Bonn""#) })
    #expect(series.contains(#"reachability_monitor_overruns_total{namespace="blue\\",site="Bonn"} 0"#))
    #expect(
      series.contains(
        #"reachability_target_changes_total{namespace="blue\\",site="Bonn",target="default"} 0"#))
  }

  @Test func `metrics are complete when the path and all targets have a status`() {
    var metrics = MonitorMetrics(["default", "10.9.0.1"])
    metrics.record(1, Self.viaFirst, at: instant(0))
    metrics.record(ReachabilityPath(.satisfied))
    #expect(!metrics.isComplete)
    metrics.record(0, Self.viaFirst, at: instant(0))
    #expect(metrics.isComplete)
    var other = MonitorMetrics(["default"])
    other.record(0, Self.viaFirst, at: instant(0))
    #expect(!other.isComplete)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `any sequence has at most ten series a target, and its seconds are those of a clock`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var metrics = MonitorMetrics(["default"])
    var now = 0
    var sums: [ReachabilityStatus.State: Int] = [:]
    var last: ReachabilityStatus?
    for _ in 0..<200 {
      let elapsed = Int.random(in: 0...2_000_000, using: &generator)
      if let last { sums[last.state, default: 0] += elapsed }
      now += elapsed
      let interface = ReachabilityInterface(
        name: "wan\(Int.random(in: 0..<50, using: &generator))", index: 2, kind: .wired)
      let status =
        Bool.random(using: &generator)
        ? ReachabilityStatus(
          .reachable, interface: interface, gateway: ReachabilityAddress("10.0.0.\(now % 250)"))
        : .notReachable(generator.pick(ReachabilityStatus.Reason.allCases))
      metrics.record(0, status, at: instant(now))
      last = status
      let text = metrics.text(at: instant(now), overruns: 0)
      #expect(lines("target_", of: text).count <= 10)
      for state in ReachabilityStatus.State.allCases {
        let sum = sums[state, default: 0]
        let decimal = "\(sum / 1_000_000)." + "\(1_000_000 + sum % 1_000_000)".dropFirst()
        #expect(
          lines("target_status_seconds_total", of: text).contains(
            #"{target="default",status="\#(state.rawValue)"} \#(decimal)"#))
      }
    }
  }
}
#endif
