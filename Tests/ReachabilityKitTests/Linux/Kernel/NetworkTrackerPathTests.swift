// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct NetworkTrackerPathTests {
  /// A network with `eth0` (index 2) and an IPv4 default route over a link.
  private static func network(over index: Int32 = 2) -> ScriptedNetwork {
    let network = ScriptedNetwork.withOneLink()
    var route = RouteMessage.to(nil, 0)
    route.interface = index
    route.gateway = "10.1.0.254"
    route.preferredSource = "10.1.0.1"
    route.priority = 100
    network.setRoute(to: "0.0.0.1", .success(route))
    return network
  }

  private static func path(over name: String, _ index: Int, mtu: Int? = nil) -> ReachabilityPath {
    let address = ReachabilityPath.Address("10.1.0.1", prefixLength: 24)
    return ReachabilityPath(
      .satisfied,
      interfaces: [
        .init(
          ReachabilityInterface(name: name, index: index, kind: .wired), addresses: [address], mtu: mtu,
          gateways: ["10.1.0.254"])
      ],
      reasonAgainstIPv6: .noRoute)
  }

  @Test func `callers and observers get the same path`()
    throws
  {
    let network = Self.network()
    var tracker = try network.tracker()
    #expect(tracker.evaluatePath([]).path == Self.path(over: "eth0", 2))
    var watching = try network.watchingTracker()
    #expect(watching.evaluateObservedPath([]).path == Self.path(over: "eth0", 2))
  }

  @Test func `the path includes earlier announcements`() throws {
    let network = Self.network()
    var tracker = try network.tracker()
    var link = LinkMessage.ethernet(2, "lan0")
    link.mtu = 9000
    network.change(.link(link))
    #expect(tracker.evaluatePath([]).path == Self.path(over: "lan0", 2, mtu: 9000))
  }

  @Test func `the path finds a link that is not announced yet`() throws {
    let network = Self.network(over: 3)
    var tracker = try network.tracker()
    var watching = try network.watchingTracker()
    network.changeSilently(
      .addressRemoved(.ipv4("10.1.0.1", 24, on: 2)), .link(.ethernet(3, "eth1")),
      .address(.ipv4("10.1.0.1", 24, on: 3)))
    #expect(tracker.evaluatePath([]).path == Self.path(over: "eth1", 3))
    #expect(watching.evaluateObservedPath([]).path == Self.path(over: "eth1", 3))
  }

  @Test(arguments: 0...4)
  func `what is read while the tables change is read again, at most twice`(changes: Int) throws {
    let network = Self.network()
    var tracker = try network.tracker()
    var readings = 0
    let last = try tracker.readConsistently { _ throws(NetlinkError) in
      readings += 1
      if readings <= changes { network.change(.link(.ethernet(2, "eth\(readings)"))) }
      return readings
    }
    #expect((last, readings) == (min(changes + 1, 3), last))
  }

  @Test func `a link that even the new tables lack leaves the path unknown`() throws {
    let network = Self.network(over: 3)
    var tracker = try network.tracker()
    #expect(tracker.evaluatePath([]) == .unknown(for: nil))
  }

  @Test func `a silent kernel leaves the path unknown until the next attempt`() throws {
    let network = Self.network()
    var tracker = try network.tracker()
    var watching = try network.watchingTracker()
    network.fallSilent()
    #expect(tracker.evaluatePath([]) == .unknown(for: nil))
    #expect(watching.evaluateObservedPath([]) == .unknown(for: .seconds(1)))
  }
}
#endif
