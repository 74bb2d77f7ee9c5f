// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import InternetProtocol
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct `Coded values` {
  /// Returns a value after it was encoded as JSON and decoded.
  private func copy<Value: Codable>(of value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  private func object(_ value: some Encodable) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any])
  }

  private static let eth0 = ReachabilityInterface(name: "eth0", index: 2, kind: .wired, linkType: "veth")
  private static let tunnel = ReachabilityInterface(
    name: "wg\u{202e}\"0", index: 7, kind: .other, isTunnel: true, linkType: "wireguard")

  private static let reachable: ReachabilityStatus = {
    var status = ReachabilityStatus(
      .reachable, flags: [.reachable, .isDirect, .init(rawValue: 1 << 9)], interface: tunnel,
      gateway: "10.1.0.254",
      source: "10.1.0.1")
    status.underlays = [
      .init(to: "192.0.2.1", over: eth0, gateway: "10.1.0.254", source: "10.1.0.1"), .init(to: "fd00::2"),
    ]
    return status
  }()

  private static let statuses: [ReachabilityStatus] =
    ReachabilityStatus.Reason.allCases.map { .notReachable($0, over: eth0) } + [
      reachable, .unknown(.resolving),
      ReachabilityStatus(
        .reachable, flags: .reachable, interface: eth0,
        addresses: [
          .init("fe80::1", zone: 2, status: reachable), .init("10.9.0.1", status: .notReachable(.noRoute)),
        ]),
    ]

  @Test(arguments: statuses) func `a status is the same after decoding`(_ status: ReachabilityStatus) throws {
    try #expect(copy(of: status) == status)
    for previous in [nil, Self.reachable] {
      let event = ReachabilityEvent(
        target: .address("fd00::1", port: 443), status: status, previous: previous)
      try #expect(copy(of: event) == event)
    }
  }

  @Test(
    arguments: [
      "default", "10.9.0.1", "fe80::1%eth0", "fe80::1%3", "example.com", "tcp://[fe80::1%25eth0]:22",
      "udp://10.0.0.53:53", "ff05::2%eth0",
    ]) func `a target is coded as its text`(_ text: String) throws
  {
    let target = try ReachabilityTarget(text)
    try #expect(copy(of: [target]) == [target])
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode([target]))
    #expect(json as? [String] == [target.description])
  }

  @Test(
    arguments: [
      ReachabilityTarget(.defaultRoute, interface: .name("eth0")),
      ReachabilityTarget(.defaultRoute, interface: .index(3), transport: .udp),
      ReachabilityTarget(.defaultRoute, transport: .tcp, port: 443),
      ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1", mark: 7),
      ReachabilityTarget(.address("fe80::1"), interface: .bytes([0xff, 0x41])),
      ReachabilityTarget(.address("fe80::1"), interface: .bytes([0xff, 0x41]), port: 80),
      ReachabilityTarget(
        .host(.init(literal: "db.test")), interface: .name("eth0"), transport: .udp, port: 53),
    ]) func `a target with constraints is coded as an object`(_ target: ReachabilityTarget) throws
  {
    try #expect(copy(of: target) == target)
    try #expect(object(target)["target"] as? String == ReachabilityTarget(target.destination).description)
  }

  @Test func `a path is the same after decoding`() throws {
    var interface = ReachabilityPath.Interface(
      Self.tunnel, addresses: [.init("10.1.0.1", prefixLength: 24), .init("fe80::1", prefixLength: 64)],
      mtu: 1420,
      lower: [Self.eth0], gateways: ["10.1.0.254", "fe80::fe"], supportsIPv6: true, isExpensive: true)
    interface.underlays = Self.reachable.underlays
    var unusable = ReachabilityPath.UnusableInterface(
      Self.eth0, reason: .noCarrier, addresses: [.init("10.2.0.1", prefixLength: 0)])
    unusable.underlays = Self.reachable.underlays
    let servers: [ReachabilityPath.NameServer] = [
      .init("10.1.0.53"), .init("fe80::53", zone: .name("2"), reason: .noRoute),
      .init("fe80::53", zone: .index(2)),
    ]
    var path = ReachabilityPath(
      .requiresConnection, reason: .linkDormant,
      interfaces: [interface, .init(Self.eth0, supportsIPv4: false)],
      unusableInterfaces: [unusable], reasonAgainstIPv4: .blackhole, nameServers: servers, isExpensive: true,
      isConstrained: false)
    try #expect(copy(of: path) == path)
    for hasNameServer in [true, false] {
      path.hasNameServer = hasNameServer
      try #expect(copy(of: path) == path)
    }
    let unknown = ReachabilityPath(.unknown, reason: .systemError)
    try #expect(copy(of: unknown) == unknown)
  }

  @Test func `evidence is the same after decoding, with ages in whole milliseconds`() throws {
    let evidence = TrafficEvidence(
      .stalled, strength: .strong, fault: .network, received: .milliseconds(70_001),
      stalled: .milliseconds(12),
      connections: 4, answeringPeers: 1, stalledPeers: 2, stalledConnections: 3,
      ownStalledConnections: [.init(peer: "10.9.0.1", port: 443, duration: .milliseconds(12), timeouts: 5)],
      suspectedMTU: 1400, nextHop: .init(address: "10.1.0.254", state: .failed), silentTunnel: .seconds(9),
      obstacle: .unsupported,
      leftBehind: .init(connections: 2, duration: .milliseconds(3), addresses: ["10.1.0.1", "fd00::1"]))
    try #expect(copy(of: evidence) == evidence)
    try #expect(copy(of: TrafficEvidence(.none)) == TrafficEvidence(.none))
    var finer = evidence
    finer.received = .milliseconds(70_001) + .microseconds(999)
    try #expect(copy(of: finer) == evidence)
  }

  @Test func `no unit is lost by rounding`() throws {
    for number in [1, 39_356_961, 59_650_329, 3_155_760_000_000_001] as [Int64] {
      var evidence = TrafficEvidence(.answering, received: .milliseconds(number))
      try #expect(copy(of: evidence) == evidence)
      evidence = TrafficEvidence(.answering, stalled: .milliseconds(-number))
      try #expect(copy(of: evidence) == evidence)
      let step = ReachabilityExplanation.Step(.name, .passed, fact: "", duration: .microseconds(number))
      try #expect(copy(of: step) == step)
    }
    let longest = TrafficEvidence(.answering, received: .seconds(Int64.max))
    try #expect(object(longest)["receivedMilliseconds"] as? Int == .max)
  }

  @Test func `an explanation is the same after decoding, with durations in whole microseconds`() throws {
    let steps: [ReachabilityExplanation.Step] =
      ReachabilityExplanation.Step.Kind.allCases.map {
        .init($0, family: .v6, .unknown, fact: "a fact", problem: "a problem", advice: "an advice")
      } + [.init(.name, .passed, fact: "", duration: .microseconds(1))]
    let outcomes: [ReachabilityConnectionReport.Attempt.Outcome] = [
      .connected, .refused, .timedOut, .failed(errorNumber: 113), .abandoned, .notTried,
    ]
    let report = ReachabilityConnectionReport(
      target: .address("10.9.0.1", port: 80), port: 80, status: Self.reachable,
      attempts: outcomes.map {
        .init(
          "10.9.0.1", interface: .name("eth0"), start: $0 == .notTried ? nil : .microseconds(250_000),
          duration: $0 == .notTried ? .zero : .microseconds(3), outcome: $0, reporter: "10.1.0.254")
      }, lookUpDuration: .microseconds(5), duration: .microseconds(7))
    let explanation = ReachabilityExplanation(
      of: .address("10.9.0.1"), status: Self.reachable, steps: steps, summary: "a summary",
      connection: report,
      evidence: TrafficEvidence(.answering))
    try #expect(copy(of: explanation) == explanation)
    try #expect(copy(of: report) == report)
    let short = ReachabilityExplanation(
      of: .defaultRoute, status: .unknown(.systemError), steps: [], summary: "")
    try #expect(copy(of: short) == short)
  }

  @Test(
    arguments: [
      #"{"status":"reachable","flagsValue":2,"reason":"someLaterReason"}"#, #"{"status":"reachable"}"#,
      #"{"status":"maybe","flagsValue":2}"#, #"{"status":"reachable","flagsValue":2,"gateway":"10.1"}"#,
      #"{"status":"reachable","flagsValue":2,"interface":"eth0","kind":"wired","isTunnel":false}"#, "[]",
    ]) func `what this version does not know is an error`(_ text: String)
  {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ReachabilityStatus.self, from: Data(text.utf8))
    }
  }

  @Test(arguments: [
    "\"10.1.0.1\"", "\"10.1.0.1/33\"", "\"10.1.0.1/\"", "\"10.1.0.1/24/1\"", "\"x/24\"", "24",
  ])
  func `an address of an interface has a prefix length`(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ReachabilityPath.Address.self, from: Data(text.utf8))
    }
  }

  @Test func `members of other versions are ignored`() throws {
    let text = #"{"status":"reachable","flagsValue":2,"later":{"a":[1]},"version":9}"#
    let status = try JSONDecoder().decode(ReachabilityStatus.self, from: Data(text.utf8))
    #expect(status == ReachabilityStatus(.reachable, flags: .reachable))
  }
}
