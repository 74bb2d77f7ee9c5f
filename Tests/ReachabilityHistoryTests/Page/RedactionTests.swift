// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Redaction` {
  private let history: History = {
    func lane(_ machine: String, _ kind: LaneKind, _ name: String) -> Lane {
      let steps = [Lane.Step(0, .unreachable, reason: "noRoute")]
      return Lane(machine: machine, kind: kind, name: name, steps: steps, end: 9)
    }
    var incident = Incident(lane: 1, start: 0, end: nil)
    (incident.reason, incident.duration) = ("noRoute", 9)
    incident.cause = Cause([
      .interface("wlp2s0"), .words(" lost its carrier; the route via "), .address("10.0.0.1"),
      .words(" was withdrawn; "), .interface("tun0"), .words(" and "), .address("10.20.0.1"),
      .words(" had gone before "), .interface("wlp2s0"),
    ])
    return History(
      from: 0, until: 9,
      lanes: [
        lane("atlas", .path, "path"), lane("atlas", .target, "example.com"),
        lane("atlas", .target, "default"),
        lane("atlas", .target, "10.20.0.1"), lane("atlas", .interface, "wlp2s0"),
        lane("example.com", .path, "path"), lane("example.com", .target, "10.20.0.1"),
        lane("example.com", .target, "wlp2s0"),
      ], incidents: [incident])
  }()

  @Test func `machines, targets and interfaces get numbers, the same for the same name`() {
    let lanes = history.redacted.lanes
    #expect(
      lanes.map { "\($0.machine): \($0.name)" } == [
        "machine 1: path", "machine 1: target 1", "machine 1: default", "machine 1: target 2",
        "machine 1: interface 1", "machine 2: path", "machine 2: target 2", "machine 2: interface 1",
      ])
  }

  @Test func `names and addresses in a cause get the same pseudonyms, its words stay`() {
    #expect(
      history.redacted.incidents.map(\.cause.text) == [
        """
        interface 1 lost its carrier; the route via address 1 was withdrawn; interface 2 and target 2 had gone before \
        interface 1
        """
      ])
  }

  @Test func `times, states and reasons stay`() {
    var redacted = history.redacted
    for index in history.lanes.indices {
      redacted.lanes[index].machine = history.lanes[index].machine
      redacted.lanes[index].name = history.lanes[index].name
    }
    redacted.incidents[0].cause = history.incidents[0].cause
    #expect(redacted == history)
  }
}
