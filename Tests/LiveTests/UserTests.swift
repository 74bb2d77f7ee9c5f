// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// Policy rules match the owner of a socket, which is the effective user of the process.
  @Suite("Users")
  struct UserTests {
    private static let targets = [
      "8.8.8.8", "2001:db8::1", "default", "10.1.0.7", "fd00:1::7", "10.1.0.1",
    ]

    /// Returns the error number with which the kernel refuses a socket of this process, or 0.
    private static func refusal(_ lab: Lab, _ address: ReachabilityAddress) throws -> Int32 {
      try lab.host.run {
        Connection(to: address.octets, from: nil, over: 0, mark: 0).errorNumber
      }
    }

    /// Compares statuses with sockets.
    private static func expect(
      _ lab: Lab, _ monitor: ReachabilityMonitor, prohibited: Bool,
      _ location: SourceLocation = #_sourceLocation
    ) throws {
      for text in ["8.8.8.8", "2001:db8::1", "10.1.0.7", "fd00:1::7"] {
        let target = try ReachabilityTarget(text)
        guard case .address(let address) = target.destination else { continue }
        #expect(try refusal(lab, address) == (prohibited ? EACCES : 0), "\(text)", sourceLocation: location)
        let status = monitor.currentStatus(of: target)
        #expect((status.reason == .prohibited) == prohibited, "\(text): \(status)", sourceLocation: location)
        #expect(status.isReachable == !prohibited, "\(text): \(status)", sourceLocation: location)
        // Bound to an interface, an IPv4 packet that a rule refuses is sent to the link.
        guard address.bitWidth == 128 else { continue }
        let bound = ReachabilityTarget(target.destination, interface: .name("v0"))
        #expect(monitor.currentStatus(of: bound) == status, "\(text)", sourceLocation: location)
      }
      let reason: ReachabilityStatus.Reason? = prohibited ? .prohibited : nil
      #expect(monitor.currentStatus(of: .defaultRoute).reason == reason, sourceLocation: location)
      #expect(monitor.path.reason == reason, sourceLocation: location)
      let explanation = monitor.currentExplanation(of: try ReachabilityTarget("8.8.8.8"))
      #expect(explanation.status.reason == reason, sourceLocation: location)
      let route = explanation.steps.first { $0.kind == .route }
      #expect(
        (route?.fact == "rule 50 (user 1000-1000): prohibit") == prohibited, "\(route?.fact ?? "no step")",
        sourceLocation: location)
    }

    @Test func `a rule for the effective user decides, not one for the real user`() async {
      await #expect(processExitsWith: .success) {
        guard seteuid(1000) == 0, seteuid(0) == 0 else {
          print("skipped: this process cannot change its user")
          return
        }
        let lab = try Lab()
        for family in ["-4", "-6"] {
          try lab.host.ip("\(family) rule add pref 50 uidrange 1000-1000 prohibit")
        }
        let monitor = try lab.makeMonitor()
        let targets = try UserTests.targets.map { try ReachabilityTarget($0) }
        let recorder = Recorder(monitor, targets)
        recorder.wait("the first statuses") { $0.count == targets.count }
        try UserTests.expect(lab, monitor, prohibited: false)
        #expect(seteuid(1000) == 0)
        try UserTests.expect(lab, monitor, prohibited: true)
        monitor.refresh()
        let far = Set(targets.dropLast())
        recorder.wait("the prohibition") { seen in
          far.allSatisfy { seen[$0]?.last?.reason == .prohibited }
        }
        #expect(monitor.currentStatus(of: try ReachabilityTarget("10.1.0.1")).isReachable)
        #expect(seteuid(0) == 0)
        try UserTests.expect(lab, monitor, prohibited: false)
        monitor.refresh()
        recorder.wait("the return") { seen in far.allSatisfy { seen[$0]?.last?.isReachable == true } }
        #expect(recorder.problems == [])
      }
    }

    @Test func `an IPv6 source is found for the effective user`() async {
      await #expect(processExitsWith: .success) {
        guard seteuid(1000) == 0, seteuid(0) == 0 else {
          print("skipped: this process cannot change its user")
          return
        }
        let lab = try UserTests.labWithSourceRoute()
        let far = ReachabilityTarget.address("2001:db8::1")
        let monitor = try lab.makeMonitor()
        let recorder = Recorder(monitor, [far])
        recorder.wait("the first status") { $0[far]?.last?.reason == .noRoute }
        func expect(reachable: Bool) throws {
          #expect((try UserTests.refusal(lab, "2001:db8::1") == 0) == reachable)
          #expect(monitor.currentStatus(of: far).isReachable == reachable)
          monitor.refresh()
          recorder.wait("the user") { $0[far]?.last?.isReachable == reachable }
        }
        try expect(reachable: false)
        #expect(seteuid(1000) == 0)
        try expect(reachable: true)
        #expect(seteuid(0) == 0)
        try expect(reachable: false)
        #expect(recorder.problems == [])
      }
    }

    @Test func `an IPv6 source follows the thread's user, across namespaces`() throws {
      guard (try? Users.acting(as: 1000) {}) != nil else {
        print("skipped: this thread cannot act as another user")
        return
      }
      let lab = try UserTests.labWithSourceRoute()
      let far = ReachabilityTarget.address("2001:db8::1")
      let monitor = try lab.makeMonitor()
      for _ in 0..<2 {
        #expect(monitor.currentStatus(of: far).reason == .noRoute)
        let status = try Users.acting(as: 1000) { monitor.currentStatus(of: far) }
        #expect(status == .via("fd00:1::fd", from: "fd00:1::1", try lab.interface("v0")))
      }
    }

    /// A network in which only packets of user 1000 match a route, which is limited to some sources.
    private static func labWithSourceRoute() throws -> Lab {
      let lab = try Lab()
      try lab.host.ip("-6 route del default")
      try lab.host.ip("-6 rule add pref 50 uidrange 1000-1000 lookup 77")
      try lab.host.ip("-6 route add default from fd00:1::/64 via fd00:1::fd dev v0 table 77")
      return lab
    }
  }
}
#endif
