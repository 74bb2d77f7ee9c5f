// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import InternetProtocol
import LiveSupport
import Netlink
import NetlinkSupport
import ReachabilityKit
import RequirementSupport
import Synchronization
import Testing

/// The kernel chooses between equal next hops by the states of their neighbour entries, and announces no route.
extension LiveTests {
  @Suite("Neighbours")
  struct NeighbourTests {
    private static let far = ReachabilityTarget.address("10.66.0.1")
    private static let far6 = ReachabilityTarget.address("fd00:66::1")

    /// Two uplinks: `v0` to `p0` and `w0` to `q0`, each with a router at the far end that answers.
    private func makeLab() throws -> Lab {
      let lab = try Lab(defaultRoutes: false)
      try lab.addCable("w0", far: "q0")
      try lab.host.writeSysctl("net/ipv6/conf/w0/accept_dad", "0")
      try lab.host.ip("addr add 10.2.0.1/24 dev w0")
      try lab.host.ip("addr add fd00:2::1/64 dev w0 nodad")
      for (end, number) in [("p0", 1), ("q0", 2)] {
        try lab.peer.writeSysctl("net/ipv6/conf/\(end)/accept_dad", "0")
        // A neighbour that does not forward is no router, and loses its route.
        try lab.peer.writeSysctl("net/ipv6/conf/\(end)/forwarding", "1")
        try lab.peer.ip("addr add 10.\(number).0.254/24 dev \(end)")
        try lab.peer.ip("addr add fd00:\(number)::fe/64 dev \(end) nodad")
        try lab.peer.ip("link set \(end) up")
      }
      try lab.host.ip("link set w0 up")
      try lab.waitForOperation("w0")
      lab.waitForLocalRoute("fd00:2::1")
      // A silent neighbour fails within two seconds, instead of up to a minute.
      let times = [
        ("retrans", "_time_ms", 100), ("base_reachable", "_time_ms", 400), ("delay_first_probe", "_time", 1),
      ]
      for link in ["v0", "w0"] {
        for family in ["ipv4", "ipv6"] {
          for (name, unit, value) in times {
            try lab.host.writeSysctl("net/\(family)/neigh/\(link)/\(name)\(unit)", String(value))
          }
        }
      }
      return lab
    }

    /// Makes the router at the end of a cable fall silent; the cable keeps its carrier.
    private func silence(_ lab: Lab, _ end: String) throws {
      try lab.peer.ip("link set \(end) address 02:00:00:00:00:99")
      try lab.peer.ip("link set \(end) arp off")
      try lab.peer.ip("addr flush dev \(end)")
    }

    /// Sends a datagram to each target every few milliseconds, until a status arrives; returns whether one did in time.
    ///
    /// While a router is unconfirmed, the kernel takes turns, and the next status may name the other one again.
    private func send(_ lab: Lab, until isDone: () -> Bool) -> Bool {
      let deadline = ContinuousClock.now.advanced(by: .seconds(15))
      while ContinuousClock.now < deadline {
        if isDone() { return true }
        for target in [Self.far, Self.far6] {
          guard case .address(let address) = target.destination else { continue }
          _ = try? lab.deliver(1, to: address, countedAt: [])
        }
      }
      return isDone()
    }

    private func isConfirmed(_ lab: Lab, _ link: String) -> Bool {
      (try? lab.host.ip("neigh show dev \(link) nud reachable"))?.contains("lladdr") == true
    }

