// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import LiveSupport
import ReachabilityKit
import RequirementSupport
import SystemConfiguration
import Testing

/// The flags and changes of a real kernel in a network namespace, by queue and by run loop.
@Suite("Kernel", .serialized, .needsNamespaces, .deadline)
struct KernelTests {
  private let host: NetworkNamespace
  private let monitor: ReachabilityMonitor

  /// Creates a host with `10.1.0.1/24` and `fd00:1::1/64` on a cable, and default routes via `10.1.0.254` and
  /// `fd00:1::fe`.
  init() throws {
    host = try NetworkNamespace()
    try host.raiseLoopback()
    try host.sh(
      """
      ip link add v0 type veth peer name p0
      echo 0 >/proc/sys/net/ipv6/conf/v0/accept_dad
      ip link set p0 up
      ip link set v0 up
      ip address add 10.1.0.1/24 dev v0
      ip address add fd00:1::1/64 dev v0 nodad
      for try in $(seq 2000); do ip -o link show v0 | grep -q 'state UP' && break; done
      ip route add default via 10.1.0.254
      ip -6 route add default via fd00:1::fe
      # The kernel uses the addresses of a new link after a moment.
      for try in $(seq 2000); do ip -6 route get 2001:db8::1 from fd00:1::1 >/dev/null 2>&1 && break; done
      for try in $(seq 2000); do ip -6 route get fd00:1::1 2>/dev/null | grep -q ^local && break; done
      """)
    monitor = try host.run { try ReachabilityMonitor() }
  }

  /// Creates a target in the namespace, whose interfaces resolve its names and zones.
  private func make(_ make: @escaping @Sendable () -> SCNetworkReachability?) throws -> SCNetworkReachability
  {
    let monitor = monitor
    let made = try host.run {
      ReachabilityMonitor.$substitute.withValue(monitor, operation: make).map(SharedReference.init)
    }
    return try #require(made).target
  }

  private func named(_ name: String) throws -> SCNetworkReachability {
    try make { unsafe SCNetworkReachabilityCreateWithName(nil, name) }
  }

  /// The flags of each kind of target on Apple's current systems, with its row in the module's table.
  static let rows: [(row: Int, name: String, flags: UInt32)] = [
    (1, "0.0.0.0", 0x2), (1, "::", 0x2), (2, "127.0.0.1", 0x30002), (2, "::1", 0x30002),
    (2, "::ffff:127.0.0.1", 0x30002), (3, "127.0.0.9", 0x30002), (4, "10.1.0.1", 0x30002),
    (4, "fd00:1::1", 0x30002), (5, "10.1.0.2", 0x20002), (5, "fd00:1::2", 0x20002),
    (6, "10.1.0.254", 0x20002),
    (7, "10.9.0.1", 0x2), (7, "2001:db8::1", 0x2), (11, "169.254.0.0", 0x20002), (11, "169.254.3.4", 0x20002),
    (12, "fe80::1%v0", 0x20002), (13, "fe80::1", 0), (14, "255.255.255.255", 0x20002),
    (14, "ff02::1%v0", 0x20002),
    (15, "::ffff:10.9.0.1", 0x2), (15, "::ffff:10.1.0.2", 0x20002), (21, "example.com", 0x2),
    (22, "localhost", 0x30002),
  ]

  @Test func `every kind of target has Apple's flags`() throws {
    for (row, name, expected) in Self.rows {
      #expect(flags(of: try named(name)) == expected, "row \(row): \(name)")
    }
  }

  @Test func `without default routes only on-link addresses are reachable`() throws {
    try host.sh("ip route delete default; ip -6 route delete default")
    let expected: [String: UInt32] = [
      "0.0.0.0": 0, "::": 0, "127.0.0.1": 0x30002, "10.1.0.1": 0x30002, "10.1.0.2": 0x20002, "10.9.0.1": 0,
      "2001:db8::1": 0, "169.254.0.0": 0x20002, "169.254.3.4": 0, "example.com": 0,
      "localhost": 0x30002,
    ]
    for (name, expected) in expected {
      #expect(flags(of: try named(name)) == expected, "\(name)")
    }
  }

  @Test func `either family's default route is a default path`() throws {
    try host.sh("ip route delete default")
    #expect(flags(of: try named("0.0.0.0")) == 0x2)
    #expect(flags(of: try make { createPair(nil, "0.0.0.0") }) == 0)
    #expect(flags(of: try make { createPair(nil, "::") }) == 0x2)
  }

  /// The flags of each kind of pair, with its row in the module's table.
  static let pairs: [(row: Int, local: String?, remote: String?, flags: UInt32)] = [
    (16, "10.1.0.1", "10.9.0.1", 0x2), (16, "10.1.0.1", "10.1.0.2", 0x20002), (16, "10.7.0.1", "10.9.0.1", 0),
    (16, "fd00:1::1", "2001:db8::1", 0x2), (16, "fd00:7::1", "2001:db8::1", 0),
    (16, "10.1.0.1", "2001:db8::1", 0),
    (17, "10.1.0.1", "10.1.0.1", 0x30002), (17, "10.7.0.1", "10.7.0.1", 0), (18, "10.1.0.1", nil, 0x2),
    (18, "10.7.0.1", nil, 0), (18, "127.0.0.1", nil, 0x30002), (18, "::1", nil, 0x30002),
    (19, nil, "10.1.0.2", 0x20002), (20, "127.0.0.1", "10.9.0.1", 0x2),
    (20, "127.0.0.1", "fd00:1::2", 0x20002),
  ]

  @Test func `every kind of pair has Apple's flags`() throws {
    for (row, local, remote, expected) in Self.pairs {
      let target = try make { createPair(local, remote) }
      #expect(flags(of: target) == expected, "row \(row): \(local ?? "none") to \(remote ?? "none")")
    }
  }

