// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// `reachability wait` as the gate of other programs: what it waits for, and whom it tells.
@Suite(.needsNamespaces, .deadline) struct `A gate` {
  @Test func `a wait with --any ends when one of the targets is reachable`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(
      ["wait", "--any", "10.8.0.1", "10.9.0.1"], in: network, terminals: [.errors])
    try #expect(command.nextLine(of: .errors) == "waiting for 10.8.0.1: not reachable: no route")
    try #expect(command.nextLine(of: .errors) == "waiting for 10.9.0.1: not reachable: no route")
    try network.ip("route add 10.9.0.1 dev eth0")
    try #expect(command.finish().status == 0)
  }

  @Test func `a wait with --any and --until ends when one of the targets is unreachable`() throws {
    try #expect(
      reachability("wait", "--any", "--until", "unreachable", "10.9.0.1", "10.66.1.1", in: .sample())
        == Outcome(status: 0))
  }

  // MARK: Service managers

  @Test(arguments: [false, true])
  func `the service manager shows what is missing, and learns when nothing is`(isAbstract: Bool) throws {
    let network = try NetworkNamespace.wired()
    let manager = try ServiceManager(isAbstract: isAbstract)
    // A socket without a file belongs to a network.
    let home = isAbstract ? nil : network
    let command = try RunningCommand(
      ["wait", "10.9.0.1", "10.1.0.2"] + (isAbstract ? ["--namespace", network.path] : []), in: home,
      environment: ["NOTIFY_SOCKET": manager.name])
    #expect(manager.next() == "STATUS=waiting for 10.9.0.1: not reachable: no route")
    try network.ip("route add blackhole 10.9.0.1")
    #expect(manager.next() == "STATUS=waiting for 10.9.0.1: not reachable: a route or rule discards packets")
    try network.ip("route replace 10.9.0.1 dev eth0")
    #expect(manager.next() == "READY=1\nSTATUS=reachable: 10.9.0.1, 10.1.0.2")
    try #expect(command.finish() == Outcome(status: 0))
    #expect(manager.next(within: 0) == nil)
  }

  @Test func `with --any the service manager learns which target is as requested`() throws {
    let network = try NetworkNamespace.wired()
    let manager = try ServiceManager()
    let command = try RunningCommand(
      ["wait", "--any", "10.8.0.1", "10.9.0.1"], in: network, environment: ["NOTIFY_SOCKET": manager.name])
    #expect(
      manager.next()
        == "STATUS=waiting for one of 10.8.0.1: not reachable: no route; 10.9.0.1: not reachable: no route")
    try network.ip("route add 10.9.0.1 dev eth0")
    #expect(manager.next() == "READY=1\nSTATUS=reachable: 10.9.0.1")
    try #expect(command.finish() == Outcome(status: 0))
    let other = try ServiceManager()
    try #expect(
      RunningCommand(
        ["wait", "--any", "--until", "unreachable", "10.1.0.2", "10.8.0.1"], in: network,
        environment: ["NOTIFY_SOCKET": other.name]
      ).finish() == Outcome(status: 0))
    #expect(other.next() == "READY=1\nSTATUS=unreachable: 10.8.0.1")
  }

  @Test func `a wait does not end while routers forward no packets from the only source`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("address del fd00:1::1/64 dev eth0")
    try network.ip("route add default via fe80::fe dev eth0")
    let unusable = "not usable: routers do not forward packets from a link-local address"
    try #expect(
      reachability("wait", "--timeout", "100ms", "default", "2001:db8::9", in: network)
        == Outcome(
          status: 1,
          errors: """
            timed out: default is not reachable: no local address to send from, eth0 (wired)
              problem: There are only link-local IPv6 addresses on eth0, and routers do not forward packets from them.
              advice: Check that a router advertises a prefix there, or add an address: ip address add ADDRESS/64 dev eth0.
              problem: There is no IPv4 default route.
              advice: Check that DHCP or the network manager sets one, or add one: ip route add default via GATEWAY dev eth0.
            timed out: 2001:db8::9 is \(unusable)
              advice: Check that the router advertises a prefix, or add an address that it forwards.

            """))
    let manager = try ServiceManager()
    let command = try RunningCommand(
      ["wait", "2001:db8::9"], in: network, environment: ["NOTIFY_SOCKET": manager.name])
    #expect(manager.next() == "STATUS=waiting for 2001:db8::9: \(unusable)")
    // No router forwards a packet that stays on its link.
    try #expect(reachability("wait", "fe80::2%eth0", in: network) == Outcome(status: 0))
    try network.ip("address add 2001:db8::1/64 dev eth0 nodad")
    #expect(manager.next() == "READY=1\nSTATUS=reachable: 2001:db8::9")
    try #expect(command.finish() == Outcome(status: 0))
  }

  @Test func `a control character of a target does not reach the service manager`() throws {
    let manager = try ServiceManager()
    let command = try RunningCommand(
      ["wait", "--timeout", "100ms", "fe80::1%a\nREADY=1"], in: .sample(),
      environment: ["NOTIFY_SOCKET": manager.name])
    try #expect(command.finish().status != 0)
    while let text = manager.next(within: 0) { #expect(!text.contains("\n")) }
  }

  @Test(arguments: ["/nowhere/socket", "@nobody", "vsock:2:3", "", "/" + String(repeating: "a", count: 200)])
  func `a service manager that does not listen changes nothing`(name: String) throws {
    let command = try RunningCommand(
      ["wait", "10.1.0.2"], in: .sample(), environment: ["NOTIFY_SOCKET": name])
    try #expect(command.finish() == Outcome(status: 0))
  }

  // MARK: Endpoints

  @Test func `a wait with --verify ends when the endpoint answers, not before`() throws {
    let network = try NetworkNamespace.wired()
    let manager = try ServiceManager()
    // Its port is free afterwards.
    let port = try Listener(in: network).port
    let command = try RunningCommand(
      ["wait", "10.9.0.1", "--verify", "tcp://10.1.0.1:\(port)"], in: network,
      environment: ["NOTIFY_SOCKET": manager.name])
    #expect(manager.next() == "STATUS=waiting for 10.9.0.1: not reachable: no route")
    try network.ip("route add 10.9.0.1 dev eth0")
    #expect(manager.next() == "STATUS=waiting for tcp://10.1.0.1:\(port)")
    #expect(manager.next(within: 300) == nil)
    let server = try Listener(in: network, port: port)
    #expect(manager.next() == "READY=1\nSTATUS=reachable: 10.9.0.1")
    try #expect(command.finish() == Outcome(status: 0))
    withExtendedLifetime(server) {}
  }

  @Test func `a timeout names the endpoint that does not answer`() throws {
    let network = try NetworkNamespace.wired()
    let port = try Listener(in: network).port
    let outcome = try reachability(
      "wait", "10.1.0.2", "--verify", "tcp://10.1.0.1:\(port)", "--timeout", "2s", in: network)
    #expect(outcome.status == 1)
    #expect(outcome.errors.hasPrefix("timed out: not verified\n"))
    #expect(outcome.errors.contains("\n  tcp://10.1.0.1:\(port)  not connected: Connection refused\n"))
  }

  @Test func `an endpoint is not contacted while a target is unreachable`() throws {
    let network = try NetworkNamespace.wired()
    let server = try Listener(in: network)
    let outcome = try reachability(
      "wait", "10.9.0.1", "--verify", "tcp://10.1.0.1:\(server.port)", "--timeout", "500ms", in: network)
    #expect(
      outcome
        == Outcome(
          status: 1,
          errors: """
            timed out: 10.9.0.1 is not reachable: no route
              problem: There is no route to 10.9.0.1, and no default route.
              advice: Check that DHCP or the network manager sets one, or add one: ip route add default via GATEWAY dev eth0.

            """))
    #expect(!server.hasConnection)
  }

  @Test func `the end of a wait ends the verification`() throws {
    let network = try NetworkNamespace.wired()
    // Nobody answers there, so a connection takes seconds.
    let start = ContinuousClock.now
    let outcome = try reachability(
      "wait", "10.1.0.2", "--verify", "tcp://10.1.0.7:9", "--timeout", "500ms", in: network)
    #expect(outcome.status == 1)
    #expect(outcome.errors == "timed out: no endpoint has answered yet\n")
    #expect(ContinuousClock.now - start < .seconds(5))
  }
}
#endif