    private func expectTakeover(
      _ lab: Lab, of target: ReachabilityTarget, sourceLocation: SourceLocation = #_sourceLocation,
      by event: (Lab) throws -> Void
    ) throws {
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [target])
      recorder.wait("the initial event") { $0[target]?.count == 1 }
      let isFirst = send(lab) {
        recorder.statuses[target]?.last?.interface?.name == "v0" && isConfirmed(lab, "v0")
      }
      func trace() -> String {
        let kernel = try? lab.host.sh(
          "ip neigh; ip route show table all; ip route get 10.66.0.1; ip route get fd00:66::1; true")
        return "\(recorder.statuses[target] ?? [])\n\(kernel ?? "")"
      }
      #expect(isFirst, "\(trace())", sourceLocation: sourceLocation)
      try event(lab)
      let isSecond = send(lab) {
        recorder.statuses[target]?.last?.isReachable == true
          && recorder.statuses[target]?.last?.interface?.name == "w0"
      }
      #expect(isSecond, "\(trace())", sourceLocation: sourceLocation)
      #expect(recorder.problems == [], sourceLocation: sourceLocation)
    }

    @Test func `the second of two equal IPv4 defaults takes over from a silent router`() throws {
      let lab = try makeLab()
      try lab.host.ip("route add default via 10.1.0.254 metric 100")
      try lab.host.ip("route append default via 10.2.0.254 metric 100")
      try expectTakeover(lab, of: Self.far) { try silence($0, "p0") }
    }

    @Test func `the second of two equal IPv4 defaults takes over from a lost carrier`() throws {
      let lab = try makeLab()
      try lab.host.ip("route add default via 10.1.0.254 metric 100")
      try lab.host.ip("route append default via 10.2.0.254 metric 100")
      try expectTakeover(lab, of: Self.far) { try $0.peer.ip("link set p0 down") }
    }

    @Test func `a next hop with a failed neighbour leaves a multipath route`() throws {
      let lab = try makeLab()
      try lab.host.writeSysctl("net/ipv4/fib_multipath_use_neigh", "1")
      try lab.host.ip("route add 10.66.0.0/16 nexthop via 10.1.0.254 weight 255 nexthop via 10.2.0.254")
      try expectTakeover(lab, of: Self.far) { try silence($0, "p0") }
    }

    /// The kernel announces that a resolution has failed, but not that it begins, which decides.
    @Test func `a next hop that is resolved anew leaves a multipath route`() throws {
      let lab = try makeLab()
      try lab.host.writeSysctl("net/ipv4/fib_multipath_use_neigh", "1")
      try lab.host.ip("route add 10.66.0.0/16 nexthop via 10.1.0.254 weight 255 nexthop via 10.2.0.254")
      try expectTakeover(lab, of: Self.far) {
        try silence($0, "p0")
        try $0.host.writeSysctl("net/ipv4/neigh/v0/retrans_time_ms", "100000")
        try $0.host.ip("neigh del 10.1.0.254 dev v0")
      }
    }

    @Test(arguments: [true, false])
    func `the second of two IPv6 routers takes over`(isSilent: Bool) throws {
      let lab = try makeLab()
      // As two advertisements would: two routes of equal metric that are no multipath route.
      for (end, link) in [("p0", "v0"), ("q0", "w0")] { try lab.advertiseRouter(at: end, to: link) }
      try expectTakeover(lab, of: Self.far6) {
        if isSilent { try silence($0, "p0") } else { try $0.peer.ip("link set p0 down") }
      }
    }

    @Test func `the path follows the router that answers`() throws {
      let lab = try makeLab()
      try lab.host.ip("route add default via 10.1.0.254 metric 100")
      try lab.host.ip("route append default via 10.2.0.254 metric 100")
      let monitor = try lab.makeMonitor()
      let gateways = Mutex<[ReachabilityAddress?]>([])
      let observation = monitor.observePath(on: .global()) { path in
        gateways.withLock { $0.append(path.gateways.first) }
      }
      defer { observation.cancel() }
      func expect(_ router: ReachabilityAddress, _ isDone: () -> Bool) throws {
        let isNamed = send(lab) { gateways.withLock { $0.last } == router && isDone() }
        let kernel = try lab.host.sh("ip neigh; ip route get 10.66.0.1")
        #expect(isNamed, "\(gateways.withLock(\.self))\n\(kernel)")
      }
      try expect("10.1.0.254") { isConfirmed(lab, "v0") }
      try silence(lab, "p0")
      // Only now the kernel's choice is final.
      try expect("10.2.0.254") {
        (try? lab.host.ip("neigh show 10.1.0.254 nud failed"))?.isEmpty == false
      }
    }