  @Test func `a tunnel is a transient connection`() throws {
    // The device exists while its descriptor is open, and has a carrier meanwhile.
    guard let tunnel = try host.openTunnel("tun9") else {
      print("skipped: this kernel has no tunnel devices")
      return
    }
    defer { tunnel.close() }
    try host.sh("ip link set tun9 up; ip address add 10.8.0.1 peer 10.8.0.2 dev tun9")
    #expect(flags(of: try named("10.8.0.2")) == 0x3)
    try host.sh("ip route replace default dev tun9")
    #expect(flags(of: try named("0.0.0.0")) == 0x3)
    #expect(flags(of: try named("example.com")) == 0x3)
  }

  // MARK: Changes

  /// Removes the default routes and restores one, and waits for both changes.
  private func changeTwice(_ wait: (Int) -> Void) throws {
    try host.sh("ip route delete default; ip -6 route delete default")
    wait(1)
    try host.sh("ip route add default via 10.1.0.254")
    wait(2)
  }

  @Test(arguments: ["0.0.0.0", "10.9.0.1"])
  func `a queue receives the kernel's changes`(name: String) throws {
    let target = try named(name)
    let recorder = CallRecorder()
    recorder.record(target)
    #expect(SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "kernel")))
    #expect(flags(of: target) == 0x2)
    try changeTwice { recorder.wait(for: $0) }
    #expect(flags(of: target) == 0x2)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(recorder.flags == [0, 0x2])
  }

  @Test(arguments: ["0.0.0.0", "10.9.0.1"])
  func `a run loop receives the kernel's changes`(name: String) throws {
    let shared = SharedReference(try named(name))
    let test = self
    let result = Thread.value { () -> Result<[UInt32], any Error> in
      let recorder = CallRecorder()
      let mode = CFRunLoopMode.defaultMode.rawValue
      recorder.record(shared.target)
      SCNetworkReachabilityScheduleWithRunLoop(shared.target, CFRunLoopGetCurrent(), mode)
      defer { SCNetworkReachabilityUnscheduleFromRunLoop(shared.target, CFRunLoopGetCurrent(), mode) }
      return Result { try test.changeTwice { recorder.run(until: $0) } }.map { recorder.flags }
    }
    #expect(try #require(result).get() == [0, 0x2])
  }

  @Test func `an unplugged cable makes its target unreachable despite the route`() throws {
    let target = try named("10.9.0.1")
    let recorder = CallRecorder()
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "cable"))
    try host.sh("ip link set p0 down")
    recorder.wait(for: 1)
    #expect(flags(of: target) == 0)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(recorder.flags == [0])
  }
}

/// Real lookups of names, in files that apply in one network namespace only.
@Suite("Name resolution", .serialized, .needsNamespaces, .deadline)
struct RealNameTests {
  @Test func `a name's callback fires on the first answer and when the name disappears`()
    throws
  {
    let outside = try NetworkNamespace()
    try outside.hideFolders("/run", "/etc")
    try outside.sh(
      """
      ip netns add blue
      ip -n blue link set lo up
      ip -n blue address add 10.1.0.1/24 dev lo
      mkdir -p /etc/netns/blue
      : >/etc/hosts
      : >/etc/resolv.conf
      echo 'hosts: files' >/etc/nsswitch.conf
      cp /etc/resolv.conf /etc/netns/blue/resolv.conf
      cp /etc/nsswitch.conf /etc/netns/blue/nsswitch.conf
      echo '10.1.0.1 one.example' >/etc/netns/blue/hosts
      """)
    let monitor = try outside.run { try ReachabilityMonitor(in: .named("blue")) }
    let target = try #require(
      ReachabilityMonitor.$substitute.withValue(
        monitor, operation: { unsafe SCNetworkReachabilityCreateWithName(nil, "one.example") }))
    // Without a default path, an unresolved name is unreachable.
    #expect(flags(of: target) == 0)
    let recorder = CallRecorder()
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "names"))
    recorder.wait(forLast: 0x30002)
    try outside.sh(": >/etc/netns/blue/hosts")
    // A file that only the namespace's thread sees changes without an event.
    monitor.refresh()
    recorder.wait(forLast: 0)
    #expect(target.description.contains("(complete, no addresses)"))
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    // On a busy machine the lookup takes longer than the first callback waits, which then has the default path's flags.
    #expect([[0x30002, 0], [0, 0x30002, 0]].contains(recorder.flags))
  }

  @Test func `while no name server answers, a name's callback fires with the default path's flags`() throws {
    let outside = try NetworkNamespace()
    try outside.hideFolders("/run", "/etc")
    try outside.sh(
      """
      ip netns add blue
      ip -n blue link add v0 type veth peer name p0
      ip -n blue link set p0 up
      ip -n blue link set v0 up
      ip -n blue address add 10.1.0.1/24 dev v0
      ip -n blue route add default via 10.1.0.254
      mkdir -p /etc/netns/blue
      : >/etc/hosts
      : >/etc/resolv.conf
      echo 'hosts: files dns' >/etc/nsswitch.conf
      cp /etc/nsswitch.conf /etc/netns/blue/nsswitch.conf
      echo 'nameserver 10.1.0.53' >/etc/netns/blue/resolv.conf
      """)
    let monitor = try outside.run { try ReachabilityMonitor(in: .named("blue")) }
    let target = try #require(
      ReachabilityMonitor.$substitute.withValue(
        monitor, operation: { unsafe SCNetworkReachabilityCreateWithName(nil, "silent.example") }))
    let recorder = CallRecorder()
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "names"))
    recorder.wait(for: 1)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    // The lookup takes ten seconds to fail.
    #expect(recorder.flags.first == 0x2)
  }
}
