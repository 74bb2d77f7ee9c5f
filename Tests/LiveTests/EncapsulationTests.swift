// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Routes that wrap packets into others; packets that arrive at the far ends decide what is correct.
  @Suite("Routes with an encapsulation")
  struct EncapsulationTests {
    private static let count = 20

    /// Creates a lab with another cable, `w0` to `q0`, and a segment with a router behind each of the two cables.
    private func makeLab() throws -> Lab {
      let lab = try Lab()
      try lab.addUplink()
      try lab.host.ip("-6 route add fd5e::/16 via fd00:2::fe dev w0")
      return lab
    }

    /// Returns the link whose far end receives datagrams for an address, if any.
    private func link(_ lab: Lab, towards address: ReachabilityAddress) throws -> String? {
      let arrived = try lab.deliver(Self.count, to: address, countedAt: ["p0", "q0"])
      return arrived[0] >= Self.count ? "v0" : arrived[1] >= Self.count ? "w0" : nil
    }

    private func isSupported(_ lab: Lab, _ route: String) throws -> Bool {
      if try lab.host.shell("ip \(route)").status == 0 { return true }
      print("skipped: this kernel has no route of the kind '\(route)'")
      return false
    }

    @Test(arguments: [
      ("fd09::1", "-6 route add fd09::/64 encap seg6 mode encap segs fd5e::1 dev v0"),
      ("fd09::1", "-6 route add fd09::/64 encap seg6 mode encap.red segs fd5e::1 dev v0"),
      ("fd09::1", "-6 route add fd09::/64 encap seg6 mode inline segs fd5e::1 via fd00:1::fe dev v0"),
      ("fd09::1", "-6 route add fd09::/64 encap seg6 mode encap segs fd5e::1,fd00:1::2 dev v0"),
      ("10.9.0.1", "route add 10.9.0.0/16 encap seg6 mode encap segs fd5e::1 via 10.1.0.254 dev v0"),
    ])
    func `packets to a segment leave by the route of the segment`(_ text: String, _ route: String) throws {
      let lab = try makeLab()
      guard try isSupported(lab, route) else { return }
      let address = try #require(ReachabilityAddress(text[...]))
      let target = ReachabilityTarget.address(address)
      let w0 = try lab.interface("w0")
      let source: ReachabilityAddress = address.bitWidth == 32 ? "10.1.0.1" : "fd00:1::1"
      let monitor = try lab.makeMonitor()
      let expected = ReachabilityStatus.via("fd00:2::fe", from: source, w0)
      #expect(try link(lab, towards: address) == "w0")
      #expect(monitor.currentStatus(of: target) == expected)
      #expect(monitor.currentExplanation(of: target).firstFailure == nil)
      let recorder = Recorder(monitor, [target])
      recorder.wait("the first status") { $0[target] == [expected] }

      // The first route's link does not matter.
      try lab.peer.ip("link set p0 down")
      try lab.wait(for: "NO-CARRIER", of: "v0")
      #expect(try link(lab, towards: address) == "w0")
      #expect(monitor.currentStatus(of: target) == expected)
      try lab.peer.ip("link set p0 up")
      try lab.waitForOperation("v0")

      try lab.host.ip("-6 route add blackhole fd5e::1")
      #expect(try link(lab, towards: address) == nil)
      #expect(monitor.currentStatus(of: target) == .notReachable(.blackhole))
      let failure = monitor.currentExplanation(of: target).firstFailure
      #expect(
        failure?.problem
          == "Packets to \(address) are sent to the segment fd5e::1: a route or rule discards packets.")
      recorder.wait("the blackhole") { $0[target]?.last?.reason == .blackhole }
      // The advice names the segment, whose explanation has the command.
      #expect(failure?.advice == "Explain the segment: reachability explain fd5e::1.")
      let advice = try #require(monitor.currentExplanation(of: .address("fd5e::1")).firstFailure?.advice)
      let start = try #require(advice.range(of: ": ip "))
      try lab.host.ip(String(advice[start.upperBound...].dropLast()))
      #expect(monitor.currentStatus(of: target) == expected)

      try lab.peer.ip("link set q0 down")
      recorder.wait("the loss of the segment's link") { $0[target]?.last?.reason == .noCarrier }
      #expect(monitor.currentStatus(of: target) == .notReachable(.noCarrier, over: w0))
      #expect(recorder.problems == [])
    }

    @Test func `a segment whose route cannot be told makes the status unknown`() throws {
      let lab = try makeLab()
      guard try isSupported(lab, "-6 route add fd09::/64 encap seg6 mode encap segs fd5e::1 dev v0") else {
        return
      }
      let monitor = try lab.makeMonitor()
      let target = ReachabilityTarget.address("fd09::1")
      #expect(monitor.currentStatus(of: target).isReachable)
      try lab.host.ip("-6 rule add pref 100 from fd00:1::/64 lookup 100")
      #expect(monitor.currentStatus(of: target) == .unknown(.encapsulated))
      try lab.host.ip("-6 rule del pref 100")
      try lab.host.ip(
        "-6 route replace fd5e::/16 nexthop via fd00:2::fe dev w0 nexthop via fd00:1::fe dev v0")
      #expect(monitor.currentStatus(of: target) == .unknown(.encapsulated))
      try lab.host.ip("-6 route del fd5e::/16")
      try lab.host.ip("-6 addr add fd5e::1/128 dev lo nodad")
      lab.waitForLocalRoute("fd5e::1")
      #expect(monitor.currentStatus(of: target) == .unknown(.encapsulated))
      #expect(monitor.currentExplanation(of: target).firstFailure == nil)
    }

    @Test func `a segment behind itself is not followed for ever`() throws {
      let lab = try makeLab()
      guard try isSupported(lab, "-6 route add fd09::/64 encap seg6 mode encap segs fd09::7 dev v0") else {
        return
      }
      #expect(try lab.makeMonitor().currentStatus(of: .address("fd09::1")) == .unknown(.encapsulated))
    }

    @Test func `a segment may be behind another segment`() throws {
      let lab = try makeLab()
      guard try isSupported(lab, "-6 route add fd09::/64 encap seg6 mode encap segs fd5e::1 dev v0") else {
        return
      }
      try lab.host.ip("-6 route add fd0a::/64 encap seg6 mode encap segs fd09::7 dev v0")
      #expect(try link(lab, towards: "fd0a::1") == "w0")
      #expect(
        try lab.makeMonitor().currentStatus(of: .address("fd0a::1"))
          == .via("fd00:2::fe", from: "fd00:1::1", lab.interface("w0")))
    }

    @Test func `segment routing of frames drops the packets of this machine`() throws {
      let lab = try makeLab()
      guard try isSupported(lab, "-6 route add fd09::/64 encap seg6 mode l2encap segs fd5e::1 dev v0") else {
        return
      }
      #expect(try link(lab, towards: "fd09::1") == nil)
      #expect(try lab.makeMonitor().currentStatus(of: .address("fd09::1")).reason == .blackhole)
    }

    @Test(arguments: [
      ("10.9.0.1", "route add 10.9.0.0/16 encap ip id 100 dst 10.2.0.2 via 10.1.0.254 dev v0"),
      ("fd09::1", "-6 route add fd09::/64 encap ip6 id 100 dst fd5e::1 via fd00:1::fe dev v0"),
      ("fd09::1", "-6 route add fd09::/64 encap mpls 100 via inet6 fd00:1::fe dev v0"),
    ])
    func `packets for an external tunnel leave by the route's own link`(_ text: String, _ route: String)
      throws
    {
      let lab = try makeLab()
      guard try isSupported(lab, route) else { return }
      let address = try #require(ReachabilityAddress(text[...]))
      #expect(try link(lab, towards: address) == "v0")
      let status = try lab.makeMonitor().currentStatus(of: .address(address))
      #expect(status.isReachable && status.interface?.name == "v0")
    }
  }
}
#endif
