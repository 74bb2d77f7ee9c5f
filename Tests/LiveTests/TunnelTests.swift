// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Tunnels with a fixed remote, judged by what carries them.
  ///
  /// Packets that arrive at the far end of the cable decide what is correct.
  @Suite("Tunnels and what carries them")
  struct TunnelTests {
    /// A kind of tunnel, with the command that creates it and the device that shows that its module is loaded.
    struct Kind: Sendable, CustomTestStringConvertible {
      var name: String
      var options: String
      /// Creating the first tunnel of these kinds loads a module, which creates devices in all namespaces.
      var fallback: String?
      var isIPv6 = false

      var testDescription: String { name }
      var remote: ReachabilityAddress { isIPv6 ? "fd00:77::1" : "10.77.0.1" }
    }

    static let kinds = [
      Kind(name: "vxlan", options: "id 7 local 10.1.0.1 remote 10.77.0.1 dstport 4789"),
      Kind(name: "vxlan", options: "id 7 local fd00:1::1 remote fd00:77::1 dstport 4789", isIPv6: true),
      Kind(name: "geneve", options: "id 7 remote 10.77.0.1"),
      Kind(name: "gre", options: "local 10.1.0.1 remote 10.77.0.1", fallback: "gre0"),
      Kind(name: "gretap", options: "local 10.1.0.1 remote 10.77.0.1", fallback: "gretap0"),
      Kind(name: "ipip", options: "remote 10.77.0.1", fallback: "tunl0"),
      Kind(name: "sit", options: "remote 10.77.0.1", fallback: "sit0"),
      Kind(name: "ip6gre", options: "local fd00:1::1 remote fd00:77::1", fallback: "ip6gre0", isIPv6: true),
      Kind(
        name: "ip6tnl", options: "local fd00:1::1 remote fd00:77::1 mode any", fallback: "ip6tnl0",
        isIPv6: true),
    ]

    static let target = ReachabilityTarget.address("10.20.0.9")
    static let fence = ReachabilityTarget.address("10.98.0.1")

    /// Creates a lab whose target is behind a tunnel, `t0`, or returns `nil` where this kernel has no such tunnel.
    private func makeLab(_ kind: Kind = kinds[0]) throws -> Lab? {
      let lab = try Lab()
      if let fallback = kind.fallback {
        guard try lab.host.shell("ip link show \(fallback)").status == 0 else { return nil }
      }
      guard try lab.host.shell("ip link add t0 type \(kind.name) \(kind.options)").status == 0 else {
        return nil
      }
      try lab.host.ip("addr add 10.20.0.1/24 dev t0")
      try lab.host.ip("link set t0 up")
      _ = try lab.host.shell("ip neigh replace 10.20.0.9 lladdr 02:00:00:00:00:09 dev t0 nud permanent")
      for router in ["10.1.0.254", "fd00:1::fe"] as [ReachabilityAddress] {
        try lab.fixNeighbour(router, on: "v0", far: "p0")
      }
      return lab
    }

    /// Whether datagrams to the target arrive at the far end of the cable.
    private func isArriving(_ lab: Lab) throws -> Bool {
      guard case .address(let address) = Self.target.destination else { return false }
      return try lab.deliver(20, to: address, countedAt: ["p0"])[0] >= 20
    }

    private func unplug(_ lab: Lab) throws {
      try lab.peer.ip("link set p0 down")
      for _ in 0..<2000 {
        if try lab.host.ip("-o link show v0").contains("NO-CARRIER") { return }
      }
      Issue.record("v0 kept its carrier")
    }

    /// Returns the default route of the family of a tunnel's own packets.
    private func route(_ kind: Kind) -> String {
      kind.isIPv6 ? "-6 route add default via fd00:1::fe" : "route add default via 10.1.0.254 metric 100"
    }

    @Test(arguments: kinds)
    func `a tunnel is as reachable as its other end, and observers see each change`(_ kind: Kind) throws {
      guard let lab = try makeLab(kind) else { return }
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [Self.target])
      func expect(
        _ reason: ReachabilityStatus.Reason?, over interface: ReachabilityInterface?, _ what: String
      ) throws {
        recorder.wait(what) { received in received[Self.target]?.last.map { $0.reason == reason } == true }
        let status = monitor.currentStatus(of: Self.target)
        #expect(recorder.statuses[Self.target]?.last == status, "\(what)")
        #expect(status.reason == reason, "\(what): \(status)")
        #expect(status.interface?.name == "t0", "\(what): \(status)")
        #expect(status.underlays.map(\.remote) == [kind.remote], "\(what): \(status)")
        #expect(status.underlays.map(\.interface) == [interface], "\(what): \(status)")
        #expect(try isArriving(lab) == (reason == nil), "\(what): \(status)")
      }
      try expect(nil, over: v0, "the tunnel works")
      #expect(
        monitor.currentStatus(of: Self.target).underlays[0].gateway
          == (kind.isIPv6 ? "fd00:1::fe" : "10.1.0.254"))
      try unplug(lab)
      try expect(.noCarrier, over: v0, "the cable is out")
      try lab.peer.ip("link set p0 up")
      try lab.waitForOperation("v0")
      try expect(nil, over: v0, "the cable is in")
      try lab.host.ip("\(kind.isIPv6 ? "-6 " : "")route del default")
      try expect(.noRoute, over: nil, "no route to the other end")
      try lab.host.ip(route(kind))
      try expect(nil, over: v0, "the route is back")
      let tool = kind.isIPv6 ? "-6 rule" : "rule"
      try lab.host.ip("\(tool) add to \(kind.remote) prohibit")
      try expect(.prohibited, over: nil, "a rule prohibits it")
      try lab.host.ip("\(tool) del to \(kind.remote) prohibit")
      try expect(nil, over: v0, "the rule is gone")
      try lab.host.ip("\(kind.isIPv6 ? "-6 " : "")route add \(kind.remote) dev t0")
      recorder.wait("a loop") { $0[Self.target]?.last?.reason == .tunnelLoop }
      #expect(monitor.currentStatus(of: Self.target).reason == .tunnelLoop)
      #expect(try !isArriving(lab))
      try lab.host.ip("\(kind.isIPv6 ? "-6 " : "")route del \(kind.remote) dev t0")
      try expect(nil, over: v0, "the loop is gone")
      #expect(recorder.problems == [])
    }

    @Test func `the advice on tunnels in each other follows four of them`() throws {
      let lab = try #require(try makeLab())
      // Each tunnel's other end is behind the next tunnel, and the last one's is unreachable.
      for number in 1...5 {
        try lab.host.ip(
          "link add t\(number) type vxlan id \(10 + number) remote 10.77.\(number).1 dstport 4789")
        try lab.host.ip("addr add 10.78.\(number).1/24 dev t\(number)")
        try lab.host.ip("link set t\(number) up")
        try lab.host.ip("route add 10.77.\(number - 1).1 dev t\(number)")
      }
      try lab.host.ip("route add prohibit 10.77.5.1")
      let monitor = try lab.makeMonitor()
      func failure(_ target: ReachabilityTarget) -> ReachabilityExplanation.Step? {
        monitor.currentExplanation(of: target).firstFailure
      }
      let route = "remove it: ip route del prohibit 10.77.5.1/32 table main."
      for number in 1...4 {
        let step = failure(.address(try #require(ReachabilityAddress("10.77.\(number).1"))))
        #expect(step?.kind == .tunnel && step?.advice?.hasSuffix(route) == true, "\(number): \(step as Any)")
      }
      let step = failure(.address("10.77.0.1"))
      #expect(step?.kind == .tunnel && step?.advice == "Explain 10.77.5.1 itself.", "\(step as Any)")
    }

    @Test func `the local address of a tunnel that is not assigned stops it`() throws {
      let lab = try #require(try makeLab())
      let monitor = try lab.makeMonitor()
      try lab.host.ip("addr add 10.1.0.8/25 dev v0")
      try lab.host.ip("addr add 10.1.0.250/24 dev v0")
      try lab.host.writeSysctl("net/ipv4/conf/v0/promote_secondaries", "1")
      try lab.host.ip("addr del 10.1.0.1/24 dev v0")
      try lab.host.ip("route replace default via 10.1.0.254")
      #expect(monitor.currentStatus(of: Self.target).reason == .sourceAddressMissing)
      #expect(try !isArriving(lab))
    }

    @Test func `rules for a mark and for UDP apply to the packets of a tunnel as they do in the kernel`()
      throws
    {
      let lab = try #require(try makeLab())
      let monitor = try lab.makeMonitor()
      for (rule, stops) in [
        ("ipproto udp dport 4789 prohibit", true), ("ipproto udp dport 4790 prohibit", false),
        ("fwmark 5 prohibit", false), ("uidrange 0-0 to 10.77.0.0/16 prohibit", true),
        ("uidrange 4711-4711 prohibit", false), ("from 10.1.0.1 to 10.77.0.0/16 prohibit", true),
      ] {
        try lab.host.ip("rule add pref 5 \(rule)")
        let status = monitor.currentStatus(of: Self.target)
        #expect(status.reason == (stops ? .prohibited : nil), "\(rule): \(status)")
        #expect(try isArriving(lab) == !stops, "\(rule)")
        try lab.host.ip("rule del pref 5 \(rule)")
      }
    }

    @Test func `a tunnel over a tunnel is judged to the ground`() throws {
      let lab = try #require(try makeLab())
      try lab.host.ip("link add t1 type vxlan id 8 remote 10.20.0.9 dstport 4790")
      try lab.host.ip("addr add 10.21.0.1/24 dev t1")
      try lab.host.ip("link set t1 up")
      let monitor = try lab.makeMonitor()
      let target = ReachabilityTarget.address("10.21.0.9")
      let status = monitor.currentStatus(of: target)
      #expect(status.isReachable)
      #expect(status.underlays.map { $0.interface?.name } == ["t0", "v0"])
      #expect(
        status.description.hasSuffix(" over t0 (vxlan tunnel) over v0 (wired) via 10.1.0.254"), "\(status)")
      try unplug(lab)
      #expect(
        monitor.currentStatus(of: target).description
          == "not reachable: no carrier, v0 (wired) below t0 (vxlan tunnel) below t1 (vxlan tunnel)")
      // Each tunnel's other end is behind the other tunnel.
      try lab.peer.ip("link set p0 up")
      try lab.waitForOperation("v0")
      try lab.host.ip("route add 10.77.0.1 dev t1")
      #expect(monitor.currentStatus(of: target).reason == .tunnelLoop)
      #expect(monitor.currentStatus(of: Self.target).reason == .tunnelLoop)
    }

    @Test func `a macvlan over a tunnel is judged by the tunnel`() throws {
      let lab = try #require(try makeLab())
      try lab.host.ip("link add link t0 name m0 type macvlan")
      try lab.host.ip("addr add 10.22.0.1/24 dev m0")
      try lab.host.ip("link set m0 up")
      let monitor = try lab.makeMonitor()
      #expect(monitor.currentStatus(of: .address("10.22.0.9")).underlays.map { $0.interface?.name } == ["v0"])
      try unplug(lab)
      #expect(monitor.currentStatus(of: .address("10.22.0.9")).reason == .noCarrier)
    }

    @Test(
      arguments: [
        "dstport 4789 external", "id 9 group 239.1.1.1 dev v0 dstport 4789", "id 9 dev v0 dstport 4789",
      ])
    func `a tunnel without a fixed remote is not judged`(_ options: String) throws {
      let lab = try Lab(.ipv4Only)
      try lab.host.ip("link add t0 type vxlan \(options)")
      try lab.host.ip("addr add 10.20.0.1/24 dev t0")
      try lab.host.ip("link set t0 up")
      try unplug(lab)
      let status = try lab.makeMonitor().currentStatus(of: Self.target)
      #expect(status.isReachable && status.underlays == [], "\(status)")
    }

    @Test func `a tunnel whose packets leave in another namespace is not judged`() throws {
      let lab = try #require(try makeLab())
      let inner = try NetworkNamespace()
      try lab.host.ip("link set t0 netns \(inner.path)")
      try inner.ip("addr add 10.20.0.1/24 dev t0")
      try inner.ip("link set t0 up")
      let status = try inner.run { try ReachabilityMonitor() }.currentStatus(of: Self.target)
      #expect(status.isReachable && status.underlays == [], "\(status)")
    }

    @Test func `a changed remote is judged anew`() throws {
      let lab = try #require(try makeLab())
      let recorder = Recorder(try lab.makeMonitor(), [Self.target])
      recorder.wait("the initial event") { $0[Self.target]?.last?.isReachable == true }
      try lab.host.ip("route add unreachable 10.78.0.0/16")
      try lab.host.ip("link set t0 type vxlan id 7 local 10.1.0.1 remote 10.78.0.1")
      recorder.wait("the other remote") { $0[Self.target]?.last?.reason == .unreachableRoute }
      try lab.host.ip("route del unreachable 10.78.0.0/16")
      recorder.wait("its route") { $0[Self.target]?.last?.isReachable == true }
      try lab.host.ip("link del t0")
      recorder.wait("no tunnel") { $0[Self.target]?.last?.underlays == [] }
    }

    @Test func `the route to a remote passes the filter of observed routes`() throws {
      let lab = try #require(try makeLab())
      try lab.host.ip("route add 10.77.0.1 via 10.1.0.254")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [Self.target])
      recorder.wait("the initial event") { $0[Self.target]?.count == 1 }
      // Enough unrelated routes that the kernel filters them.
      let lines = (0..<400).map { "route add blackhole 198.18.\($0 / 100).\($0 % 100)/32" }
      for line in lines { try lab.host.ip(line) }
      try lab.host.ip("route change unreachable 10.77.0.1")
      recorder.wait("a route that rejects the other end") { $0[Self.target]?.last?.isReachable == false }
      #expect(monitor.currentStatus(of: Self.target) == recorder.statuses[Self.target]?.last)
    }

    @Test func `a default route over a dead tunnel leaves no satisfied path`() throws {
      let lab = try PathLab(.ipv4Only, defaultRoutes: false) { lab in
        try lab.host.ip("route add 10.77.0.1 via 10.1.0.254")
        try lab.host.ip("link add t0 type vxlan id 7 local 10.1.0.1 remote 10.77.0.1 dstport 4789")
        try lab.host.ip("addr add 10.20.0.1/24 dev t0")
        try lab.host.ip("link set t0 up")
        try lab.host.ip("route add default via 10.20.0.254")
      }
      lab.wait("a satisfied path") { $0.last?.isSatisfied == true }
      let first = try #require(lab.paths.last?.interfaces.first)
      #expect(first.interface.name == "t0")
      #expect(first.underlays.map(\.description) == ["v0 (wired) via 10.1.0.254"])
      try lab.lab.peer.ip("link set p0 down")
      lab.wait("an unsatisfied path") { $0.last?.status == .unsatisfied && $0.last?.reason == .noCarrier }
      let unusable = lab.paths.last?.unusableInterfaces.first { $0.interface.name == "t0" }
      #expect(unusable?.underlays.map { $0.interface?.name } == ["v0"])
      try lab.lab.peer.ip("link set p0 up")
      lab.wait("a satisfied path again") { $0.last?.isSatisfied == true }
      try lab.lab.host.ip("route del 10.77.0.1")
      lab.wait("a loop") { $0.last?.reason == .tunnelLoop }
    }

    @Test func `an explanation follows a tunnel to what stops it`() throws {
      let lab = try #require(try makeLab())
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      #expect(all.step(.tunnel, of: Self.target)?.fact == "10.77.0.1 over v0 (wired) via 10.1.0.254")
      try unplug(lab)
      all.expect(
        Self.target, failsAt: .tunnel, "10.77.0.1 over v0 (wired): no carrier", reason: .noCarrier)
      let step = all.explain(Self.target).firstFailure
      #expect(step?.problem == "The tunnel t0 cannot send to its other end, 10.77.0.1: no carrier on v0.")
      #expect(step?.advice == "Bring up the other end of v0, or the link below it.")
      // The tunnel's own link is not to blame.
      #expect(all.step(.interface, of: Self.target)?.verdict == .passed)
      try lab.peer.ip("link set p0 up")
      try lab.waitForOperation("v0")
      try lab.host.ip("route add 10.77.0.1 dev t0")
      all.expect(
        Self.target, failsAt: .tunnel,
        "10.77.0.1 over t0 (vxlan tunnel): the tunnel's own packets enter it again", reason: .tunnelLoop)
      let advice = try #require(all.explain(Self.target).firstFailure?.advice)
      let command = String(try #require(try /: ip (.+)\.$/.firstMatch(in: advice)).1)
      try lab.host.ip(
        command.replacing("GATEWAY", with: "10.1.0.254").replacing("INTERFACE", with: "v0"))
      #expect(all.step(.tunnel, of: Self.target)?.fact == "10.77.0.1 over v0 (wired) via 10.1.0.254")
    }
  }
}
#endif
