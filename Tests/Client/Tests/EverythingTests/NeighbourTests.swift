// SPDX-License-Identifier: Apache-2.0
import Reachability
import ReachabilityKit
import Testing

@Suite struct NeighbourTests {
  @Test func `a package with a target Reachability can be in the same graph`() {
    #expect(Reachability().connection == .wifi)
    #expect(ReachabilityKit.ReachabilityTarget.defaultRoute == .defaultRoute)
  }

  @Test func `another module's IPAddress stands beside the library's addresses`() {
    let other: any IPAddress = IPv4Address([192, 0, 2, 1])
    #expect(ReachabilityAddress(octets: other.rawValue) == "192.0.2.1")
  }
}
