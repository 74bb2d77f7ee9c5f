// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct ReachabilityTargetTests {
  @Test(
    arguments: [
      ("0.0.0.0", .defaultRoute), ("::", .defaultRoute), ("::ffff:0.0.0.0", .defaultRoute),
      ("::ffff:10.1.0.2", .address("10.1.0.2")), ("::10.1.0.2", .address("::10.1.0.2")),
      ("10.1.0.2", .address("10.1.0.2")), ("0.0.0.1", .address("0.0.0.1")), ("::1", .address("::1")),
    ] as [(ReachabilityAddress, ReachabilityTarget.Destination)])
  func `a destination has one normalized form`(
    address: ReachabilityAddress, destination: ReachabilityTarget.Destination
  ) {
    #expect(ReachabilityTarget(.address(address)).destination == destination)
    #expect(ReachabilityTarget.address(address).destination == destination)
    #expect(ReachabilityTarget(.address(address)) == ReachabilityTarget(destination))
    #expect(Set([ReachabilityTarget(.address(address)), ReachabilityTarget(destination)]).count == 1)
  }

  @Test func `an IPv4-mapped source is the IPv4 address inside it, however it is set`() {
    var target = ReachabilityTarget(.defaultRoute, source: "::ffff:10.1.0.1")
    #expect(target.source == "10.1.0.1")
    target.source = "::ffff:10.1.0.2"
    #expect(target.source == "10.1.0.2")
    target.source = "fd00::1"
    #expect(target.source == "fd00::1")
    target.source = nil
    #expect(target == .defaultRoute)
  }

  @Test func `a target keeps its constraints`() {
    let target = ReachabilityTarget(
      .address("10.9.0.1"), source: "10.1.0.1", interface: .name("eth0"), mark: 7, transport: .udp, port: 53)
    #expect(target.destination == .address("10.9.0.1"))
    #expect(target.source == "10.1.0.1")
    #expect(target.interface == .name("eth0"))
    #expect(target.mark == 7)
    #expect(target.transport == .udp)
    #expect(target.port == 53)
    #expect(
      ReachabilityTarget.address("fe80::1", zone: .index(3))
        == ReachabilityTarget(.address("fe80::1"), interface: .index(3)))
    #expect(
      ReachabilityTarget.defaultRoute
        == ReachabilityTarget(.defaultRoute, source: nil, interface: nil, mark: nil))
  }

  @Test func `a copy's constraints change independently`() {
    let target = ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1")
    var copy = target
    copy.interface = .name("eth0")
    copy.source = "10.1.0.2"
    #expect(target == ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"))
    #expect(copy == ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.2", interface: .name("eth0")))
    copy.source = nil
    copy.interface = nil
    #expect(copy == .address("10.9.0.1"))
    #expect(Set([copy, .address("10.9.0.1")]).count == 1)
  }

  @Test func `targets that differ in one constraint are different targets`() {
    let targets: [ReachabilityTarget] = [
      .defaultRoute, .address("10.9.0.1"), .address("::10.9.0.1"),
      ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"),
      ReachabilityTarget(.address("10.9.0.1"), interface: .name("2")),
      ReachabilityTarget(.address("10.9.0.1"), interface: .index(2)),
      ReachabilityTarget(.address("10.9.0.1"), mark: 0), ReachabilityTarget(.address("10.9.0.1"), mark: 2),
      ReachabilityTarget(.address("10.9.0.1"), transport: .tcp),
      ReachabilityTarget(.address("10.9.0.1"), transport: .udp, port: 1),
      ReachabilityTarget(.address("10.9.0.1"), transport: .udp, port: 2),
    ]
    #expect(Set(targets).count == targets.count)
  }

  @Test(
    arguments: [
      (.defaultRoute, "default"),
      (.address("10.9.0.1"), "10.9.0.1"),
      (.address("::ffff:10.9.0.1"), "10.9.0.1"),
      (.address("FD00::0:1"), "fd00::1"),
      (.address("fe80::1"), "fe80::1"),
      (.address("fe80::1", zone: .name("eth0")), "fe80::1%eth0"),
      (.address("ff02::fb", zone: .index(2)), "ff02::fb%2"),
      (.address("fd00::1", zone: .name("eth0")), "fd00::1 over eth0"),
      (ReachabilityTarget(.defaultRoute, interface: .index(2)), "default over 2"),
      (ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"), "10.9.0.1 from 10.1.0.1"),
      (ReachabilityTarget(.defaultRoute, mark: 66), "default mark 66"),
      (ReachabilityTarget(.defaultRoute, transport: .udp, port: 53), "default udp port 53"),
      (
        ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1", port: 443),
        "tcp://10.9.0.1:443 from 10.1.0.1"
      ),
      (
        ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1", interface: .name("eth0"), mark: 0),
        "10.9.0.1 from 10.1.0.1 over eth0 mark 0"
      ),
      (
        ReachabilityTarget(.address("fe80::1"), source: "fe80::2", interface: .name("eth0"), mark: 1),
        "fe80::1%eth0 from fe80::2 mark 1"
      ),
    ] as [(ReachabilityTarget, String)])
  func `a target describes itself with its constraints`(target: ReachabilityTarget, text: String) {
    #expect(target.description == text)
  }

  @Test func `a port implies TCP unless another transport is set`() {
    #expect(ReachabilityTarget(.defaultRoute).effectiveTransport == nil)
    #expect(ReachabilityTarget(.defaultRoute, port: 53).effectiveTransport == .tcp)
    #expect(ReachabilityTarget(.defaultRoute, transport: .udp, port: 53).effectiveTransport == .udp)
    #expect(ReachabilityTarget(.defaultRoute, transport: .udp).effectiveTransport == .udp)
  }

  @Test func `a changed destination keeps the constraints`() throws {
    let target = ReachabilityTarget(
      .host(try ReachabilityTarget.HostName("a.test")), source: "10.1.0.1", mark: 2, transport: .udp, port: 53
    )
    #expect(
      target.constraining(.address("::ffff:10.9.0.1"))
        == ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1", mark: 2, transport: .udp, port: 53))
    #expect(target.withoutPort == ReachabilityTarget(target.destination, source: "10.1.0.1", mark: 2))
    #expect(target.connecting(to: 80).description == "tcp://a.test:80 from 10.1.0.1 mark 2")
  }

  @Test(arguments: [
    "default", "10.9.0.1", "fd00::1", "::1", "fe80::1%eth0", "fe80::1%2", "ff02::fb%wlan0",
    "ff05::2%eth0", "tcp://[fe80::1%25eth0]:443", "tcp://[ff02::1%25v%e9%83%a80~_]",
    "tcp://10.9.0.1:443", "udp://[fd00::1]:53", "tcp://example.com", "udp://example.com:0",
  ])
  func `the text of a target without constraints parses to the same target`(text: String) throws {
    #expect(try ReachabilityTarget(text).description == text)
  }

  @Test func `a port without a transport is one of TCP`() throws {
    let host = try ReachabilityTarget.HostName("db.test")
    let forms = [
      ReachabilityTarget(.host(host), port: 5432), .host(host, port: 5432),
      ReachabilityTarget(.host(host), transport: .tcp, port: 5432),
      try ReachabilityTarget("tcp://db.test:5432"),
      try ReachabilityTarget(host: "db.test", port: 5432),
    ]
    #expect(Set(forms).count == 1)
    #expect(Set(forms.map(\.description)) == ["tcp://db.test:5432"])
    #expect(forms[0] != ReachabilityTarget(.host(host), transport: .udp, port: 5432))
    #expect(forms[0] != .host(host, port: 5433))
    #expect(forms[0] != .host(host))
    #expect(ReachabilityTarget(.host(host), transport: .tcp) != .host(host))
    #expect(ReachabilityTarget.address("10.9.0.1", port: 80).description == "tcp://10.9.0.1:80")
  }
}
