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
  /// A target without a protocol means TCP, where TCP can connect.
  @Suite("Protocols")
  struct ProtocolTests {
    /// Connects a TCP socket, which waits for nothing.
    private func connect(_ lab: Lab, _ address: ReachabilityAddress, over index: UInt32 = 0) throws
      -> Connection
    {
      try lab.host.run { Connection(SocketPlan(to: address.octets, isStream: true, over: index)) }
    }

    @Test(arguments: [("-4", "10.9.0.1"), ("-6", "fd00:9::1")])
    func `rules for a protocol match targets without one as they match TCP`(_ ip: String, _ text: String)
      throws
    {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      let address = try #require(ReachabilityAddress(text[...]))
      let bare = ReachabilityTarget.address(address)
      let byUDP = ReachabilityTarget(.address(address), transport: .udp)
      let bound = ReachabilityTarget(.address(address), interface: .name("v0"))
      let source: ReachabilityAddress = address.bitWidth == 32 ? "10.1.0.1" : "fd00:1::1"
      let byDefault = ReachabilityTarget(.defaultRoute, source: source)
      let recorder = Recorder(monitor, [bare, byUDP])
      recorder.wait("the first statuses") { $0.count == 2 }

      try lab.host.ip("\(ip) rule add pref 50 ipproto 17 prohibit")
      #expect(try connect(lab, address).errorNumber == 0)
      for target in [bare, bound, byDefault, .defaultRoute] {
        #expect(monitor.currentStatus(of: target).isReachable, "\(target)")
        // The path to a name server takes UDP.
        guard target.destination != .defaultRoute else { continue }
        #expect(monitor.currentExplanation(of: target).firstFailure == nil, "\(target)")
      }
      #expect(monitor.currentStatus(of: byUDP) == .notReachable(.prohibited))
      #expect(
        (address.bitWidth == 32 ? monitor.path.reasonAgainstIPv4 : monitor.path.reasonAgainstIPv6) == nil)
      recorder.wait("the prohibition of UDP") { $0[byUDP]?.last?.reason == .prohibited }

      try lab.host.ip("\(ip) rule del pref 50")
      try lab.host.ip("\(ip) rule add pref 50 ipproto 6 prohibit")
      #expect(try connect(lab, address).errorNumber == EACCES)
      // IPv4 packets that are bound to an interface need no route.
      for target in address.bitWidth == 32 ? [bare, byDefault] : [bare, bound, byDefault] {
        #expect(monitor.currentStatus(of: target) == .notReachable(.prohibited), "\(target)")
        let failure = monitor.currentExplanation(of: target).firstFailure
        #expect(failure?.fact == "rule 50 (ipproto tcp): prohibit", "\(target)")
      }
      #expect(monitor.currentStatus(of: byUDP).isReachable)
      #expect(
        (address.bitWidth == 32 ? monitor.path.reasonAgainstIPv4 : monitor.path.reasonAgainstIPv6)
          == .prohibited)
      recorder.wait("the prohibition of TCP") {
        $0[bare]?.last?.reason == .prohibited && $0[byUDP]?.last?.isReachable == true
      }
      #expect(recorder.problems == [])
    }

    @Test func `the next hop of an IPv6 multipath route is that of TCP connections`() throws {
      let lab = try Lab(defaultRoutes: false)
      try lab.addCable("v2", far: "p2")
      try lab.host.writeSysctl("net/ipv6/conf/v2/accept_dad", "0")
      try lab.host.ip("addr add fd00:2::1/64 dev v2 nodad")
      try lab.peer.ip("link set p2 up")
      try lab.host.ip("link set v2 up")
      try lab.waitForOperation("v2")
      lab.waitForLocalRoute("fd00:2::1")
      try lab.host.ip(
        "-6 route add default nexthop via fd00:1::fe dev v0 nexthop via fd00:2::fe dev v2")
      let monitor = try lab.makeMonitor()
      var unlike = 0
      for number in 1...40 {
        let address = try #require(ReachabilityAddress("2001:db8::\(number)"))
        let tcp = try ReachabilityAddress(octets: connect(lab, address).source)
        let udp = try lab.host.run {
          ReachabilityAddress(octets: Connection(to: address.octets, from: nil, over: 0, mark: 0).source)
        }
        if tcp != udp { unlike += 1 }
        #expect(monitor.currentStatus(of: .address(address)).source == tcp, "\(address)")
        #expect(
          monitor.currentStatus(of: ReachabilityTarget(.address(address), transport: .tcp)).source == tcp)
        #expect(
          monitor.currentStatus(of: ReachabilityTarget(.address(address), transport: .udp)).source == udp)
      }
      #expect(unlike > 0)
    }

    @Test(arguments: [
      "10.1.0.255", "224.0.0.1", "239.1.2.3", "255.255.255.255", "127.255.255.255", "ff0e::1", "ff02::1%v0",
    ])
    func `TCP cannot connect to multicast and broadcast addresses`(_ text: String) throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      let bare = try ReachabilityTarget(text)
      guard case .address(let address) = bare.destination else { return }
      let index = bare.interface == nil ? 0 : UInt32(try lab.interface("v0").index)
      #expect(try connect(lab, address, over: index).errorNumber == ENETUNREACH)
      let connection = ReachabilityTarget(.address(address), interface: bare.interface, transport: .tcp)
      let datagrams = ReachabilityTarget(.address(address), interface: bare.interface, transport: .udp)
      let recorder = Recorder(monitor, [bare, connection, datagrams])
      recorder.wait("the first statuses") { $0.count == 3 }
      #expect(recorder.statuses[connection]?.map(\.reason) == [.notUnicast])
      #expect(monitor.currentStatus(of: connection).reason == .notUnicast)
      #expect(!monitor.currentStatus(of: connection).isReachable)
      #expect(monitor.currentStatus(of: datagrams).isReachable)
      #expect(monitor.currentStatus(of: bare) == monitor.currentStatus(of: datagrams))

      let explanation = monitor.currentExplanation(of: connection)
      let kind = address.isMulticast ? "multicast" : "broadcast"
      #expect(
        explanation.firstFailure?.problem == "TCP cannot connect to the \(kind) address \(address).")
      #expect(explanation.firstFailure?.advice?.hasSuffix("or datagrams: \(datagrams).") == true)
      #expect(monitor.currentExplanation(of: bare).firstFailure == nil)
    }

    @Test func `a rule for UDP applies to a broadcast address without a protocol`() throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      let bare = ReachabilityTarget.address("10.1.0.255")
      // The local table comes first, so rules matter once it has moved.
      try lab.host.ip("rule add pref 60 lookup local")
      try lab.host.ip("rule del pref 0")
      try lab.host.ip("rule add pref 50 ipproto 17 prohibit")
      #expect(monitor.currentStatus(of: bare) == .notReachable(.prohibited))
      try lab.host.ip("rule del pref 50")
      #expect(monitor.currentStatus(of: bare).isReachable)
    }
  }
}
#endif
