// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import ReachabilityTesting
import Testing

@Suite(.deadline) struct SimulatedNetworkTests {
  private let target = ReachabilityTarget.address("10.9.0.1")

  @Test func `every target has the network's status, except those with their own`() {
    let network = SimulatedNetwork(.number(0))
    let monitor = ReachabilityMonitor(simulating: network)
    func statuses() -> [ReachabilityStatus] {
      [network.status(of: target), network.status(of: .defaultRoute), monitor.currentStatus(of: target)]
    }
    #expect(statuses() == [.number(0), .number(0), .number(0)])
    network.setStatus(.number(1), of: target)
    #expect(statuses() == [.number(1), .number(0), .number(1)])
    network.setStatus(.number(2))
    #expect(statuses() == [.number(1), .number(2), .number(1)])
    network.setStatus(nil, of: target)
    #expect(statuses() == [.number(2), .number(2), .number(2)])
  }

  @Test func `targets that differ in a constraint have separate statuses`() {
    let network = SimulatedNetwork(.number(0))
    network.setStatus(.number(1), of: ReachabilityTarget(.address("10.9.0.1"), mark: 1))
    network.setStatus(.number(2), of: .defaultRoute)
    let monitor = ReachabilityMonitor(simulating: network)
    #expect(monitor.currentStatus(of: target) == .number(0))
    #expect(monitor.currentStatus(of: ReachabilityTarget(.address("10.9.0.1"), mark: 1)) == .number(1))
    #expect(monitor.currentStatus(of: .address("0.0.0.0")) == .number(2))
  }

  @Test func `a target with a port has the status of the target without, or its own`() throws {
    let network = SimulatedNetwork(.number(0))
    let (web, ssh) = (try ReachabilityTarget("https://10.9.0.1"), try ReachabilityTarget("ssh://10.9.0.1"))
    network.setStatus(.number(1), of: target)
    network.setStatus(.number(2), of: ssh)
    #expect([target, web, ssh].map(network.status) == [.number(1), .number(1), .number(2)])
    network.setStatus(nil, of: target)
    #expect([target, web, ssh].map(network.status) == [.number(0), .number(0), .number(2)])
  }

  @Test(
    arguments: [
      (.wired, "eth0", 0x2), (.wifi, "wlan0", 0x2), (.cellular, "wwan0", 0x40003), (.bluetooth, "bnep0", 0x2),
      (.loopback, "lo", 0x30002), (.other, "net0", 0x2),
    ] as [(ReachabilityInterface.Kind, String, UInt32)])
  func `a status over a kind of interface has the flags of a real one`(
    kind: ReachabilityInterface.Kind, name: String, flags: UInt32
  ) {
    let status = ReachabilityStatus.reachable(over: kind)
    #expect(
      status
        == ReachabilityStatus(
          .reachable, flags: ReachabilityStatus.Flags(rawValue: flags),
          interface: ReachabilityInterface(name: name, index: status.interface?.index ?? 0, kind: kind)))
  }

  @Test(
    arguments: [
      (.wired, 0x6), (.wifi, 0x6), (.cellular, 0x40007), (.other, 0x6),
    ] as [(ReachabilityInterface.Kind, UInt32)])
  func `a link that waits has the flags of a real one`(kind: ReachabilityInterface.Kind, flags: UInt32) {
    let status = ReachabilityStatus.requiresConnection(over: kind)
    #expect(status.state == .notReachable && status.reason == .linkDormant)
    #expect(status.flags.rawValue == flags)
    #expect(status.interface?.kind == kind)
  }

  @Test func `interfaces of different kinds have distinct indexes, from 1`() {
    let indexes = ReachabilityInterface.Kind.allCases.map {
      ReachabilityStatus.reachable(over: $0).interface?.index ?? 0
    }
    #expect(indexes.sorted() == Array(1...indexes.count))
  }

  @Test func `connecting in a simulated network throws an error that says so`() async {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(.reachable(over: .wired)))
    for target in [ReachabilityTarget.address("10.9.0.1"), .defaultRoute] {
      let error = await #expect(throws: ReachabilityMonitorError.self) {
        try await monitor.connect(to: target, port: 80)
      }
      #expect(error?.code == .notConnectable)
    }
  }
}
