// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

extension LiveTests {
  /// Servers that answer test packets themselves.
  @Suite("Packet sizes and servers", Requirement(.withoutPrograms("iptables", "ip6tables")))
  struct PacketSizeServerTests {
    @Test(.needsPython, arguments: PacketSizeLab.addresses)
    func `a program that answers datagrams proves that they pass`(_ address: String) async throws {
      let lab = try PacketSizeLab(mayEcho: false)
      let port = lab.upstream.port
      let echo = try Dialogue(
        "python3", running: "/usr/bin/python3",
        [
          "python3", "-uc",
          """
          import socket
          s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
          s.bind(('::', \(port)))
          print('ready')
          while True:
            s.sendto(*s.recvfrom(65536))
          """,
        ], in: lab.server)
      #expect(try echo.readLine() == "ready")
      let start = ContinuousClock.now
      let outcome = try await lab.explain(address)
      let isPrompt = ContinuousClock.now - start < .milliseconds(20)
      #expect(outcome.step?.fact == "packets of 1500 bytes pass to \(address)")
      let counters = try lab.server.sh("cat /proc/thread-self/net/snmp6 /proc/thread-self/net/snmp")
      let received = counters.matches(of: #/\nUdp: (\d+) 0 |Udp6InDatagrams\s+(\d+)\n/#).compactMap {
        ($0.1 ?? $0.2).flatMap { Int($0) }
      }
      // One whose answer is late on a busy machine is sent again.
      #expect((2...(isPrompt ? 2 : 6)).contains(received.reduce(0, +)), "\(counters)")
      try lab.shrinkPath(to: 1412)
      try lab.muteRouter()
      let lost = try await lab.explain(address)
      #expect(
        lost.step?.problem
          == "A router on the path drops packets of more than 1412 bytes and does not say so.",
        "\(lost.steps)")
    }

    @Test(Requirement(.withoutPrograms("openssl")), arguments: PacketSizeLab.addresses)
    func `the certificates of a TLS server prove the way back, and overrule a filter`(
      _ address: String
    ) async throws {
      let lab = try PacketSizeLab()
      let server = try Self.serveTLS(in: lab.server)
      try Self.dropLargeEchoRequests(to: address, in: lab.server)
      let filtered = try await lab.explain(address, port: 443)
      #expect(filtered.step?.fact == "packets of 1500 bytes pass in both directions", "\(filtered.steps)")
      #expect(filtered.greatest == 1500)
      try lab.silenceServer()
      let silent = try await lab.explain(address, port: 443)
      #expect(silent.step?.fact == "packets of 1500 bytes pass in both directions", "\(silent.steps)")
      try lab.shrinkWayBack(to: 1400)
      let oneWay = try await lab.explain(address, port: 443)
      #expect(oneWay.step?.fact == "packets of 1500 bytes pass to \(address)", "\(oneWay.steps)")
      withExtendedLifetime(server) {}
    }

    @Test(Requirement(.withoutPrograms("openssl")), arguments: PacketSizeLab.addresses)
    func `a server that is busy before it sends its certificates accuses no router`(_ address: String)
      async throws
    {
      let lab = try PacketSizeLab()
      let server = try Self.serveTLS(in: lab.server)
      try Self.dropLargeEchoRequests(to: address, in: lab.server)
      try server.send(SIGSTOP)
      async let outcome = lab.explain(address, port: 443)
      // The kernel acknowledges what the server has not read.
      try Self.waitForUnreadHello(in: lab.server)
      usleep(500_000)
      try server.send(SIGCONT)
      let step = try await outcome.step
      #expect(step?.fact == "packets of 1500 bytes pass in both directions", "\(String(describing: step))")
    }

    /// Drops large echo requests, by a limit that could be one of a path.
    private static func dropLargeEchoRequests(to address: String, in network: NetworkNamespace) throws {
      let (command, kind) = address.contains(":") ? ("ip6tables", "icmpv6") : ("iptables", "icmp")
      try network.sh("\(command) -A INPUT -p \(kind) -m length --length 1401:65535 -j DROP")
    }

    /// Blocks until a connection to port 443 has more unread bytes than a packet.
    private static func waitForUnreadHello(in network: NetworkNamespace) throws {
      let deadline = ContinuousClock.now + .seconds(15)
      while true {
        try #require(ContinuousClock.now < deadline, "no hello has arrived")
        // local address | remote address | state | bytes to send and to read
        let sockets = try network.sh("cat /proc/thread-self/net/tcp /proc/thread-self/net/tcp6")
        let unread = sockets.matches(of: #/:01BB \w+:\w+ 01 \w+:(\w+) /#).compactMap { Int($0.1, radix: 16) }
        if unread.contains(where: { $0 > 1500 }) { return }
      }
    }

    /// Serves TLS at port 443, with a certificate that is longer than a segment.
    private static func serveTLS(in network: NetworkNamespace) throws -> Dialogue {
      try network.hideFolders("/mnt")
      try network.sh(
        "openssl req -x509 -newkey rsa:4096 -nodes -keyout /mnt/key -out /mnt/certificate -days 2 -subj /CN=size.test"
      )
      let server = try Dialogue(
        "openssl", running: "/bin/sh",
        ["sh", "-c", "exec openssl s_server -accept 443 -key /mnt/key -cert /mnt/certificate 2>&1"],
        in: network)
      while try !server.readLine().contains("ACCEPT") {}
      return server
    }
  }
}
#endif
