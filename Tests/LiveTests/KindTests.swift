// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

/// Links of every kind that this kernel can create, and the resulting interfaces.
extension LiveTests {
  @Suite("Kinds of interface")
  struct KindTests {
    /// A network namespace with a loopback interface that is up.
    private func network() throws -> NetworkNamespace {
      let network = try NetworkNamespace()
      try network.raiseLoopback()
      return network
    }

    private func index(of name: String, in network: NetworkNamespace) throws -> Int {
      let line = try network.ip("-o link show \(name)")
      return try #require(line.split(separator: ":").first.flatMap { Int($0) })
    }

    /// Creates a link, or returns `false` where this kernel cannot.
    private func make(_ command: String, in network: NetworkNamespace) throws -> Bool {
      try network.shell("ip \(command)").status == 0
    }

    /// Gives a link an address, and returns the interface by which its neighbours would be reached.
    private func interface(_ name: String, in network: NetworkNamespace) throws -> ReachabilityInterface? {
      try network.ip("addr replace 10.5.0.1/24 dev \(name)")
      let monitor = try network.run { try ReachabilityMonitor() }
      // An unreachable status names its interface as well.
      return monitor.currentStatus(of: ReachabilityTarget.address("10.5.0.2")).interface
    }

    // Neither bonds nor tunnels of IP packets: where those are modules, loading them creates interfaces for the whole
    // machine. The lab covers them.
    @Test(
      arguments: [
        ("link add d0 type dummy", "d0", .wired, false, "dummy"),
        ("link add i0 type ifb", "i0", .wired, false, "ifb"),
        ("link add b0 type bridge", "b0", .wired, false, "bridge"),
        ("link add t0 type team", "t0", .wired, false, "team"),
        ("link add r0 type vrf table 9", "r0", .wired, false, "vrf"),
        ("link add a0 type veth peer name a1", "a0", .wired, false, "veth"),
        ("link add w0 type wireguard", "w0", .other, true, "wireguard"),
        ("link add x0 type vxlan id 1 remote 10.0.0.1 dstport 4789", "x0", .other, true, "vxlan"),
        ("tuntap add dev n0 mode tun", "n0", .other, true, "tun"),
        ("tuntap add dev p0 mode tap", "p0", .other, true, "tun"),
      ] as [(String, String, ReachabilityInterface.Kind, Bool, String)])
    func `a link has the kind that was created`(
      command: String, name: String, kind: ReachabilityInterface.Kind, isTunnel: Bool, linkType: String
    ) throws {
      let network = try network()
      guard try make(command, in: network) else { return }
      try network.ip("link set \(name) up")
      let expected = ReachabilityInterface(
        name: name, index: try index(of: name, in: network), kind: kind, isTunnel: isTunnel,
        linkType: linkType)
      #expect(try interface(name, in: network) == expected)
    }

    private func expect(
      _ description: String, of target: ReachabilityTarget, from monitor: ReachabilityMonitor
    ) {
      #expect(monitor.currentStatus(of: target).interface?.description == description)
    }

    @Test func `a bridge stays correct while ports join and leave`() throws {
      let network = try network()
      try network.ip("link add br0 type bridge")
      try network.ip("addr add 10.5.0.1/24 dev br0")
      try network.ip("link set br0 up")
      let monitor = try network.run { try ReachabilityMonitor() }
      let target = ReachabilityTarget.address("10.5.0.2")
      expect("br0 (wired bridge)", of: target, from: monitor)
      try network.ip("link add a0 type veth peer name a1")
      try network.ip("link set a0 master br0")
      try network.ip("link set a0 up")
      try network.ip("link set a1 up")
      expect("br0 (wired bridge)", of: target, from: monitor)
      // The port's message of the bridge family, which announces its removal, is not about the link.
      try network.ip("link set a0 nomaster")
      try network.ip("addr add 10.6.0.1/24 dev a0")
      #expect(monitor.currentStatus(of: ReachabilityTarget.address("10.6.0.2")).interface?.name == "a0")
      try network.ip("link del br0")
      #expect(monitor.currentStatus(of: target) == .notReachable(.noRoute))
    }

    @Test func `a bridge without ports has no carrier`() throws {
      let network = try network()
      for line in [
        "link add br0 type bridge", "addr add 10.5.0.1/24 dev br0", "link add a0 type veth peer name a1",
        "link set a0 master br0", "link set a0 up", "link set a1 up", "link set br0 up",
      ] { try network.ip(line) }
      let monitor = try network.run { try ReachabilityMonitor() }
      let target = ReachabilityTarget.address("10.5.0.2")
      let recorder = Recorder(monitor, [target])
      recorder.wait("the bridge") { $0[target]?.last?.isReachable == true }
      try network.ip("link set a0 nomaster")
      #expect(monitor.currentStatus(of: target).reason == .noCarrier)
      recorder.wait("no port") { $0[target]?.last?.reason == .noCarrier }
    }

