// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The kernel answers IPv6 requests as if it were started with `ipv6.disable=1`.
@Suite(.needsNamespaces, .deadline) struct `A kernel without IPv6` {
  private let network: NetworkNamespace
  private let environment: [String: String]

  init() throws {
    network = try NetworkNamespace()
    try network.disableIPv6()
    try network.batch(
      """
      link set lo up
      link add v0 type veth peer name p0
      address add 10.0.0.1/24 dev v0
      link set p0 up
      link set v0 up
      route add default via 10.0.0.254
      """)
    try network.awaitState("UP", of: "v0")
    environment = ["LD_PRELOAD": try PreloadedLibrary.withoutIPv6.get().path]
  }

  private func run(_ arguments: String...) throws -> Outcome {
    try RunningCommand(arguments, in: network, environment: environment).finish()
  }

  private func unplug() throws {
    try network.ip("link set p0 down")
    try network.awaitState("LOWERLAYERDOWN|DOWN", of: "v0")
  }

  @Test func `the preloaded library makes the kernel refuse lookups`() throws {
    let library = environment["LD_PRELOAD"] ?? ""
    let result = try network.shell("LD_PRELOAD=$1 exec ip -6 route get 2000::", [library])
    #expect(result.status != 0)
    #expect(result.standardError.contains("Operation not supported"))
  }

  @Test func `IPv4 decides while it works`() throws {
    #expect(
      try run("check").output
        == "default  reachable      v0 (wired) via 10.0.0.254 from 10.0.0.1, no IPv6\n")
    let path = try run("path").output
    #expect(path.contains("satisfied"))
    #expect(path.contains("IPv6         no, no route\n"))
  }

  @Test func `IPv6 destinations have no route`() throws {
    for destination in ["2001:db8::1", "fe80::1%v0", "::1"] {
      let outcome = try run("check", destination)
      #expect(outcome == Outcome(status: 1, output: "\(destination)  not reachable  no route\n"))
    }
  }

  @Test func `a lost carrier makes the default route unreachable`() throws {
    try unplug()
    let expected = Outcome(status: 1, output: "default  not reachable  no carrier, v0 (wired)\n")
    #expect(try run("check") == expected)
    let path = try run("path")
    #expect(path.status == 1)
    #expect(path.output.contains("unsatisfied, no carrier"))
    #expect(path.output.contains("IPv6      no, no route\n"))
    #expect(try run("wait", "--until", "unreachable", "--timeout", "10s").status == 0)
  }

  @Test func `a lost default route makes the default route unreachable`() throws {
    try network.ip("route del default")
    #expect(try run("check") == Outcome(status: 1, output: "default  not reachable  no route\n"))
    #expect(try run("wait", "--until", "unreachable", "--timeout", "10s").status == 0)
    #expect(try run("path").status == 1)
  }

  @Test func `an observer receives the loss and the return of the carrier`() throws {
    let watch = try RunningCommand(["watch"], in: network, environment: environment)
    let reachable = "TIME  default  reachable      v0 (wired) via 10.0.0.254 from 10.0.0.1"
    #expect(try watch.nextLine() == reachable)
    try unplug()
    #expect(try watch.nextLine() == "TIME  default  not reachable  no carrier, v0 (wired)")
    try network.ip("link set p0 up")
    #expect(try watch.nextLine() == reachable)
  }

  @Test func `the explanation says that the kernel does not support IPv6`() throws {
    try unplug()
    let outcome = try run("explain")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("IPv4  failed   interface    v0 (wired): up, but without a carrier\n"))
    #expect(outcome.output.contains("IPv6  failed   route        the kernel does not support IPv6\n"))
  }
}

extension NetworkNamespace {
  /// Waits until a link has one of the operational states.
  fileprivate func awaitState(_ states: String, of link: String) throws {
    try sh(
      "for i in $(seq 2000); do ip link show \(link) | grep -qE 'state (\(states))' && exit; done; exit 1")
  }
}
#endif
