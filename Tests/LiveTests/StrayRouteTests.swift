// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket filter drops announcements of unrelated routes, and no others.
extension LiveTests {
  @Suite("Unrelated routes")
  struct StrayRouteTests {
    private static let far = ReachabilityTarget.address("8.8.8.8")
    private static let far6 = ReachabilityTarget.address("2001:db8::1")

    private func addStrays(to lab: Lab, _ networks: Range<Int>) throws {
      for network in networks { try lab.host.ip("route add blackhole 100.64.\(network).0/24") }
    }

    /// Waits for a condition of the process, for a few seconds.
    private func wait(_ what: String, _ isMet: () -> Bool) {
      let deadline = ContinuousClock.now.advanced(by: .seconds(15))
      while !isMet() {
        guard ContinuousClock.now < deadline else {
          Issue.record("\(what) did not happen")
          return
        }
        usleep(1000)
      }
    }

    @Test func `the filter drops unrelated routes and passes observed ones`() throws {
      let lab = try Lab()
      let monitor = try lab.host.run { try ReachabilityMonitor(unrelatedRouteLimit: 8) }
      let before = filterLengths()
      let recorder = Recorder(monitor, [Self.far])
      recorder.wait("the initial event") { $0[Self.far]?.count == 1 }
      try addStrays(to: lab, 0..<10)
      wait("the filter") { filterLengths() != before }

      try lab.host.ip("route add blackhole 8.8.0.0/16")
      recorder.wait("the route") { $0[Self.far]?.last == .notReachable(.blackhole) }
      try lab.host.ip("route del blackhole 8.8.0.0/16")
      recorder.wait("its end") { $0[Self.far]?.last?.isReachable == true }
      #expect(filterLengths() != before)

      let newcomer = Recorder(monitor, [Self.far6])
      newcomer.wait("the initial event") { $0[Self.far6]?.count == 1 }
      try lab.host.ip("-6 route add unreachable 2001:db8::/32")
      newcomer.wait("the route") { $0[Self.far6]?.last == .notReachable(.unreachableRoute) }
      try addStrays(to: lab, 20..<30)
      wait("the filter") { filterLengths() != before }
      try lab.host.ip("-6 route del unreachable 2001:db8::/32")
      newcomer.wait("its end") { $0[Self.far6]?.last?.isReachable == true }
      #expect(recorder.problems + newcomer.problems == [])
    }

    @Test func `the filter passes changes other than routes`() throws {
      let lab = try Lab(.ipv4Only)
      let monitor = try lab.host.run { try ReachabilityMonitor(unrelatedRouteLimit: 8) }
      let before = filterLengths()
      let recorder = Recorder(monitor, [Self.far, .defaultRoute])
      recorder.wait("the initial events") { $0.count == 2 }
      try addStrays(to: lab, 0..<10)
      wait("the filter") { filterLengths() != before }
      try lab.host.ip("rule add to 8.8.8.8 prohibit")
      recorder.wait("the rule") { $0[Self.far]?.last == .notReachable(.prohibited) }
      try lab.peer.ip("link set p0 down")
      recorder.wait("the cable's end") { $0[.defaultRoute]?.last?.reason == .noCarrier }
      try lab.peer.ip("link set p0 up")
      recorder.wait("the cable") { $0[.defaultRoute]?.last?.isReachable == true }
      try lab.host.ip("route del default")
      recorder.wait("the default route's end") { $0[.defaultRoute]?.last == .notReachable(.noRoute) }
      #expect(recorder.problems == [])
    }

    @Test func `the filter ends with the last observer`() throws {
      let lab = try Lab(.ipv4Only)
      let monitor = try lab.host.run { try ReachabilityMonitor(unrelatedRouteLimit: 8) }
      let before = filterLengths()
      do {
        let recorder = Recorder(monitor, [Self.far])
        recorder.wait("the initial event") { $0[Self.far]?.count == 1 }
        try addStrays(to: lab, 0..<10)
        wait("the filter") { filterLengths() != before }
      }
      wait("the filter's end") { filterLengths() == before }
    }
  }
}
#endif
