// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// All names by which the kernel finds interfaces, and their differences.
  @Suite("Names of interfaces")
  struct InterfaceNameTests {
    private static let long = String(repeating: "a", count: 127)

    private func target(over name: String) -> ReachabilityTarget {
      ReachabilityTarget(.address("10.1.0.2"), interface: .name(name))
    }

    @Test func `an interface is found by its current alternative names`() throws {
      let lab = try Lab(.ipv4Only)
      let v0 = try lab.interface("v0")
      try lab.host.ip("link property add dev v0 altname uplink altname \(Self.long)")
      let monitor = try lab.makeMonitor()
      let direct = ReachabilityStatus.direct(from: "10.1.0.1", v0)
      for name in ["v0", "uplink", Self.long] {
        #expect(monitor.currentStatus(of: target(over: name)) == direct)
      }

      // Changes of other kinds keep the names.
      try lab.host.ip("link set v0 mtu 1400")
      #expect(monitor.currentStatus(of: target(over: "uplink")) == direct)
      try lab.host.ip("link property del dev v0 altname uplink")
      #expect(monitor.currentStatus(of: target(over: "uplink")) == .notReachable(.interfaceNotFound))
      #expect(monitor.currentStatus(of: target(over: Self.long)) == direct)
      // The name of another interface.
      try lab.addCable("v2", far: "p2")
      try lab.host.ip("link property add dev v2 altname uplink")
      #expect(monitor.currentStatus(of: target(over: "uplink")).interface?.name != "v0")
    }

    @Test func `an observer receives a gained and a lost alternative name`() throws {
      let lab = try Lab(.ipv4Only)
      let monitor = try lab.makeMonitor()
      let target = target(over: "uplink")
      let recorder = try lab.host.run { Recorder(monitor, [target]) }
      let missing = ReachabilityStatus.notReachable(.interfaceNotFound)
      recorder.wait("the missing interface") { $0[target] == [missing] }
      try lab.host.ip("link property add dev v0 altname uplink")
      let direct = ReachabilityStatus.direct(from: "10.1.0.1", try lab.interface("v0"))
      recorder.wait("the name") { $0[target] == [missing, direct] }
      try lab.host.ip("link property del dev v0 altname uplink")
      recorder.wait("the lost name") { $0[target] == [missing, direct, missing] }
    }

    @Test func `a zone accepts an alternative name, also for connections`() async throws {
      let lab = try Lab()
      try lab.host.ip("link property add dev v0 altname \(Self.long)")
      try lab.host.ip("addr add fe80::1/64 dev v0 nodad")
      lab.waitForLocalRoute("fe80::1 oif v0")
      let monitor = try lab.makeMonitor()
      let target = try ReachabilityTarget("fe80::1%\(Self.long)")
      #expect(monitor.currentStatus(of: target).interface?.name == "v0")
      // Nothing listens there, and the kernel refuses immediately.
      let report = try await monitor.connect(to: target, port: 9)
      #expect(report.attempts.map(\.outcome) == [.refused])
    }

    @Test func `interfaces with similar names are distinguished`() throws {
      let lab = try Lab(.ipv4Only)
      // An e with an acute accent, in one character and in two; and two names that are not UTF-8.
      let names = [#"caf\303\251"#, #"cafe\314\201"#, #"x\376"#, #"x\377"#]
      for (number, name) in names.enumerated() {
        try lab.host.sh(#"ip link add "$(printf '\#(name)')" type veth peer name q\#(number)"#)
        try lab.host.sh(#"ip addr add 10.4.\#(number).1/24 dev "$(printf '\#(name)')""#)
        try lab.host.sh(#"ip link set "$(printf '\#(name)')" up; ip link set q\#(number) up"#)
      }
      // The kernel creates the far end of a cable first.
      let indexes = try (0..<4).map { try lab.interface("q\($0)").index + 1 }
      let monitor = try lab.makeMonitor()
      func index(_ interface: ReachabilityTarget.Interface) -> Int? {
        monitor.currentStatus(of: ReachabilityTarget(.address("255.255.255.255"), interface: interface))
          .interface?
          .index
      }
      #expect(index(.name("caf\u{e9}")) == indexes[0])
      #expect(index(.name("cafe\u{301}")) == indexes[1])
      #expect(index(.name("x\u{fffd}")) == nil)
      #expect(indexes.map { index(.index($0)) } == indexes)
      try lab.host.ip("link del q0")
      #expect(index(.name("caf\u{e9}")) == nil)
      #expect(index(.name("cafe\u{301}")) == indexes[1])
    }
  }
}
#endif