    @Test func `a bridge is reachable once a port has a carrier`() throws {
      let network = try network()
      try network.ip("link add br0 type bridge")
      try network.ip("addr add 10.5.0.1/24 dev br0")
      try network.ip("link set br0 up")
      try network.ip("link add a0 type veth peer name a1")
      try network.ip("link set a0 up")
      let monitor = try network.run { try ReachabilityMonitor() }
      let target = ReachabilityTarget.address("10.5.0.2")
      let recorder = Recorder(monitor, [target])
      func wait(_ reason: ReachabilityStatus.Reason?, _ line: String) throws {
        if !line.isEmpty { try network.ip(line) }
        recorder.wait("'\(line)': \(reason?.description ?? "reachable")") {
          $0[target]?.last?.reason == reason && $0[target]?.last?.interface?.name == "br0"
        }
      }
      try wait(.noCarrier, "")
      #expect(monitor.currentStatus(of: target).reason == .noCarrier)
      // Packets for the bridge's addresses are delivered locally in every state.
      #expect(monitor.currentStatus(of: .address("10.5.0.1")).isReachable)
      #expect(!monitor.path.interfaces.contains { $0.interface.name == "br0" })
      try wait(.noCarrier, "link set a0 master br0")
      try wait(nil, "link set a1 up")
      try wait(.noCarrier, "link set a0 nomaster")
      try wait(nil, "link set a0 master br0")
      try wait(.interfaceDown, "link set br0 down")
      #expect(recorder.problems == [])
    }

    @Test func `a link on top of a tunnel is a tunnel`() throws {
      let network = try network()
      guard try make("tuntap add dev tap0 mode tap", in: network) else { return }
      try network.ip("link set tap0 up")
      guard try make("link add link tap0 name m0 type macvlan", in: network) else { return }
      try network.ip("link set m0 up")
      let found = try interface("m0", in: network)
      #expect(found?.description == "m0 (macvlan tunnel)")
      guard try make("link add link tap0 name tap0.5 type vlan id 5", in: network) else { return }
      try network.ip("link set tap0.5 up")
      try network.ip("addr del 10.5.0.1/24 dev m0")
      #expect(try interface("tap0.5", in: network)?.description == "tap0.5 (vlan tunnel)")
    }

    @Test func `a macvlan on a cable is wired, also in another namespace`() throws {
      let lab = try Lab(.ipv4Only)
      guard try make("link add link v0 name m0 type macvlan", in: lab.host) else { return }
      try lab.host.ip("link set m0 up")
      #expect(try interface("m0", in: lab.host)?.description == "m0 (wired macvlan)")
      // The index of its link names another link there, or none.
      try lab.host.ip("link set m0 netns \(lab.peer.path)")
      try lab.peer.ip("link set m0 up")
      #expect(try interface("m0", in: lab.peer)?.description == "m0 (wired macvlan)")
    }

    @Test func `a link recreated under the same index is recognised`() throws {
      let network = try network()
      try network.ip("link add x0 index 77 type veth peer name x1")
      let monitor = try network.run { try ReachabilityMonitor() }
      let target = ReachabilityTarget.address("10.5.0.2")
      let recorder = Recorder(monitor, [target])
      recorder.wait("the initial event") { $0[target]?.count == 1 }
      let made = [
        ("link add x0 index 77 type bridge", "x0 (wired bridge)"),
        ("link add x0 index 77 type vxlan id 1 remote 10.0.0.1 dstport 4789", "x0 (vxlan tunnel)"),
        ("link add x0 index 77 type veth peer name x1", "x0 (wired)"),
        ("link add x0 index 77 type wireguard", "x0 (wireguard tunnel)"),
        ("link add x0 index 77 type bridge", "x0 (wired bridge)"),
      ]
      for (command, description) in made {
        // The link is missing if the kernel could not create the previous one.
        _ = try network.shell("ip link del x0")
        guard try make(command, in: network) else { continue }
        try network.ip("addr add 10.5.0.1/24 dev x0")
        try network.ip("link set x0 up")
        #expect(monitor.currentStatus(of: target).interface?.description == description)
        #expect(monitor.currentStatus(of: target).interface?.index == 77)
        recorder.wait("\(description)") { $0[target]?.last?.interface?.description == description }
      }
      #expect(recorder.problems == [])
    }

    @Test func `a renamed link keeps its kind`() throws {
      let network = try network()
      try network.ip("link add br0 type bridge")
      try network.ip("addr add 10.5.0.1/24 dev br0")
      try network.ip("link set br0 up")
      let monitor = try network.run { try ReachabilityMonitor() }
      let target = ReachabilityTarget.address("10.5.0.2")
      let recorder = Recorder(monitor, [target])
      recorder.wait("the bridge") { $0[target]?.last?.interface?.name == "br0" }
      try network.ip("link set br0 down")
      try network.ip("link set br0 name lan0")
      try network.ip("link set lan0 up")
      recorder.wait("the new name") {
        $0[target]?.last?.interface?.description == "lan0 (wired bridge)"
      }
      #expect(recorder.problems == [])
    }

    @Test func `a bridge with many ports stays correct`() throws {
      let network = try network()
      try network.ip("link add br0 type bridge")
      try network.ip("addr add 10.5.0.1/24 dev br0")
      try network.ip("link set br0 up")
      let monitor = try network.run { try ReachabilityMonitor() }
      let target = ReachabilityTarget.address("10.5.0.2")
      let recorder = Recorder(monitor, [target])
      recorder.wait("the bridge") { $0[target]?.last?.interface?.name == "br0" }
      let lines = (0..<200).map {
        "link add p\($0) type veth peer name q\($0)\nlink set p\($0) master br0 up"
      }
      try network.sh("ip -batch - <<'END'\n\(lines.joined(separator: "\n"))\nlink set q7 up\nEND")
      recorder.wait("a carrier") { $0[target]?.last?.isReachable == true }
      expect("br0 (wired bridge)", of: target, from: monitor)
      #expect(recorder.problems == [])
    }
  }
}
#endif
