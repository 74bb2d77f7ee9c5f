// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import ReachabilityKit
import Testing

/// The queries of the system for each kind of target.
@Suite(.deadline) struct TargetTests {
  /// The zone of `lo`, whose index is 1 on Linux too.
  private static let zone = ReachabilityTarget.Interface.index(1)
  private static let local: ReachabilityStatus = ReachabilityStatus(
    .reachable, flags: [.reachable, .isLocalAddress, .isDirect])
  private static let reachable = ReachabilityStatus(.reachable, flags: .reachable)

  private static func over(_ family: IPFamily) -> ReachabilityTarget {
    var target = ReachabilityTarget.defaultRoute
    target.family = family
    return target
  }

  private static let targets: [ReachabilityTarget] = [
    .defaultRoute, over(.v4), over(.v6), .address("192.0.2.7"), .address("2001:db8::7"),
    .address("127.0.0.1"),
    .address("::1"), .address("fe80::7", zone: zone),
    ReachabilityTarget(.defaultRoute, source: "192.0.2.1"),
    ReachabilityTarget(.defaultRoute, source: "2001:db8::1"),
    ReachabilityTarget(.address("192.0.2.7"), source: "192.0.2.1"),
    ReachabilityTarget(.address("2001:db8::7"), source: "2001:db8::1"),
    ReachabilityTarget(.address("fe80::7"), source: "fe80::1", interface: zone),
  ]

  private static let sources: [ReachabilityTarget] = [
    .address("192.0.2.1"), .address("2001:db8::1"), .address("fe80::1", zone: zone),
  ]

  @Test(arguments: targets) func `a query reaches this target and no other`(
    target: ReachabilityTarget
  ) {
    let stage = Stage()
    for source in Self.sources { stage.network.setStatus(Self.local, of: source) }
    stage.network.setStatus(Self.reachable, of: target)
    #expect(Self.targets.filter { stage.status(of: $0).isReachable } == [target])
  }

  @Test func `a zone takes an interface's name or index`() {
    let stage = Stage()
    stage.network.setStatus(Self.reachable, of: .address("fe80::7", zone: Self.zone))
    #expect(stage.status(of: .address("fe80::7", zone: .name("lo"))).isReachable)
    for zone in [ReachabilityTarget.Interface.name("nowhere0"), .index(99_999_999), .index(0), .index(-1)] {
      #expect(stage.status(of: .address("fe80::7", zone: zone)) == .notReachable(.interfaceNotFound))
    }
    #expect(stage.status(of: .address("fe80::7")) == .notReachable(.zoneMissing))
  }

  @Test func `a target that the system cannot query is unknown`() {
    let stage = Stage(Self.reachable)
    let targets = [
      ReachabilityTarget(.defaultRoute, interface: .index(1)),
      ReachabilityTarget(.address("192.0.2.7"), interface: .index(1)),
      ReachabilityTarget(.address("2001:db8::7"), interface: .name("lo")),
      ReachabilityTarget(.defaultRoute, mark: 1),
      ReachabilityTarget(.address("fe80::7"), interface: .index(1), mark: 1),
    ]
    for target in targets { #expect(stage.status(of: target) == .unknown(.systemError)) }
  }

  @Test func `a host is left to the name service`() throws {
    let stage = Stage(Self.reachable)
    #expect(stage.status(of: .host(try ReachabilityTarget.HostName("example.com"))) == .unknown(.resolving))
  }

  // MARK: - Sources

  @Test func `a source must belong to this machine and to the target's family`() {
    let stage = Stage(Self.reachable)
    let target = ReachabilityTarget(.address("192.0.2.7"), source: "192.0.2.1")
    #expect(stage.status(of: target) == .notReachable(.sourceAddressMissing))
    stage.network.setStatus(Self.local)
    #expect(stage.status(of: target).isReachable)
    #expect(
      stage.status(of: ReachabilityTarget(.address("192.0.2.7"), source: "2001:db8::1"))
        == .notReachable(.sourceAddressMissing))
  }

  @Test func `from a loopback address packets reach this machine only`() {
    let stage = Stage(Self.reachable)
    stage.network.setStatus(Self.local, of: .address("127.0.0.1"))
    stage.network.setStatus(Self.local, of: .address("192.0.2.1"))
    func status(to destination: ReachabilityTarget.Destination) -> ReachabilityStatus {
      stage.status(of: ReachabilityTarget(destination, source: "127.0.0.1"))
    }
    #expect(status(to: .address("127.0.0.1")).isReachable)
    #expect(status(to: .address("127.0.0.2")).isReachable)
    #expect(status(to: .address("192.0.2.1")).isReachable)
    for elsewhere in [ReachabilityTarget.Destination.address("192.0.2.7"), .defaultRoute] {
      #expect(status(to: elsewhere) == .notReachable(.sourceAddressMissing))
    }
  }

  // MARK: - Interfaces

  @Test func `the default route is over the first interface of the path`() {
    #expect(Stage(Self.reachable).status(of: .defaultRoute).interface == .wifi)
    let both = Stage(Self.reachable, path: .over(.wired, .wifi))
    #expect(both.status(of: .defaultRoute).interface == .wired)
    #expect(Stage(Self.reachable, path: .unsatisfied()).status(of: .defaultRoute).interface == nil)
  }

  @Test func `other targets have an interface only where it is certain`() {
    let zone = ReachabilityTarget.Interface.index(1)
    let ours = NWInterface(type: .wifi, name: "lo", index: 1)
    let stage = Stage(Self.reachable, path: .over(.wifi, ours, .cellular))
    func interface(_ target: ReachabilityTarget) -> ReachabilityInterface? {
      stage.status(of: target).interface
    }
    #expect(interface(.address("192.0.2.7")) == nil)
    #expect(interface(.address("fe80::7", zone: zone))?.name == "lo")
    #expect(interface(.address("127.0.0.1")) == ReachabilityInterface(name: "lo0", index: 1, kind: .loopback))
    stage.network.setStatus(
      ReachabilityStatus(.reachable, flags: [.reachable, .transientConnection, .isWWAN]))
    #expect(interface(.address("192.0.2.7")) == .cellular)
    stage.network.setStatus(ReachabilityStatus(.notReachable, flags: [.isWWAN]))
    #expect(interface(.address("192.0.2.7")) == nil)
  }
}

/// The family type, qualified because `ReachabilityAddress` alone is that of Apple's framework.
private typealias IPFamily = InternetProtocol.ReachabilityAddress.Family
