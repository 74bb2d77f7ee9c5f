// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityKit
import SystemConfiguration
import Testing

@Suite("Creating targets", .deadline)
struct CreationTests {
  private let simulation = Simulation()

  /// The subject of a target in its description.
  private func subject(_ target: SCNetworkReachability) -> String {
    let text = target.description
    return String(text[text.index(after: text.firstIndex(of: "{") ?? text.startIndex)...].dropLast())
  }

  /// Creates a target from an address of a family and returns the error, 0 for none.
  private func errorOfCreating(family: Int32) -> Int32 {
    var address = sockaddr()
    address.sa_family = sa_family_t(family)
    let target = unsafe SCNetworkReachabilityCreateWithAddress(nil, &address)
    return target == nil ? SCError() : 0
  }

  @Test(arguments: [AF_UNSPEC, AF_UNIX, AF_PACKET, 250])
  func `an address that is neither IPv4 nor IPv6 is refused`(family: Int32) {
    #expect(errorOfCreating(family: family) == kSCStatusInvalidArgument)
  }

  @Test func `the length and the padding of an address of Apple's form are ignored`() {
    let address = sockaddr_in(
      sin_len: 7, sin_family: AF_INET, sin_port: 80, sin_addr: in_addr(s_addr: 1),
      sin_zero: (1, 2, 3, 4, 5, 6, 7, 8))
    #expect(address.sin_family == sa_family_t(AF_INET) && address.sin_port == 80)
    let padding = address.sin_zero
    #expect([padding.0, padding.1, padding.2, padding.3] == [0, 0, 0, 0])
    #expect([padding.4, padding.5, padding.6, padding.7] == [0, 0, 0, 0])
  }

