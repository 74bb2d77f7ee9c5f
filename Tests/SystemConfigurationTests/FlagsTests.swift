// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityKit
import SystemConfiguration
import Testing

@Suite("Flags", .deadline)
struct FlagsTests {
  private let simulation = Simulation()

  @Test func `the bits of the flags are Apple's`() {
    let bits: [SCNetworkReachabilityFlags] = [
      .transientConnection, .reachable, .connectionRequired, .connectionOnTraffic, .interventionRequired,
      .connectionOnDemand, .isLocalAddress, .isDirect, .isWWAN,
    ]
    #expect(bits.map(\.rawValue) == [0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x10000, 0x20000, 0x40000])
    #expect(SCNetworkReachabilityFlags.connectionAutomatic.rawValue == 0x8)
  }

  @Test func `the numbers of older code are bits of the flags`() {
    let numbers = [
      kSCNetworkFlagsTransientConnection, kSCNetworkFlagsReachable, kSCNetworkFlagsConnectionRequired,
      kSCNetworkFlagsConnectionAutomatic, kSCNetworkFlagsInterventionRequired,
      kSCNetworkFlagsIsLocalAddress, kSCNetworkFlagsIsDirect,
    ]
    let flags: [SCNetworkReachabilityFlags] = [
      .transientConnection, .reachable, .connectionRequired, .connectionAutomatic, .interventionRequired,
      .isLocalAddress, .isDirect,
    ]
    #expect(numbers.map { UInt32($0) } == flags.map(\.rawValue))
  }

  @Test func `each read of an address's flags is current`() throws {
    let target = try simulation.address("10.9.0.1")
    #expect(flags(of: target) == 0)
    simulation.network.setStatus(.routed, of: .address("10.9.0.1"))
    #expect(flags(of: target) == 0x2)
    simulation.network.setStatus(.link, of: .address("10.9.0.1"))
    #expect(flags(of: target) == 0x20002)
    simulation.network.setStatus(.cellular, of: .address("10.9.0.1"))
    #expect(flags(of: target) == 0x40003)
  }

  /// A name that exists, one that does not, and one that cannot.
  static let names = ["example.com", "nosuch.example", "https://example.com/"]

  @Test(arguments: names)
  func `an unscheduled name is as reachable as the default path`(name: String) throws {
    let target = try simulation.name(name)
    simulation.network.setStatus(.link, of: .host(try ReachabilityTarget.HostName("example.com")))
    simulation.network.setStatus(.noRoute, of: .host(try ReachabilityTarget.HostName("nosuch.example")))
    #expect(flags(of: target) == 0)
    simulation.network.setStatus(.routed, of: .defaultRoute)
    #expect(flags(of: target) == 0x2)
    simulation.network.setStatus(.cellular, of: .defaultRoute)
    #expect(flags(of: target) == 0x40003)
    // The kind of the default path says nothing about the name.
    simulation.network.setStatus(.link, of: .defaultRoute)
    #expect(flags(of: target) == 0x2)
  }

  @Test func `localhost needs no default path`() throws {
    simulation.network.setStatus(
      .reachable(over: .loopback), of: .host(try ReachabilityTarget.HostName("localhost")))
    let target = try simulation.name("localhost")
    #expect(flags(of: target) == 0x30002)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "localhost"))
    #expect(flags(of: target) == 0x30002)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
  }

  @Test(
    arguments: [
      (ReachabilityInterface(name: "eth0", index: 2, kind: .wired), 0x6),
      (ReachabilityInterface(name: "ppp0", index: 4, kind: .other, linkType: "ppp"), 0x7),
      (ReachabilityInterface(name: "wwan0", index: 5, kind: .cellular), 0x40007),
    ] as [(ReachabilityInterface, UInt32)])
  func `a target over a dormant link requires a connection`(link: ReachabilityInterface, expected: UInt32)
    throws
  {
    simulation.network.setStatus(.notReachable(.linkDormant, over: link))
    #expect(flags(of: try simulation.address("10.9.0.1")) == expected)
    #expect(flags(of: try simulation.address("0.0.0.0")) == expected)
  }

  @Test(arguments: [
    ("169.254.0.0", ReachabilityStatus.routed, 0x20002), ("169.254.7.7", .link, 0x20002),
    ("169.254.0.0", .reachable(over: .wifi), 0x20002), ("169.254.0.0", .cellular, 0x40003),
    ("169.254.0.0", .noRoute, 0), ("169.253.0.0", .routed, 0x2),
  ])
  func `an IPv4 link-local address is direct, whatever its route`(
    address: String, status: ReachabilityStatus, expected: UInt32
  ) throws {
    simulation.network.setStatus(status)
    #expect(flags(of: try simulation.address(address)) == expected)
  }

  @Test(
    arguments: [
      (.wired, .noRoute, "169.254.0.0", 0x20002), (.wifi, .noRoute, "169.254.0.0", 0x20002),
      (.wired, .prohibited, "169.254.0.0", 0x20002), (.wired, .noRoute, "169.254.7.7", 0),
      (.wired, .noCarrier, "169.254.0.0", 0), (.wired, .interfaceDown, "169.254.0.0", 0),
      (.wifi, .linkDormant, "169.254.0.0", 0), (.wired, .sourceAddressMissing, "169.254.0.0", 0),
      (.cellular, .noRoute, "169.254.0.0", 0), (.other, .noRoute, "169.254.0.0", 0),
    ] as [(ReachabilityInterface.Kind, ReachabilityStatus.Reason, String, UInt32)])
  func `the local network needs no default route`(
    kind: ReachabilityInterface.Kind, reason: ReachabilityStatus.Reason, address: String, expected: UInt32
  ) throws {
    let link = ReachabilityInterface(name: "eth0", index: 2, kind: kind)
    simulation.network.setStatus(.notReachable(.noRoute))
    simulation.network.setPath(
      ReachabilityPath(
        .unsatisfied, reason: .noRoute,
        unusableInterfaces: [
          .init(link, reason: reason, addresses: [.init("10.1.0.1", prefixLength: 24)])
        ]))
    #expect(flags(of: try simulation.address(address)) == expected)
  }

  @Test func `a failed read returns false and keeps the caller's flags`() throws {
    simulation.network.setStatus(.unknown(.systemError))
    for target in [try simulation.address("10.9.0.1"), try simulation.name("example.com")] {
      var flags: SCNetworkReachabilityFlags = .isWWAN
      #expect(unsafe !SCNetworkReachabilityGetFlags(target, &flags))
      #expect(SCError() == kSCStatusReachabilityUnknown)
      #expect(flags == .isWWAN)
    }
  }

  @Test func `a read sets the flags even if its result is discarded`() throws {
    var flags = SCNetworkReachabilityFlags()
    simulation.network.setStatus(.routed)
    unsafe SCNetworkReachabilityGetFlags(try simulation.address("10.9.0.1"), &flags)
    #expect(flags == .reachable)
  }
}
