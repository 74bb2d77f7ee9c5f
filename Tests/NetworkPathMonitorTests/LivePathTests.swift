// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import NetworkPathMonitor
import ReachabilityKit
import RequirementSupport
import TestSupport
import Testing

/// The paths of a real kernel.
@Suite("Live paths", .serialized, .needsNamespaces, .deadline)
struct LivePathTests {
  private let cable: Cable
  private let paths = Log<NWPath>()

  init() throws {
    cable = try Cable()
  }

  /// Starts a monitor of the cable's network, whose paths are logged.
  private func start(_ make: () -> NWPathMonitor = { NWPathMonitor() }) -> NWPathMonitor {
    let monitor = ReachabilityMonitor.$substitute.withValue(cable.monitor, operation: make)
    let paths = paths
    monitor.pathUpdateHandler = { paths.append($0) }
    monitor.start(queue: .global())
    return monitor
  }

  @Test func `a container's veth is wired`() async throws {
    let monitor = start()
    let path = try await paths.wait(for: 1)[0]
    #expect(path.availableInterfaces.map { "\($0) \($0.type)" } == ["v0 wiredEthernet"])
    #expect(path.usesInterfaceType(.wiredEthernet) && !path.usesInterfaceType(.other))
    #expect(path.gateways.map { "\($0)" } == ["10.1.0.254:0"])
    #expect(path.supportsIPv4 && !path.supportsIPv6 && !path.isExpensive)
    monitor.cancel()
  }

  @Test func `pulling the cable and plugging it in are one path each`() async throws {
    let monitor = start()
    try await paths.wait(for: 1)
    try cable.host.ip("link set p0 down")
    try await paths.wait { $0.last?.status == .unsatisfied }
    #expect(paths.elements.last?.availableInterfaces.isEmpty == true)
    try cable.host.ip("link set p0 up")
    try await paths.wait { $0.last?.status == .satisfied }
    #expect(monitor.currentPath.status == .satisfied)
    monitor.cancel()
  }

  /// Each transition has steps that a path does not show: link-local addresses come, and reasons change.
  @Test func `forty transitions of four kinds are forty calls`() async throws {
    let host = cable.host
    let monitor = start()
    try await paths.wait(for: 1)
    let kinds = [
      ("link set p0 down", "link set p0 up"),
      ("link set v0 down", "link set v0 up\nroute add default via 10.1.0.254"),
      ("route del default", "route add default via 10.1.0.254"),
      ("addr del 10.1.0.1/24 dev v0", "addr add 10.1.0.1/24 dev v0\nroute add default via 10.1.0.254"),
    ]
    var expected = [true]
    for (loss, repair) in (0..<5).flatMap({ _ in kinds }) {
      for (change, isSatisfied) in [(loss, false), (repair, true)] {
        try host.sh("ip -batch - <<'END'\n\(change)\nEND")
        expected.append(isSatisfied)
        let count = expected.count
        try await paths.wait { $0.count >= count && monitor.currentPath.isSatisfied == isSatisfied }
      }
    }
    #expect(paths.elements.map(\.isSatisfied) == expected, "\(paths.elements)")
    monitor.cancel()
  }

  @Test func `a tunnel's path uses the cable below it, and prohibiting other types leaves the cable`()
    async throws
  {
    guard let tunnel = try cable.host.openTunnel("tun0") else { return }
    defer { tunnel.close() }
    try cable.host.ip("addr add 10.8.0.2/32 dev tun0")
    try cable.host.ip("link set tun0 up")
    try cable.host.ip("route replace default dev tun0")
    try cable.host.ip("route add default via 10.1.0.254 metric 100")
    let monitor = start()
    let path = try await paths.wait { $0.last?.availableInterfaces.count == 2 }.last
    #expect(path?.availableInterfaces.map { "\($0) \($0.type)" } == ["tun0 other", "v0 wiredEthernet"])
    #expect(path?.usesInterfaceType(.other) == true && path?.usesInterfaceType(.wiredEthernet) == true)
    monitor.cancel()
    let physical = start { NWPathMonitor(prohibitedInterfaceTypes: [.other]) }
    try await paths.wait { $0.last?.availableInterfaces.map(\.name) == ["v0"] }
    physical.cancel()
  }

  @Test func `a tunnel over a pulled cable is unsatisfied, and satisfied again with the cable`() async throws
  {
    let tunnel = "vx0 type vxlan id 7 local 10.1.0.1 remote 10.77.0.1 dstport 4789"
    guard try cable.host.shell("ip link add \(tunnel)").status == 0 else { return }
    try cable.host.ip("addr add 10.8.0.2/24 dev vx0")
    try cable.host.ip("link set vx0 up")
    try cable.host.ip("route add 10.77.0.1 via 10.1.0.254")
    try cable.host.ip("route replace default via 10.8.0.254")
    let monitor = start()
    let path = try await paths.wait { $0.last?.status == .satisfied }.last
    #expect(path?.availableInterfaces.first?.name == "vx0")
    try cable.host.ip("link set p0 down")
    try await paths.wait { $0.last?.status == .unsatisfied }
    try cable.host.ip("link set p0 up")
    try await paths.wait { $0.last?.status == .satisfied }
    monitor.cancel()
  }

  @Test func `a waiting tunnel requires a connection, and is satisfied once it is connected`() async throws {
    guard let tunnel = try cable.setWaitingTunnel() else { return }
    defer { tunnel.close() }
    let monitor = start()
    try await paths.wait { $0.last?.status == .requiresConnection }
    try cable.host.ip("link set tun0 state up")
    try await paths.wait { $0.last?.status == .satisfied }
    monitor.cancel()
  }

  @Test func `a link-local router names its interface`() async throws {
    try cable.host.writeSysctl("net/ipv6/conf/v0/accept_dad", "0")
    try cable.host.ip("addr add fd00:1::1/64 dev v0 nodad")
    try cable.host.ip("-6 route add default via fe80::1 dev v0")
    let monitor = start()
    let path = try await paths.wait { $0.last?.supportsIPv6 == true }.last
    #expect(path?.gateways.map { "\($0)" } == ["10.1.0.254:0", "fe80::1%v0.0"])
    #expect(path?.gateways.last?.interface == path?.availableInterfaces.first)
    monitor.cancel()
  }
}

extension NWPath {
  fileprivate var isSatisfied: Bool { status == .satisfied }
}
