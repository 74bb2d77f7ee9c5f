// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// The kernel announces a lost carrier at most once a second, and omits it if the carrier returns within that time.
  @Suite("Short losses of the carrier")
  struct FlappingTests {
    private static let far4 = ReachabilityTarget.address("8.8.8.8")
    private static let far6 = ReachabilityTarget.address("2001:db8::1")

    // Slow: the kernel announces a carrier that changes often once a second.
    @Test func `a route added during a short carrier loss is delivered afterwards`() throws {
      let lab = try Lab()
      // Without this, an IPv4 lookup finds routes over dead links.
      try lab.host.writeSysctl("net/ipv4/conf/v0/ignore_routes_with_linkdown", "1")
      let v0 = try lab.interface("v0")
      let expected: [ReachabilityTarget: ReachabilityStatus] = [
        Self.far4: .via("10.1.0.7", from: "10.1.0.1", v0),
        Self.far6: .via("fd00:1::7", from: "fd00:1::1", v0),
      ]
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, Array(expected.keys))
      recorder.wait("the initial events") { $0.count == 2 }
      for _ in 0..<3 {
        // The kernel announces the first loss immediately and delays the next one.
        try lab.peer.ip("link set p0 down")
        recorder.wait("the cable's end") { received in
          received.values.allSatisfy { $0.last?.isReachable == false }
        }
        try lab.peer.ip("link set p0 up")
        recorder.wait("the cable") { received in received.values.allSatisfy { $0.last?.isReachable == true } }

        try lab.peer.ip("link set p0 down")
        try lab.host.ip("route add 8.8.8.0/24 via 10.1.0.7")
        try lab.host.ip("-6 route add 2001:db8::/32 via fd00:1::7")
        try lab.peer.ip("link set p0 up")
        guard recorder.wait("the routes", { received in expected.allSatisfy { received[$0]?.last == $1 } })
        else {
          return
        }
        try lab.host.ip("route del 8.8.8.0/24")
        try lab.host.ip("-6 route del 2001:db8::/32")
        recorder.wait("their end") { received in
          received.values.allSatisfy {
            $0.last?.isReachable == true && !expected.values.contains($0[$0.count - 1])
          }
        }
      }
      #expect(recorder.problems == [])
    }
  }
}
#endif
