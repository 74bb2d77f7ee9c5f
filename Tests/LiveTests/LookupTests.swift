// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import Netlink
import POSIX
import ReachabilityKit
import Testing

extension LiveTests {
  /// Each kind of answer to a kernel lookup, and the status that it stands for.
  @Suite("Every answer of the kernel")
  struct LookupTests {
    /// Compares the present statuses with the expected ones, target by target.
    private func expect(_ lab: Lab, _ expected: [(ReachabilityTarget, ReachabilityStatus)]) throws {
      let monitor = try lab.makeMonitor()
      for (target, status) in expected { #expect(monitor.currentStatus(of: target) == status, "\(target)") }
    }

    private let noRoute = ReachabilityStatus.notReachable(.noRoute)

    private func target(_ text: String, from source: ReachabilityAddress? = nil, over name: String? = nil)
      throws
      -> ReachabilityTarget
    {
      var target = try ReachabilityTarget(text)
      target.source = source
      if let name { target.interface = .name(name) }
      return target
    }

    /// `v0` is up, `v2` is up without a carrier, `v4` is down; no default routes.
    private func labWithDeadLinks() throws -> Lab {
      let lab = try Lab(defaultRoutes: false)
      for (name, number) in [("v2", 2), ("v4", 3)] {
        try lab.addCable(name, far: "p\(number)")
        try lab.host.writeSysctl("net/ipv6/conf/\(name)/accept_dad", "0")
        try lab.host.writeSysctl("net/ipv6/conf/\(name)/keep_addr_on_down", "1")
        try lab.host.ip("addr add 10.\(number).0.1/24 dev \(name)")
        try lab.host.ip("addr add fd00:\(number)::1/64 dev \(name) nodad")
      }
      try lab.host.ip("link set v2 up")
      try lab.host.ip("link set v4 up")
      try lab.host.ip("link set v4 down")
      return lab
    }

    private func addDefaultRoutes(_ lab: Lab) throws {
      try lab.host.ip("route add default via 10.1.0.254")
      try lab.host.ip("-6 route add default via fd00:1::fe")
    }

    @Test func `nothing is reachable while the loopback interface is down`() throws {
      let host = try NetworkNamespace()
      defer { host.close() }
      let monitor = try host.run { try ReachabilityMonitor() }
      for text in ["8.8.8.8", "224.0.0.251", "255.255.255.255", "2001:db8::1", "default"] {
        #expect(monitor.currentStatus(of: try ReachabilityTarget(text)) == noRoute, "\(text)")
      }
      let lo = ReachabilityInterface(name: "lo", index: 1, kind: .loopback)
      for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "localhost"] {
        let recorder = Recorder(monitor, [try ReachabilityTarget(text)])
        recorder.wait("\(text)") { $0[try! ReachabilityTarget(text)]?.last?.reason == .interfaceDown }
        #expect(recorder.problems == [])
      }
      #expect(
        monitor.currentStatus(of: try ReachabilityTarget("127.0.0.1"))
          == .notReachable(.interfaceDown, over: lo))
    }

