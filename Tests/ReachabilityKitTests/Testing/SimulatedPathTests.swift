// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import ReachabilityTesting
import Testing

@Suite(.deadline) struct SimulatedPathTests {
  private let ethernet = ReachabilityInterface(name: "eth0", index: 2, kind: .wired)

  private func path(_ status: ReachabilityStatus) -> ReachabilityPath {
    ReachabilityMonitor(simulating: SimulatedNetwork(status)).path
  }

  @Test func `a path follows from the general status`() {
    let status = ReachabilityStatus(
      .reachable, flags: .reachable, interface: ethernet, gateway: "10.1.0.254", source: "10.1.0.1")
    #expect(
      path(status)
        == ReachabilityPath(
          .satisfied,
          interfaces: [
            .init(
              ethernet, addresses: [.init("10.1.0.1", prefixLength: 24)], mtu: 1500,
              gateways: ["10.1.0.254"])
          ],
          reasonAgainstIPv6: .noRoute, nameServers: [.init("10.1.0.254")]))
  }

  @Test func `a status over IPv6 leads to a path over IPv6`() {
    let path = path(.via("fd00::fe"))
    #expect([path.supportsIPv4, path.supportsIPv6, path.supportsDNS] == [false, true, true])
    #expect(path.gateways == ["fd00::fe"])
  }

  @Test(arguments: [ReachabilityInterface.Kind.wired, .wifi, .cellular, .bluetooth, .other])
  func `a status over a kind of interface leads to a path over it`(kind: ReachabilityInterface.Kind) {
    let path = path(.reachable(over: kind))
    #expect(path.isSatisfied)
    #expect(path.usesInterfaceKind(kind))
    #expect(path.isExpensive == (kind == .cellular ? true : nil))
    #expect(path.supportsIPv4 && path.supportsDNS)
  }

  @Test func `an unreachable status leads to an unsatisfied path with the same reason`() {
    #expect(
      path(.notReachable(.noCarrier, over: ethernet))
        == ReachabilityPath(
          .unsatisfied, reason: .noCarrier, unusableInterfaces: [.init(ethernet, reason: .noCarrier)],
          reasonAgainstIPv4: .noCarrier, reasonAgainstIPv6: .noCarrier))
    #expect(path(.notReachable(.linkDormant)).status == .requiresConnection)
    #expect(path(.unknown(.systemError)).status == .unknown)
    #expect(path(.reachable(over: .loopback)).reason == .noRoute)
  }

  @Test func `a path that was set overrides the status until it is removed`() {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    let monitor = ReachabilityMonitor(simulating: network)
    network.setPath(ReachabilityPath(.satisfied, interfaces: [.init(ethernet)]))
    network.setStatus(.notReachable(.prohibited))
    #expect(monitor.path.isSatisfied)
    #expect(network.path == monitor.path)
    #expect(monitor.currentStatus(of: .defaultRoute) == .notReachable(.prohibited))
    network.setPath(nil)
    #expect(monitor.path.reason == .prohibited)
  }

  @Test func `requirements apply to a simulated path too`() {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(.reachable(over: .wired)))
    #expect(monitor.path(.requiring(.wired)).isSatisfied)
    #expect(monitor.path(.requiring(.wifi)).reason == .interfaceNotFound)
    #expect(monitor.path(.requiring(.loopback)).interfaces.map(\.interface.name) == ["lo"])
  }
}
