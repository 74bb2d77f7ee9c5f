// SPDX-License-Identifier: Apache-2.0
import CReachability
import DeadlineSupport
import ReachabilityKit
import Testing

@testable import ReachabilityC

/// What the structs of the header have of values.
@Suite(.deadline) struct StructTests {
  @Test func `each kind of interface has its number`() {
    let kinds: [(ReachabilityInterface.Kind, reachability_interface_kind)] = [
      (.other, REACHABILITY_KIND_OTHER), (.loopback, REACHABILITY_KIND_LOOPBACK),
      (.wired, REACHABILITY_KIND_WIRED), (.wifi, REACHABILITY_KIND_WIFI),
      (.cellular, REACHABILITY_KIND_CELLULAR), (.bluetooth, REACHABILITY_KIND_BLUETOOTH),
    ]
    #expect(Set(kinds.map(\.0)).count == ReachabilityInterface.Kind.allCases.count)
    for (kind, number) in kinds {
      let interface = ReachabilityInterface(name: "v0", index: 7, kind: kind, isTunnel: kind == .wifi)
      let converted = reachability_interface(interface)
      #expect(converted.kind == number && converted.index == 7 && text(converted.name) == "v0")
      #expect(converted.is_tunnel == (kind == .wifi ? 1 : 0))
    }
  }

  @Test func `each state, and each verdict, has its number`() {
    let states: [ReachabilityStatus.State: reachability_state] = [
      .unknown: REACHABILITY_UNKNOWN, .notReachable: REACHABILITY_NOT_REACHABLE,
      .reachable: REACHABILITY_REACHABLE,
    ]
    for state in ReachabilityStatus.State.allCases {
      #expect(unsafe reachability_status(ReachabilityStatus(state)).state == states[state])
    }
    let paths: [ReachabilityPath.Status: reachability_path_state] = [
      .unknown: REACHABILITY_PATH_UNKNOWN, .unsatisfied: REACHABILITY_PATH_UNSATISFIED,
      .satisfied: REACHABILITY_PATH_SATISFIED, .requiresConnection: REACHABILITY_PATH_REQUIRES_CONNECTION,
    ]
    for status in ReachabilityPath.Status.allCases {
      let path = unsafe reachability_path(ReachabilityPath(status))
      #expect(unsafe path.state == paths[status])
      #expect(unsafe (path.supports_ipv4 == -1) == (status == .unknown) && path.is_expensive == -1)
    }
    let verdicts: [TrafficEvidence.Verdict: reachability_verdict] = [
      .none: REACHABILITY_NO_EVIDENCE, .answering: REACHABILITY_ANSWERING, .stalled: REACHABILITY_STALLED,
    ]
    for verdict in TrafficEvidence.Verdict.allCases {
      #expect(unsafe reachability_evidence(TrafficEvidence(verdict)).verdict == verdicts[verdict])
    }
  }

  @Test func `evidence has its members`() {
    let evidence = unsafe reachability_evidence(
      TrafficEvidence(
        .stalled, strength: .strong, fault: .peer, received: .milliseconds(1500), stalled: .seconds(3),
        connections: 4, answeringPeers: 3, stalledPeers: 2, stalledConnections: 1, obstacle: .unsupported))
    #expect(unsafe evidence.is_strong == 1 && evidence.size == MemoryLayout<reachability_evidence>.size)
    #expect(unsafe string(evidence.fault) == "peer" && string(evidence.obstacle) == "unsupported")
    #expect(unsafe evidence.received == 1500 && evidence.stalled == 3000 && evidence.connections == 4)
    #expect(unsafe evidence.answering_peers == 3 && evidence.stalled_peers == 2)
    #expect(unsafe evidence.stalled_connections == 1)
  }

  @Test(arguments: [
    ("", ""), ("eth0", "eth0"), (String(repeating: "a", count: 60), String(repeating: "a", count: 47)),
    // Two bytes each, of which 47 hold 23; then three bytes each, of which the last ones would end at 48.
    (String(repeating: "é", count: 30), String(repeating: "é", count: 23)),
    (String(repeating: "\u{fffd}", count: 16), String(repeating: "\u{fffd}", count: 15)),
    ("a\0b", "a"), ("e\u{301}\u{301}", "e\u{301}\u{301}"),
  ])
  func `a name that is too long is cut between characters, and a null ends it`(_ name: String, _ kept: String)
  {
    let converted = reachability_interface(ReachabilityInterface(name: name, index: 1, kind: .other))
    #expect(text(converted.name).utf8.elementsEqual(kept.utf8))
  }
}
