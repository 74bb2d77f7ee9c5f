import Reachability
import ReachabilityKit
import Testing

@Suite struct NeighbourTests {
  @Test func `a package with a target Reachability can be in the same graph`() {
    #expect(Reachability().connection == .wifi)
    #expect(ReachabilityKit.ReachabilityTarget.defaultRoute == .defaultRoute)
  }
}