    @Test func `the loopback interface reaches this machine only`() throws {
      let host = try NetworkNamespace()
      defer { host.close() }
      try host.raiseLoopback()
      let monitor = try host.run { try ReachabilityMonitor() }
      let lo = ReachabilityInterface(name: "lo", index: 1, kind: .loopback)
      #expect(monitor.currentStatus(of: try ReachabilityTarget("127.0.0.1")) == .local("127.0.0.1", lo))
      #expect(monitor.currentStatus(of: try ReachabilityTarget("127.9.9.9")) == .local("127.0.0.1", lo))
      #expect(monitor.currentStatus(of: try ReachabilityTarget("::1")) == .local("::1", lo))
      #expect(
        monitor.currentStatus(of: try ReachabilityTarget("::ffff:127.0.0.1")) == .local("127.0.0.1", lo))
      for text in [
        "8.8.8.8", "169.254.1.1", "224.0.0.251", "2001:db8::1", "ff0e::1", "::ffff:8.8.8.8", "default",
      ] {
        #expect(monitor.currentStatus(of: try ReachabilityTarget(text)) == noRoute, "\(text)")
      }
    }

    @Test func `links without a carrier and links that are down are distinguished`() throws {
      let lab = try labWithDeadLinks()
      let v0 = try lab.interface("v0")
      let v2 = try lab.interface("v2")
      let v4 = try lab.interface("v4")
      let dead = ReachabilityStatus.notReachable(.noCarrier, over: v2)
      let down = ReachabilityStatus.notReachable(.interfaceDown, over: v4)
      try expect(
        lab,
        [
          (try target("10.1.0.1"), .local("10.1.0.1", v0)),
          (try target("10.1.0.2"), .direct(from: "10.1.0.1", v0)),
          (try target("10.1.0.0"), .direct(from: "10.1.0.1", v0)),
          (try target("10.1.0.255"), .direct(from: "10.1.0.1", v0)),
          (try target("::ffff:10.1.0.2"), .direct(from: "10.1.0.1", v0)),
          (try target("255.255.255.255"), noRoute),
          (try target("8.8.8.8"), noRoute),
          (try target("240.0.0.1"), noRoute),
          (try target("0.1.2.3"), noRoute),
          (try target("224.0.0.251"), noRoute),
          (try target("224.0.0.251", over: "v0"), .direct(from: "10.1.0.1", v0)),
          (try target("default"), noRoute),
          (try target("8.8.8.8", over: "v0"), noRoute),
          (try target("8.8.8.8", over: "v2"), dead),
          (try target("8.8.8.8", over: "v4"), down),
          (try target("8.8.8.8", over: "v9"), .notReachable(.interfaceNotFound)),
          (try target("10.2.0.1"), .local("10.2.0.1", v2)),
          (try target("10.2.0.5"), dead),
          (try target("10.2.0.255"), dead),
          (try target("10.3.0.1"), .local("10.3.0.1", v4)),
          (try target("10.3.0.5"), down),
          (try target("fd00:1::1"), .local("fd00:1::1", v0)),
          (try target("fd00:1::2"), .direct(from: "fd00:1::1", v0)),
          (try target("2001:db8::1"), noRoute),
          (try target("ff0e::1"), .direct(from: "fd00:1::1", v0)),
          (try target("fe80::5"), .notReachable(.zoneMissing)),
          (try target("ff02::fb"), .notReachable(.zoneMissing)),
          (try target("fe80::5%v2"), dead),
          (try target("fe80::5%v4"), down),
          (try target("fe80::5%v9"), .notReachable(.interfaceNotFound)),
          (try target("2001:db8::1", over: "v0"), noRoute),
          (try target("fd00:2::5"), dead),
        ])
    }

    @Test func `a zone is an interface name or an index`() throws {
      let lab = try Lab()
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      for text in ["fe80::5%v0", "fe80::5%\(v0.index)", "ff02::fb%v0"] {
        var status = monitor.currentStatus(of: try ReachabilityTarget(text))
        // The kernel generates a different source address for each link.
        #expect(status.source != nil)
        status.source = nil
        #expect(
          status == ReachabilityStatus(.reachable, flags: [.reachable, .isDirect], interface: v0), "\(text)")
      }
    }

    @Test func `dead routes that the kernel ignores do not count`() throws {
      let lab = try labWithDeadLinks()
      let v2 = try lab.interface("v2")
      try lab.host.ip("route add 10.22.0.0/16 via 10.2.0.9")
      let dead = ReachabilityStatus.notReachable(.noCarrier, over: v2)
      try expect(lab, [(try target("10.22.1.1"), dead), (try target("10.2.0.5"), dead)])
      try lab.host.writeSysctl("net/ipv4/conf/v2/ignore_routes_with_linkdown", "1")
      try expect(
        lab,
        [
          (try target("10.22.1.1"), noRoute),
          // The link that owns the prefix has the reason.
          (try target("10.2.0.5"), dead),
          (try target("10.2.0.1"), .local("10.2.0.1", v2)),
        ])
    }

    @Test func `default routes and every special route type have a status`() throws {
      let lab = try labWithDeadLinks()
      try addDefaultRoutes(lab)
      for family in ["", "-6 "] {
        for (number, kind) in ["blackhole", "unreachable", "prohibit", "throw"].enumerated() {
          let prefix = family.isEmpty ? "10.66.\(number + 1).0/24" : "fd00:66:\(number + 1)::/48"
          try lab.host.ip("\(family)route add \(kind) \(prefix)")
        }
      }
      let v0 = try lab.interface("v0")
      let by4 = ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", v0)
      let by6 = ReachabilityStatus.via("fd00:1::fe", from: "fd00:1::1", v0)
      let anyone4 = ReachabilityStatus.direct(from: "10.1.0.1", v0)
      let dead = ReachabilityStatus.notReachable(.noCarrier, over: try lab.interface("v2"))
      try expect(
        lab,
        [
          (try target("8.8.8.8"), by4), (try target("169.254.1.1"), by4), (try target("240.0.0.1"), by4),
          (try target("default"), by4), (try target("0.0.0.0"), by4), (try target("::"), by4),
          (try target("::ffff:8.8.8.8"), by4),
          // The lookup for a packet returns no gateway, although the matching route has one.
          (try target("255.255.255.255"), anyone4), (try target("224.0.0.251"), anyone4),
          (try target("239.1.2.3"), anyone4),
          (try target("10.3.0.5"), by4),
          (try target("10.66.1.1"), .notReachable(.blackhole)),
          (try target("10.66.2.1"), .notReachable(.unreachableRoute)),
          (try target("10.66.3.1"), .notReachable(.prohibited)),
          (try target("10.66.4.1"), noRoute),
          (try target("10.1.0.254"), .direct(from: "10.1.0.1", v0)),
          (try target("10.2.0.5"), dead),
          (try target("8.8.8.8", over: "v0"), by4),
          (try target("8.8.8.8", over: "v2"), dead),
          (try target("2001:db8::1"), by6), (try target("64:ff9b::808:808"), by6),
          (try target("fd00:66:1::1"), .notReachable(.blackhole)),
          (try target("fd00:66:2::1"), .notReachable(.unreachableRoute)),
          (try target("fd00:66:3::1"), .notReachable(.prohibited)),
          (try target("fd00:66:4::1"), noRoute),
          (try target("2001:db8::1", over: "v2"), dead),
        ])
    }

    @Test func `source addresses, marks and policy rules select the route`() throws {
      let lab = try labWithDeadLinks()
      try addDefaultRoutes(lab)
      try lab.host.ip("addr add 10.1.0.50/24 dev v0")
      try lab.host.ip("addr add fd00:1::50/64 dev v0 nodad")
      for (family, source, gateway, prefix) in [
        ("", "10.1.0.50", "10.1.0.253", "10.77.%.0/24"),
        ("-6 ", "fd00:1::50", "fd00:1::fd", "fd00:77:%::/48"),
      ] {
        try lab.host.ip("\(family)route add default via \(gateway) table 100")
        try lab.host.ip("\(family)rule add from \(source) lookup 100")
        try lab.host.ip("\(family)rule add fwmark 0x42 lookup 100")
        for (number, action) in ["blackhole", "unreachable", "prohibit"].enumerated() {
          let destination = prefix.split(separator: "%").joined(separator: "\(number + 1)")
          try lab.host.ip("\(family)rule add to \(destination) \(action)")
        }
      }
      let v0 = try lab.interface("v0")
      var marked4 = try target("8.8.8.8")
      marked4.mark = 0x42
      var marked6 = try target("2001:db8::1")
      marked6.mark = 0x42
      var markedDefault = ReachabilityTarget.defaultRoute
      markedDefault.mark = 0x42
      let monitor = try lab.makeMonitor()
      let source6 = try #require(monitor.currentStatus(of: try target("2001:db8::1")).source)
      let missing = ReachabilityStatus.notReachable(.sourceAddressMissing)
      try expect(
        lab,
        [
          (try target("8.8.8.8"), .via("10.1.0.254", from: "10.1.0.1", v0)),
          (try target("8.8.8.8", from: "10.1.0.50"), .via("10.1.0.253", from: "10.1.0.50", v0)),
          (try target("8.8.8.8", from: "10.1.0.1"), .via("10.1.0.254", from: "10.1.0.1", v0)),
          (try target("8.8.8.8", from: "10.2.0.1"), .via("10.1.0.254", from: "10.2.0.1", v0)),
          (try target("8.8.8.8", from: "10.3.0.1"), .via("10.1.0.254", from: "10.3.0.1", v0)),
          (try target("8.8.8.8", from: "9.9.9.9"), missing),
          (try target("8.8.8.8", from: "127.0.0.1"), missing),
          (try target("8.8.8.8", from: "fd00:1::1"), missing),
          (try target("default", from: "10.1.0.50"), .via("10.1.0.253", from: "10.1.0.50", v0)),
          (try target("default", from: "9.9.9.9"), missing),
          (try target("default", from: "fd00:1::50"), .via("fd00:1::fd", from: "fd00:1::50", v0)),
          (marked4, .via("10.1.0.253", from: "10.1.0.1", v0)),
          (marked6, .via("fd00:1::fd", from: source6, v0)),
          (markedDefault, .via("10.1.0.253", from: "10.1.0.1", v0)),
          (try target("10.77.1.1"), .notReachable(.blackhole)),
          (try target("10.77.2.1"), noRoute),
          (try target("10.77.3.1"), .notReachable(.prohibited)),
          (try target("2001:db8::1", from: "fd00:1::50"), .via("fd00:1::fd", from: "fd00:1::50", v0)),
          (try target("2001:db8::1", from: "fd00:1::1"), .via("fd00:1::fe", from: "fd00:1::1", v0)),
          // The kernel's lookup accepts this one.
          (try target("2001:db8::1", from: "2001:db8:9::9"), missing),
          (try target("fd00:77:1::1"), .notReachable(.blackhole)),
          (try target("fd00:77:2::1"), noRoute),
          (try target("fd00:77:3::1"), .notReachable(.prohibited)),
        ])
    }

    @Test func `policy rules match the caller's user`() throws {
      let lab = try Lab()
      try lab.host.ip("route add default via 10.1.0.253 table 100")
      // Every test runs as the user 0 of its user namespace.
      try lab.host.ip("rule add uidrange 0-0 lookup 100")
      let v0 = try lab.interface("v0")
      try expect(lab, [(try target("8.8.8.8"), .via("10.1.0.253", from: "10.1.0.1", v0))])
    }

    @Test func `multipath, next-hop objects and IPv6 gateways have a status`() throws {
      let lab = try labWithDeadLinks()
      try lab.host.ip("route add 10.88.0.0/16 nexthop via 10.1.0.10 weight 1 nexthop via 10.2.0.11 weight 2")
      try lab.host.ip("nexthop add id 5 via 10.1.0.20 dev v0")
      try lab.host.ip("nexthop add id 6 blackhole")
      try lab.host.ip("nexthop add id 7 via 10.1.0.21 dev v0")
      try lab.host.ip("nexthop add id 8 group 5/7")
      try lab.host.ip("nexthop add id 15 via fd00:1::20 dev v0")
      try lab.host.ip("route add 10.89.0.0/16 nhid 5")
      try lab.host.ip("route add 10.89.6.0/24 nhid 6")
      try lab.host.ip("route add 10.89.8.0/24 nhid 8")
      try lab.host.ip("-6 route add fd00:89::/32 nhid 15")
      try lab.host.ip("route add 10.90.0.0/16 via inet6 fe80::99 dev v0")
      try lab.host.ip("route add 10.93.0.0/16 via 10.94.0.1 dev v0 onlink")
      try lab.host.ip("route add 10.95.0.0/16 via 10.1.0.30 mtu 1400")
      try lab.host.ip("-6 route add fd00:88::/32 nexthop via fd00:1::10 dev v0 nexthop via fd00:2::11 dev v2")
      let v0 = try lab.interface("v0")
      func by(_ gateway: ReachabilityAddress) -> ReachabilityStatus { .via(gateway, from: "10.1.0.1", v0) }
      try expect(
        lab,
        [
          (try target("10.89.1.1"), by("10.1.0.20")),
          (try target("10.89.6.1"), .notReachable(.blackhole)),
          (try target("10.90.1.1"), by("fe80::99")),
          (try target("10.93.0.1"), by("10.94.0.1")),
          (try target("10.95.0.1"), by("10.1.0.30")),
          (try target("fd00:89::1"), .via("fd00:1::20", from: "fd00:1::1", v0)),
        ])
      let monitor = try lab.makeMonitor()
      // The kernel chooses the next hop by the address; one of the two is dead.
      let v2 = try lab.interface("v2")
      for text in (1...32).flatMap({ ["10.88.1.\($0)", "fd00:88::\($0)"] }) {
        let address = try target(text)
        var status = monitor.currentStatus(of: address)
        status.source = nil
        let gateway: ReachabilityAddress = text.contains(":") ? "fd00:1::10" : "10.1.0.10"
        #expect(
          status == .via(gateway, from: nil, v0) || status == .notReachable(.noCarrier, over: v2), "\(text)")
      }
      let group = monitor.currentStatus(of: try target("10.89.8.1"))
      #expect([by("10.1.0.20"), by("10.1.0.21")].contains(group))

      try lab.host.writeSysctl("net/ipv4/nexthop_compat_mode", "0")
      try expect(lab, [(try target("10.89.1.1"), by("10.1.0.20"))])
    }

    @Test func `a multipath route with only dead links has no carrier`() throws {
      let lab = try labWithDeadLinks()
      try lab.host.ip("route add 10.88.0.0/16 nexthop via 10.1.0.10 nexthop via 10.2.0.11")
      try lab.peer.ip("link set p0 down")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [.address("10.1.0.2")])
      let v0 = try lab.interface("v0")
      recorder.wait("the lost carrier") {
        $0[.address("10.1.0.2")]?.last == .notReachable(.noCarrier, over: v0)
      }
      for last in 1...8 {
        #expect(monitor.currentStatus(of: try target("10.88.1.\(last)")).reason == .noCarrier)
      }
    }

    @Test func `a VPN's two half routes are a default route`() throws {
      let lab = try Lab(defaultRoutes: false)
      let v0 = try lab.interface("v0")
      for half in ["0.0.0.0/1", "128.0.0.0/1"] { try lab.host.ip("route add \(half) via 10.1.0.254") }
      try expect(lab, [(.defaultRoute, .via("10.1.0.254", from: "10.1.0.1", v0))])
      for half in ["0.0.0.0/1", "128.0.0.0/1"] { try lab.host.ip("route del \(half)") }
      try lab.host.ip("-6 route add 2000::/3 via fd00:1::fe")
      try expect(lab, [(.defaultRoute, .via("fd00:1::fe", from: "fd00:1::1", v0))])
    }

    @Test func `discarded bogons do not affect the default route`() throws {
      let lab = try Lab(.ipv4Only)
      let v0 = try lab.interface("v0")
      try lab.host.ip("route add blackhole 0.0.0.0/8")
      try expect(lab, [(.defaultRoute, .via("10.1.0.254", from: "10.1.0.1", v0))])
      try lab.host.ip("route add blackhole 240.0.0.0/4")
      try expect(lab, [(.defaultRoute, .via("10.1.0.254", from: "10.1.0.1", v0))])
      try lab.host.ip("route del default")
      try expect(lab, [(.defaultRoute, noRoute)])
      try lab.host.ip("route add blackhole default")
      try expect(lab, [(.defaultRoute, .notReachable(.blackhole))])
    }

    @Test func `a worse route that would work does not replace the kernel's choice`() throws {
      let lab = try labWithDeadLinks()
      try lab.host.ip("route add default via 10.2.0.9 metric 10")
      try lab.host.ip("route add default via 10.1.0.254 metric 20")
      let dead = ReachabilityStatus.notReachable(.noCarrier, over: try lab.interface("v2"))
      try expect(lab, [(try target("8.8.8.8"), dead), (.defaultRoute, dead)])
    }

    @Test func `nothing is reachable without a source address`() throws {
      let lab = try Lab(defaultRoutes: false)
      let v0 = try lab.interface("v0")
      try lab.host.ip("addr flush dev v0 scope global")
      try lab.host.ip("route add default dev v0")
      let missing = ReachabilityStatus.notReachable(.sourceAddressMissing, over: v0)
      try expect(lab, [(try target("8.8.8.8"), missing), (try target("8.8.8.8", over: "v0"), missing)])

      // Tentative addresses cannot be sources.
      try lab.host.writeSysctl("net/ipv6/conf/v0/accept_dad", "1")
      try lab.host.writeSysctl("net/ipv6/conf/v0/dad_transmits", "100")
      try lab.host.writeSysctl("net/ipv6/conf/v0/addr_gen_mode", "1")
      try lab.host.ip("-6 addr flush dev v0")
      try lab.host.ip("-6 route add default via fe80::1 dev v0")
      try lab.host.ip("-6 addr add fe80::77/64 dev v0")
      try expect(lab, [(try target("2001:db8::1"), missing), (try target("fe80::9%v0"), missing)])
    }

    // The default route's evaluation relies on it, and asks for no entry where packets have no route.
    @Test func `where packets have no route, the lookup of the entry ends with the same error`() throws {
      let lab = try labWithDeadLinks()
      let tables = ["blackhole": 21, "unreachable": 22, "prohibit": 23, "throw": 24]
      for (kind, table) in tables {
        try lab.host.ip("route add \(kind) 10.20.0.0/16 table \(table)")
        try lab.host.ip("-6 route add \(kind) fd00:20::/64 table \(table)")
      }
      for (kind, number) in zip(["blackhole", "unreachable", "prohibit"], 31...) {
        try lab.host.ip("rule add to 10.\(number).0.0/16 \(kind)")
        try lab.host.ip("-6 rule add to fd00:\(number)::/64 \(kind)")
      }
      try lab.host.ip("route add default via 10.2.0.9 table 77")
      try lab.host.ip("rule add from 10.1.0.1 lookup 77")
      var client = RouteClient(over: try lab.host.run { try KernelTransport() })
      let interfaces: [Int32?] =
        try [nil, lab.interface("v0"), lab.interface("v2"), lab.interface("v4")]
        .map { $0.map { Int32($0.index) } } + [9_999]
      var refused: [Errno: Int] = [:]
      for table in [20] + tables.values.sorted() {
        try lab.host.ip("rule add pref 5 lookup \(table)")
        try lab.host.ip("-6 rule add pref 5 lookup \(table)")
        let destinations = [
          "0.0.0.1", "240.0.0.1", "10.1.0.9", "10.2.0.9", "10.3.0.9", "10.20.0.9", "10.31.0.9", "10.32.0.9",
          "10.33.0.9", "255.255.255.255", "224.0.0.251", "2000::", "100::1", "fd00:1::9", "fd00:2::9",
          "fd00:3::9", "fd00:20::9", "fd00:31::9", "fd00:32::9", "fd00:33::9", "fe80::9", "ff02::1",
        ].compactMap { ReachabilityAddress($0) }
        let sources = ["10.1.0.1", "10.7.0.1", "127.0.0.1", "fd00:1::1", "fd00:7::1"].compactMap {
          ReachabilityAddress($0)
        }
        for destination in destinations {
          for source in [nil] + sources where source.map({ $0.bitWidth == destination.bitWidth }) ?? true {
            for interface in interfaces {
              let question = RouteRequest(destination, source: source, interface: interface)
              var entry = question
              entry.form = .entry
              var answers: [Result<RouteMessage, Errno>] = []
              let questions = [question, entry]
              try client.lookUp(2, request: { questions[$0] }) { _, bytes, message throws(DecodingError) in
                answers.append(try message.lookup(of: bytes))
              }
              guard case .failure(let error) = answers[0] else { continue }
              refused[error, default: 0] += 1
              #expect(answers[1] == .failure(error), "table \(table): \(question)")
            }
          }
        }
        try lab.host.ip("rule del pref 5")
        try lab.host.ip("-6 rule del pref 5")
      }
      #expect(refused.count >= 5 && refused.values.allSatisfy { $0 > 3 }, "\(refused)")
    }

    @Test func `a tunnel device without a program has no carrier`() throws {
      let lab = try Lab(defaultRoutes: false)
      guard try lab.host.shell("ip tuntap add tun0 mode tun").status == 0 else {
        print("skipped: this kernel has no tunnel devices")
        return
      }
      try lab.host.ip("addr add 10.92.0.1 peer 10.92.0.2 dev tun0")
      try lab.host.ip("link set tun0 up")
      try lab.host.ip("route add 10.91.0.0/16 dev tun0")
      let tun0 = try lab.interface("tun0", kind: .other, isTunnel: true, linkType: "tun")
      let dead = ReachabilityStatus.notReachable(.noCarrier, over: tun0)
      try expect(lab, [(try target("10.91.1.1"), dead), (try target("10.92.0.2"), dead)])
    }

    @Test func `a link recreated under another index is found by its name`() throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      let near = ReachabilityTarget(.address("10.7.0.2"), interface: .name("v7"))
      let recorder = Recorder(monitor, [near])
      recorder.wait("the missing interface") { $0[near]?.last == .notReachable(.interfaceNotFound) }
      for round in 1...2 {
        try lab.addCable("v7", far: "p7")
        try lab.peer.ip("link set p7 up")
        try lab.host.ip("addr add 10.7.0.1/24 dev v7")
        try lab.host.ip("link set v7 up")
        let v7 = try lab.interface("v7")
        recorder.wait("the interface, round \(round)") { $0[near]?.last == .direct(from: "10.7.0.1", v7) }
        try lab.host.ip("link del v7")
        recorder.wait("its end, round \(round)") { $0[near]?.last == .notReachable(.interfaceNotFound) }
      }
      #expect(recorder.problems == [])
    }
  }
}
#endif