    // Nothing else changes a network meanwhile, for the fraction of a second that the entry takes to fail.
    @Test(.needsKernelLock)
    func `the path follows while another program holds the kernel's lock`() throws {
      let lab = try makeLab()
      try silence(lab, "p0")
      try lab.host.ip("route add default via 10.1.0.254 metric 100")
      try lab.host.ip("route append default via 10.2.0.254 metric 100")
      let monitor = try lab.makeMonitor()
      let gateways = Mutex<[[ReachabilityAddress?]]>([[], []])
      let delivery = DispatchSemaphore(value: 0)
      // Once the second observer has its path, the monitor knows the other default route.
      let observations = (0..<2).map { number in
        let observation = monitor.observePath(on: .global()) { path in
          gateways.withLock { $0[number].append(path.gateways.first) }
          delivery.signal()
        }
        _ = delivery.wait(timeout: .now() + .seconds(15))
        return observation
      }
      defer { for observation in observations { observation.cancel() } }
      #expect(gateways.withLock(\.self) == [["10.1.0.254"], ["10.1.0.254"]])
      let isNamed = Faults.holdingKernelLock {
        send(lab) { gateways.withLock { $0.allSatisfy { $0.last == "10.2.0.254" } } }
      }
      #expect(isNamed == true, "\(gateways.withLock(\.self))")
    }

    @Test func `the announcement of a route says that it has replaced another one`() throws {
      let lab = try makeLab()
      let channel = try lab.host.run { try KernelTransport() }
      var subscription = RouteSubscription(over: channel)
      try subscription.setMembership([.ipv4Routes], joined: true)
      for change in ["add", "replace", "append", "change"].enumerated() {
        try lab.host.ip("route \(change.element) default via 10.1.0.\(250 + change.offset)")
      }
      var replacements: [Bool] = []
      _ = try subscription.drain(limit: 100) { event in
        if case .route(let route)? = event { replacements.append(route.isReplacement) }
      }
      #expect(replacements == [false, true, false, true])
    }

    @Test func `unrelated neighbours reach no observer's socket`() throws {
      let lab = try Lab()
      let channel = try lab.host.run { try KernelTransport() }
      var subscription = RouteSubscription(over: channel)
      let isWatched = subscription.watchNeighbours(["10.1.0.254", "fd00:1::fe"])
      #expect(isWatched)
      let batch = try CommandBatch(in: lab.host)
      let unrelated = (0..<10_000).map {
        "neigh replace 10.1.\($0 / 250 % 40).\($0 % 250) lladdr 02:00:00:00:00:01 dev v0"
      }
      let related = ["10.1.0.254", "fd00:1::fe"].map { "neigh replace \($0) lladdr 02:00:00:00:00:02 dev v0" }
      let outcomes = try batch.run(unrelated + related)
      #expect(outcomes.allSatisfy { $0.refusal == nil })
      var seen: [ReachabilityAddress?] = []
      let outcome = try subscription.drain(limit: 100) { event in
        if case .neighbour(let message)? = event {
          seen.append(message.destination)
        } else {
          seen.append(nil)
        }
      }
      #expect(outcome == .empty)
      #expect(seen == ["10.1.0.254", "fd00:1::fe"])
    }
  }
}

extension Trait where Self == Requirement {
  /// Skips tests where the kernel's lock of all networks cannot be held: without root, or `userfaultfd`.
  fileprivate static var needsKernelLock: Self {
    Self(Faults.canHoldKernelLock ? nil : SkipReason("a program here cannot hold the kernel's lock"))
  }
}
#endif