  @Test func `an address is copied and its port ignored`() throws {
    let target = try simulation.make {
      unsafe withSocketAddress("10.9.0.1", port: 443) { address in
        var copy = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
        return unsafe withUnsafeMutablePointer(to: &copy) { pointer in
          defer { unsafe pointer.pointee.sin_addr.s_addr = 0 }
          return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, $0)
          }
        }
      }
    }
    #expect(subject(target) == "address = 10.9.0.1")
  }

  @Test(arguments: ["0.0.0.0", "::"])
  func `an all-zero address is the default path`(zero: String) throws {
    let target = try simulation.address(zero)
    #expect(subject(target) == "default path")
    simulation.network.setStatus(.routed, of: .defaultRoute)
    #expect(flags(of: target) == 0x2)
    simulation.network.setStatus(.noRoute, of: .defaultRoute)
    #expect(flags(of: target) == 0)
  }

  @Test func `a pair needs an address, and each must be IPv4 or IPv6`() {
    var other = sockaddr()
    other.sa_family = sa_family_t(AF_UNIX)
    #expect(createPair(nil, nil) == nil)
    #expect(SCError() == kSCStatusInvalidArgument)
    unsafe withSocketAddress("10.0.0.1") { address in
      #expect(unsafe SCNetworkReachabilityCreateWithAddressPair(nil, address, &other) == nil)
      #expect(unsafe SCNetworkReachabilityCreateWithAddressPair(nil, &other, address) == nil)
    }
    #expect(unsafe SCNetworkReachabilityCreateWithAddressPair(nil, &other, nil) == nil)
    #expect(unsafe SCNetworkReachabilityCreateWithAddressPair(nil, nil, &other) == nil)
  }

  /// Pairs, and their targets in the engine.
  static let pairs: [(local: String?, remote: String?, target: ReachabilityTarget)] = [
    ("10.1.0.1", "10.9.0.1", ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1")),
    ("10.1.0.1", "10.1.0.1", ReachabilityTarget(.address("10.1.0.1"), source: "10.1.0.1")),
    (nil, "10.9.0.1", .address("10.9.0.1")),
    ("10.1.0.1", nil, ReachabilityTarget(.defaultRoute, source: "10.1.0.1")),
    ("127.0.0.1", nil, .address("127.0.0.1")),
    ("::1", nil, .address("::1")),
    // A local address of the loopback interface has no path to other hosts, so it is ignored.
    ("127.0.0.1", "10.9.0.1", .address("10.9.0.1")),
    ("127.0.0.9", "fd00::1", .address("fd00::1")),
    ("127.0.0.1", "127.0.0.1", ReachabilityTarget(.address("127.0.0.1"), source: "127.0.0.1")),
    ("::1", "fd00::1", ReachabilityTarget(.address("fd00::1"), source: "::1")),
    // The zone of the local address applies to the remote one.
    (
      "fe80::1%2", "fe80::2", ReachabilityTarget(.address("fe80::2"), source: "fe80::1", interface: .index(2))
    ),
    ("0.0.0.0", "10.9.0.1", .address("10.9.0.1")),
    ("0.0.0.0", nil, .defaultRoute),
  ]

  @Test(arguments: pairs.indices)
  func `a pair is the path from its local address to its remote one`(row: Int) throws {
    let (local, remote, target) = Self.pairs[row]
    let pair = try simulation.pair(local, remote)
    #expect(flags(of: pair) == 0)
    simulation.network.setStatus(.routed, of: target)
    #expect(flags(of: pair) == 0x2, "\(local ?? "none") to \(remote ?? "none")")
  }

  @Test func `an all-zero remote address alone is the default route of its family`() throws {
    var ipv4 = ReachabilityTarget.defaultRoute
    ipv4.family = .v4
    simulation.network.setStatus(.routed, of: ipv4)
    #expect(flags(of: try simulation.pair(nil, "0.0.0.0")) == 0x2)
    #expect(flags(of: try simulation.pair(nil, "::")) == 0)
  }

  @Test func `an empty name is refused`() {
    #expect(unsafe SCNetworkReachabilityCreateWithName(nil, "") == nil)
    #expect(SCError() == kSCStatusInvalidArgument)
  }

  /// Names in the forms of `inet_aton` and `inet_pton`.
  static let numbers = [
    "10.9.0.1": "address = 10.9.0.1", "127.1": "address = 127.0.0.1", "0x7f000001": "address = 127.0.0.1",
    "1": "address = 0.0.0.1", "010.1.2.3": "address = 8.1.2.3", "10.258": "address = 10.0.1.2",
    "0": "default path", "0.0.0.0": "default path", "::": "default path",
    "2001:DB8::0:1": "address = 2001:db8::1", "::ffff:10.9.0.1": "address = ::ffff:10.9.0.1",
    "fe80::1%lo": "address = fe80::1%lo", "fe80::1%1": "address = fe80::1%lo",
    "fe80::1%4000000": "address = fe80::1%4000000", "fe80::1%nosuch": "address = fe80::1",
  ]

  @Test(arguments: numbers.keys.sorted())
  func `a name in the form of an address is that address`(name: String) throws {
    #expect(subject(try simulation.name(name)) == Self.numbers[name])
  }

  @Test(arguments: [
    "example.com", "example.com.", "LOCALHOST", "https://example.com/", "*.example.com", "1.2.3.4.5", "[::1]",
    "a b", "..", "bücher.example", String(repeating: "a.", count: 200), "10.9.0.1:80",
  ])
  func `every other name is accepted unchanged`(name: String) throws {
    #expect(subject(try simulation.name(name)) == "name = \(name)")
  }

  @Test func `success keeps the last error, and each thread has its own`() throws {
    _ = unsafe SCNetworkReachabilityCreateWithName(nil, "")
    _ = try simulation.name("example.com")
    #expect(SCError() == kSCStatusInvalidArgument)
    let other = Thread.value { SCError() }
    #expect(other == Int32(kSCStatusOK))
  }

  @Test func `all targets have one type, and each equals only itself`() throws {
    let one = try simulation.name("example.com")
    let other = try simulation.name("example.com")
    #expect(CFGetTypeID(one) == SCNetworkReachabilityGetTypeID())
    #expect(SCNetworkReachabilityGetTypeID() != CFStringGetTypeID())
    #expect(CFEqual(one, one))
    #expect(!CFEqual(one, other))
    #expect(CFHash(one) != CFHash(other))
    #expect(one != other)
    #expect(Set([one, other, one]).count == 2)
  }
}

extension Thread {
  /// Returns the result of a closure on a new thread.
  static func value<T: Sendable>(_ body: @escaping @Sendable () -> T) -> T? {
    let box = Box<T>()
    let thread = Thread { box.fill(body()) }
    thread.start()
    return box.value()
  }
}
