// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

@Suite(.needsMounts, .deadline) struct `The command path` {
  @Test func `a path is one line per fact, the preferred interface first`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch(
      """
      route add default via 10.1.0.254 metric 100
      route add default via fd00:1::fe
      address add 10.2.0.1/24 dev peer0
      route add default via 10.2.0.254 dev peer0 metric 600
      """)
    try #expect(
      path(in: network)
        == Outcome(
          status: 0,
          output: """
            path         satisfied
            interface    eth0 (wired)  10.1.0.1/24, fd00:1::1/64  mtu 1500
            gateway      10.1.0.254, fd00:1::fe
            usable       peer0 (wired)  10.2.0.1/24  mtu 1500
            gateway      10.2.0.254
            IPv4         yes
            IPv6         yes
            DNS          routed, not asked: 10.9.0.53, fe80::53%eth0
            expensive    unknown
            constrained  unknown

            """))
  }

  @Test func `an unsatisfied path has the reason of each interface`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch(
      """
      link add down0 type veth peer name down1
      link add long-name0 type veth peer name end0
      link set long-name0 up
      address add 10.3.0.1/24 dev long-name0
      """)
    try #expect(
      path(in: network)
        == Outcome(
          status: 1,
          output: """
            path      unsatisfied, no route
            unusable  peer0 (wired)       no local address to send from
                      eth0 (wired)        no route  10.1.0.1/24, fd00:1::1/64
                      down1 (wired)       interface down
                      down0 (wired)       interface down
                      end0 (wired)        interface down
                      long-name0 (wired)  no carrier  10.3.0.1/24
            IPv4      no, no route
            IPv6      no, no route
            DNS       routed, not asked: 10.9.0.53 (no route), fe80::53%eth0

            """))
  }

  @Test func `an unusable tunnel has the address that its packets cannot be sent to`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch(
      """
      route add unreachable 10.66.0.0/16
      link add tunnel0 type vxlan id 3 remote 10.66.0.1 dstport 4789
      link set tunnel0 up
      address add 10.5.0.1/24 dev tunnel0
      route add default via 10.5.0.2
      """)
    let output = try path(in: network).output
    #expect(output.contains("tunnel0 (vxlan tunnel)  a route says unreachable, 10.66.0.1  10.5.0.1/24\n"))
  }

  @Test func `a preferred interface without carrier is the reason, next to a usable one`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch(
      """
      route add default via 10.1.0.254 metric 600
      link add loose type veth peer name end0
      link set loose up
      address add 10.3.0.1/24 dev loose
      route add default via 10.3.0.254 metric 1
      """)
    let dead = """
      path         unsatisfied, no carrier
      usable       eth0 (wired)  10.1.0.1/24, fd00:1::1/64  mtu 1500
      gateway      10.1.0.254
      unusable     peer0 (wired)  no local address to send from
                   end0 (wired)   interface down
                   loose (wired)  no carrier  10.3.0.1/24
      IPv4         no, no carrier
      IPv6         no, no route
      DNS          routed, not asked: 10.9.0.53 (no carrier), fe80::53%eth0
      expensive    unknown
      constrained  unknown

      """
    try #expect(path(in: network) == Outcome(status: 1, output: dead))
    let bound = try path("--require", "wired", in: network)
    #expect(bound.status == 0)
    #expect(bound.output.hasPrefix("path         satisfied\ninterface    eth0 (wired)"))
  }

  @Test func `requirements may leave no interface`() throws {
    let none = """
      path  unsatisfied, no such interface
      IPv4  no, no such interface
      IPv6  no, no such interface
      DNS   no, 127.0.0.1 (no such interface)

      """
    let network = try NetworkNamespace.sample()
    for options in [["--require", "cellular"], ["--prohibit", "wired", "--prohibit=other"]] {
      try #expect(path(options, in: network, nameServers: "") == Outcome(status: 1, output: none))
    }
    try #expect(
      path("--require", "loopback", in: network, nameServers: "")
        == Outcome(
          status: 0,
          output: """
            path         satisfied
            interface    lo (loopback)  127.0.0.1/8, ::1/128  mtu 65536
            IPv4         yes
            IPv6         yes
            DNS          routed, not asked: 127.0.0.1
            expensive    no
            constrained  unknown

            """))
  }

  @Test func `a machine without interfaces has no route`() throws {
    try #expect(
      path(in: NetworkNamespace(), nameServers: "")
        == Outcome(
          status: 1,
          output: """
            path  unsatisfied, no route
            IPv4  no, no route
            IPv6  no, no route
            DNS   no, 127.0.0.1 (interface down)

            """))
  }

  @Test func `only twelve unusable interfaces are listed`() throws {
    let network = try NetworkNamespace()
    try network.batch((0..<10).map { "link add a\($0) type veth peer name b\($0)" }.joined(separator: "\n"))
    let lines = try path(in: network, nameServers: "").output.split(separator: "\n")
    #expect(lines.count { $0.contains("interface down") } == 14)
    #expect(lines.contains("          and 8 more"))
  }

  @Test func `every object has the same keys`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch("route add default via 10.1.0.254\nlink set eth0 mtu 1400")
    let (eth0, peer0) = try (index(of: "eth0", in: network), index(of: "peer0", in: network))
    let link = #"""
      "name":"eth0","index":\#(eth0),"kind":"wired","isTunnel":false,"linkType":"veth"
      """#
    let addresses = #""addresses":["10.1.0.1/24","fd00:1::1/64","fe80::1/64"]"#
    try #expect(
      path("--json", in: network)
        == Outcome(
          status: 0,
          output: #"""
            {"version":1,"time":"TIME","path":"satisfied","reason":null,"interfaces":[{\#(link),"mtu":1400,\#
            \#(addresses),"gateways":["10.1.0.254"],"supportsIPv4":true,"supportsIPv6":false,\#
            "isExpensive":null,"lower":[]}],"unusableInterfaces":[],"gateways":["10.1.0.254"],\#
            "supportsIPv4":true,"reasonAgainstIPv4":null,"supportsIPv6":false,\#
            "reasonAgainstIPv6":"noRoute","supportsDNS":true,"nameServers":[{"address":"10.9.0.53",\#
            "reason":null},{"address":"fe80::53%eth0","zone":"eth0","reason":null}],"isExpensive":null,\#
            "isConstrained":null,"event":"check"}

            """#))
    try network.ip("route del default")
    try #expect(
      path("--json", in: network, nameServers: "")
        == Outcome(
          status: 1,
          output: #"""
            {"version":1,"time":"TIME","path":"unsatisfied","reason":"noRoute","interfaces":[],\#
            "unusableInterfaces":[{"name":"peer0","index":\#(peer0),"kind":"wired","isTunnel":false,\#
            "linkType":"veth","reason":"sourceAddressMissing","addresses":[]},{\#(link),\#
            "reason":"noRoute",\#(addresses)}],"gateways":[],"supportsIPv4":false,\#
            "reasonAgainstIPv4":"noRoute","supportsIPv6":false,"reasonAgainstIPv6":"noRoute",\#
            "supportsDNS":false,"nameServers":[{"address":"127.0.0.1","reason":"noRoute"}],"isExpensive":null,"isConstrained":null,"event":"check"}

            """#))
  }

  @Test func `interface names and zones are escaped`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip(["link", "set", "eth0", "name", "a\u{1b}[31mb"])
    try network.ip(["link", "set", "peer0", "name", "c\u{202e}d"])
    try network.ip("route add default via 10.1.0.254")
    let servers = "nameserver fe80::53%a\u{1b}[31mb\n"
    let shown = try path(in: network, nameServers: servers)
    #expect(shown.output.contains(#"interface    a\u{1b}[31mb (wired)  10.1.0.1/24"#))
    #expect(shown.output.contains(#"DNS          routed, not asked: fe80::53%a\u{1b}[31mb"#))
    try network.ip("route del default")
    #expect(try path(in: network, nameServers: "").output.contains(#"c\u{202e}d (wired)"#))
    let object = try path("--json", in: network, nameServers: servers).output
    #expect(object.contains(#""name":"a\u001b[31mb""#))
    #expect(try JSONSerialization.jsonObject(with: Data(object.utf8)) is [String: Any])
  }

  @Test func `the path's status is coloured on a terminal`() throws {
    let network = try NetworkNamespace.wired()
    func firstLine() throws -> String {
      try RunningCommand(["path"], in: network, terminals: [.output]).nextLine()
    }
    try #expect(firstLine() == "path      \u{1b}[31munsatisfied\u{1b}[0m, no route")
    try network.ip("route add default via 10.1.0.254")
    try #expect(firstLine() == "path         \u{1b}[32msatisfied\u{1b}[0m")
  }

  // MARK: Watch

  @Test func `a watch prints the current path, then each change, with the time`() throws {
    let network = try NetworkNamespace.wired()
    let command = try start(["--watch", "--count", "2"], in: network, nameServers: "")
    let before = """
      time      TIME
      path      unsatisfied, no route
      unusable  peer0 (wired)  no local address to send from
                eth0 (wired)   no route  10.1.0.1/24, fd00:1::1/64
      IPv4      no, no route
      IPv6      no, no route
      DNS       no, 127.0.0.1 (no route)

      """
    for line in before.split(separator: "\n") { try #expect(command.nextLine() == line) }
    try network.ip("route add default via fd00:1::fe")
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: before + """

            time         TIME
            path         satisfied
            interface    eth0 (wired)  10.1.0.1/24, fd00:1::1/64  mtu 1500
            gateway      fd00:1::fe
            IPv4         no, no route
            IPv6         yes
            DNS          routed, not asked: 127.0.0.1
            expensive    unknown
            constrained  unknown

            """))
  }

  @Test func `a change that text does not show is written with --json only`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add default via 10.1.0.254")
    let people = try start(["--watch", "--count", "2"], in: network, nameServers: "")
    let programs = try start(["--watch", "--json", "--count", "3"], in: network, nameServers: "")
    for _ in 0..<9 { _ = try people.nextLine() }
    _ = try programs.nextLine()
    // Text leaves out link-local addresses of interfaces that have others.
    try network.ip("address add fe80::77/64 dev eth0 nodad")
    try #expect(programs.nextLine().contains("fe80::77"))
    try network.ip("link set eth0 mtu 1300")
    let outcome = try people.finish()
    #expect(outcome.output.split(separator: "time ").count == 2)
    #expect(outcome.output.contains("mtu 1300"))
    #expect(try programs.finish().output.split(separator: "\n").count == 3)
  }

  @Test func `a watch with --json writes one object per line without delay`() throws {
    let network = try NetworkNamespace.wired()
    let command = try start(["--watch", "--json", "--count=3"], in: network, nameServers: "")
    var lines = [try command.nextLine()]
    try network.ip("route add default via 10.1.0.254")
    lines.append(try command.nextLine())
    try network.ip("link set eth0 mtu 1300")
    let outcome = try command.finish()
    #expect(outcome.status == 0)
    let objects = try outcome.output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
    #expect(objects.map { $0["path"] as? String } == ["unsatisfied", "satisfied", "satisfied"])
    #expect(objects.map { $0["event"] as? String } == ["initial", "change", "change"])
    #expect(Set(objects.map { $0.keys.sorted() }).count == 1)
    #expect(outcome.output.hasPrefix(lines.joined(separator: "\n")))
  }

  @Test func `a timeout ends a watch with success, after the current path`() throws {
    let outcome = try path("--watch", "--timeout", "0s", "--require", "wifi", in: .sample(), nameServers: "")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("time  TIME\npath  unsatisfied, no such interface\n"))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends a watch with success`(_ signal: Int32) throws {
    let command = try start(["--watch", "--json"], in: .sample(), nameServers: "")
    _ = try command.nextLine()
    command.send(signal)
    try #expect(command.exitStatus() == 0)
  }

  @Test func `a reader that closes the pipe ends a watch, and no exit status changes`() throws {
    let command = try start(["--watch"], in: .sample(), nameServers: "")
    _ = try command.nextLine()
    command.closeOutput()
    let outcome = try command.finish()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let check = try RunningCommand(["path"], in: NetworkNamespace(), isRead: false)
    try #expect(check.finish() == Outcome(status: 1))
  }

  @Test(arguments: [["path"], ["path", "--watch"]])
  func `a system without sockets and output that cannot be written are errors`(
    _ arguments: [String]
  ) throws {
    let starved = try RunningCommand(arguments, in: .sample(), through: "ulimit -n 4; exec \"$@\"").finish()
    #expect(starved.status == 2)
    #expect(starved.errors.hasPrefix("error: the kernel's network tables can't be read"))
    let full = try RunningCommand(arguments, in: .sample(), through: "exec \"$@\" >/dev/full").finish()
    #expect(
      full == Outcome(status: 2, errors: "error: could not write the output: No space left on device\n"))
  }

  // MARK: Support

  /// Process 1 runs in the same network where networkd does.
  @Test(arguments: [true, false])
  func `networkd's portal counts if its links are those of this network`(_ isItsNetwork: Bool) throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add default via 10.1.0.254")
    let link = try index(of: "eth0", in: network)
    let command = try RunningCommand(
      ["path"], in: network,
      through: """
        exec unshare --mount \(isItsNetwork ? "--pid --fork --mount-proc" : "") sh -c 'mount -t tmpfs none /run \
        && mkdir -p /run/systemd/netif/links && \
        echo CAPTIVE_PORTAL=https://portal.example/api >/run/systemd/netif/links/\(link) && "$@"' sh "$@"
        """)
    let lines = try command.finish().output.split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("portal API") }
        == (isItsNetwork ? ["portal API   https://portal.example/api"] : []))
    #expect(lines.contains { $0.hasPrefix("gateway") && $0.hasSuffix("10.1.0.254") })
  }

  private static let servers = "nameserver 10.9.0.53\nnameserver fe80::53%eth0\n"

  private func path(
    _ options: String..., in network: NetworkNamespace, nameServers: String = servers
  ) throws -> Outcome {
    try path(options, in: network, nameServers: nameServers)
  }

  private func path(
    _ options: [String], in network: NetworkNamespace, nameServers: String
  ) throws -> Outcome {
    try start(options, in: network, nameServers: nameServers).finish()
  }

  /// Starts the command with its own `/etc/resolv.conf`.
  private func start(
    _ options: [String], in network: NetworkNamespace, nameServers: String
  ) throws -> RunningCommand {
    try RunningCommand(
      ["path"] + options, in: network, environment: ["RESOLVER": nameServers],
      through: """
        exec unshare --mount sh -c 'mount -t tmpfs none /mnt && printf %s "$RESOLVER" >/mnt/resolv.conf \
        && mount --bind /mnt/resolv.conf /etc/resolv.conf && exec "$@"' sh "$@"
        """)
  }

  private func index(of link: String, in network: NetworkNamespace) throws -> Int {
    let line = try network.ip("-o link show \(link)")
    return try #require(line.split(separator: ":").first.flatMap { Int($0) })
  }
}

extension Trait where Self == Requirement {
  /// Skips tests where no file can be mounted over one of the machine's for a single command.
  fileprivate static var needsMounts: Self { Self(mounts) }
}

private let mounts =
  SkipReason.withoutNamespaces
  ?? SkipReason.unless(
    "unshare --mount mount --bind /dev/null /etc/resolv.conf",
    "no file can be mounted over /etc/resolv.conf for one command alone")
#endif
