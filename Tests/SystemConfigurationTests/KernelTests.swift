import DeadlineSupport
import Dispatch
import Foundation
import LiveSupport
import ReachabilityKit
import SystemConfiguration
import Testing

/// The flags as the kernel makes them, in a network namespace, and its changes by queue and by run loop.
@Suite(
  "The kernel's flags", .serialized,
  .enabled(if: NetworkNamespace.unavailable == nil, "\(NetworkNamespace.unavailable ?? "")"), .deadline)
struct KernelTests {
  private let host: NetworkNamespace
  private let monitor: ReachabilityMonitor

  /// A host with `10.1.0.1/24` and `fd00:1::1/64` on a cable, and default routes by `10.1.0.254` and `fd00:1::fe`.
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
      # The addresses of a link that came up come into use a moment later.
      for try in $(seq 2000); do ip -6 route get 2001:db8::1 from fd00:1::1 >/dev/null 2>&1 && break; done
      for try in $(seq 2000); do ip -6 route get fd00:1::1 2>/dev/null | grep -q ^local && break; done
      """)
    monitor = try host.run { try ReachabilityMonitor() }
  }

  /// Makes a target in the namespace, whose interfaces names and zones are about.
  private func make(_ make: @escaping @Sendable () -> SCNetworkReachability?) throws -> SCNetworkReachability
  {
    let monitor = monitor
    let made = try host.run {
      SCNetworkReachability.$monitor.withValue(monitor, operation: make).map(SharedReference.init)
    }
    return try #require(made).target
  }

  private func named(_ name: String) throws -> SCNetworkReachability {
    try make { unsafe SCNetworkReachabilityCreateWithName(nil, name) }
  }

  /// The flags of each kind of target, as current systems of Apple's give them; the number is the row in the module's
  /// table.
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
      "2001:db8::1": 0, "169.254.0.0": 0, "example.com": 0, "localhost": 0x30002,
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

  /// The way from a local address, with the number of the row.
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
    // The device lasts for as long as somebody holds it, and has a carrier meanwhile.
    guard let tunnel = try host.openTunnel("tun9") else {
      print("no tunnel devices here: this test shows nothing")
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

  /// Takes the default routes away and gives them back, and expects to be told of both.
  private func changeTwice(_ wait: (Int) -> Void) throws {
    try host.sh("ip route delete default; ip -6 route delete default")
    wait(1)
    try host.sh("ip route add default via 10.1.0.254")
    wait(2)
  }

  @Test(arguments: ["0.0.0.0", "10.9.0.1"])
  func `a queue receives the kernel's changes`(name: String) throws {
    let target = try named(name)
    let listener = Listener()
    listener.listen(to: target)
    #expect(SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "kernel")))
    #expect(flags(of: target) == 0x2)
    try changeTwice { listener.wait(for: $0) }
    #expect(flags(of: target) == 0x2)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(listener.flags == [0, 0x2])
  }

  @Test(arguments: ["0.0.0.0", "10.9.0.1"])
  func `a run loop receives the kernel's changes`(name: String) throws {
    let shared = SharedReference(try named(name))
    let test = self
    let result = Thread.value { () -> Result<[UInt32], any Error> in
      let listener = Listener()
      let mode = CFRunLoopMode.defaultMode.rawValue
      listener.listen(to: shared.target)
      SCNetworkReachabilityScheduleWithRunLoop(shared.target, CFRunLoopGetCurrent(), mode)
      defer { SCNetworkReachabilityUnscheduleFromRunLoop(shared.target, CFRunLoopGetCurrent(), mode) }
      return Result { try test.changeTwice { listener.run(until: $0) } }.map { listener.flags }
    }
    #expect(try #require(result).get() == [0, 0x2])
  }

  @Test func `an unplugged cable makes its target unreachable despite the route`() throws {
    let target = try named("10.9.0.1")
    let listener = Listener()
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "cable"))
    try host.sh("ip link set p0 down")
    listener.wait(for: 1)
    #expect(flags(of: target) == 0)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(listener.flags == [0])
  }
}

/// Names that are looked up for real, in files that are in force in a network namespace only.
@Suite(
  "Real names", .serialized,
  .enabled(if: NetworkNamespace.unavailable == nil, "\(NetworkNamespace.unavailable ?? "")"), .deadline)
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
      SCNetworkReachability.$monitor.withValue(
        monitor, operation: { unsafe SCNetworkReachabilityCreateWithName(nil, "one.example") }))
    // Optimism has nothing to rest on: there is no default path.
    #expect(flags(of: target) == 0)
    let listener = Listener()
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "names"))
    listener.wait(for: 1)
    try outside.sh(": >/etc/netns/blue/hosts")
    // Nobody announces a file that only the namespace's thread sees.
    monitor.refresh()
    listener.wait(for: 2)
    #expect(target.description.contains("(complete, no addresses)"))
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(listener.flags == [0x30002, 0])
  }
}
