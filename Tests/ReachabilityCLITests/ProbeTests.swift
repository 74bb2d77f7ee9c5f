// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `The option --probe` {
  /// The output, with `TIME` in place of durations.
  private func output(_ outcome: Outcome) -> String {
    outcome.output.replacing(/[0-9]+(\.[0-9])? m?s\b/, with: "TIME")
  }

  @Test func `a successful connection is reported with its duration`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    let outcome = try reachability("explain", "10.1.0.1", "--probe", "\(listener.port)", in: network)
    #expect(outcome.status == 0)
    let text = output(outcome)
    #expect(text.hasPrefix("10.1.0.1  10.1.0.1 answered on port \(listener.port) after TIME\n"))
    #expect(text.hasSuffix("IPv4  passed   connection  10.1.0.1 port \(listener.port): connected (TIME)\n"))
    #expect(try listener.acceptedSource().suffix(4) == [10, 1, 0, 1])
  }

  @Test(arguments: [("http", 80), ("ssh", 22), ("domain", 53), ("postgresql", 5432)])
  func `a port may be the name of a service`(name: String, port: Int) throws {
    let outcome = try reachability("explain", "127.0.0.1", "--probe", name, in: .sample())
    #expect(outcome.output.hasPrefix("127.0.0.1  127.0.0.1 refused port \(port)\n"), "\(outcome)")
  }

  @Test func `a refused connection is attributed to the target, not to the network`() throws {
    let network = try NetworkNamespace.wired()
    let outcome = try reachability("explain", "10.1.0.1", "--probe", "9", in: network)
    #expect(outcome.status == 1)
    let text = output(outcome)
    #expect(text.hasPrefix("10.1.0.1  10.1.0.1 refused port 9\n"))
    #expect(
      text.hasSuffix(
        """
        IPv4  failed   connection  10.1.0.1 port 9: refused (TIME)
                                   problem: 10.1.0.1 is up, but nothing listens on port 9, or its firewall refuses.
                                   advice: The path there works: start the server, or use the port that it listens on.

        """), "\(text)")
  }

  @Test func `an attempt without an answer is reported, and so is an unresponsive next hop`() throws {
    let network = try NetworkNamespace.wired()
    let outcome = try reachability(
      "explain", "10.1.0.7", "--probe", "9", "--timeout", "300ms", in: network)
    #expect(outcome.status == 1)
    let text = output(outcome)
    #expect(text.hasPrefix("10.1.0.7  10.1.0.7 did not answer on port 9"), "\(text)")
    #expect(text.contains("IPv4  failed   connection  10.1.0.7 port 9: no answer within TIME (TIME)\n"))
    #expect(text.contains("next hop    10.1.0.7 on eth0: address resolution is in progress\n"), "\(text)")

    // No interface has this address; the kernel concludes that after three ARP requests.
    try network.writeSysctl("net/ipv4/neigh/eth0/retrans_time_ms", "50")
    let dead = output(
      try reachability("explain", "10.1.0.8", "--probe", "9", "--timeout", "20s", in: network))
    #expect(dead.hasPrefix("10.1.0.8  10.1.0.8: host unreachable (EHOSTUNREACH)"), "\(dead)")
    #expect(dead.contains("problem: The next hop towards 10.1.0.8 did not answer."))
    #expect(dead.contains("10.1.0.8 on eth0 did not answer the last ARP request"))
  }

  @Test func `a failed route is the only problem, although connecting fails too`() throws {
    let network = try NetworkNamespace.wired()
    let outcome = try reachability("explain", "10.77.0.1", "--probe", "9", in: network)
    #expect(outcome.status == 1)
    #expect(outcome.output.split(separator: "\n").filter { $0.contains("problem: ") }.count == 1)
    #expect(
      output(outcome).contains(
        "failed   connection  10.77.0.1 port 9: network unreachable (ENETUNREACH) (TIME)"))
  }

  @Test func `a JSON object has each connection attempt`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    for (port, connected, outcome) in [(listener.port, true, "connected"), (9, false, "refused")] {
      let text = try reachability("explain", "--json", "10.1.0.1", "--probe", "\(port)", in: network).output
      let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let connection = try #require(object["connection"] as? [String: Any])
      #expect(connection["connected"] as? Bool == connected)
      let attempts = try #require(connection["attempts"] as? [[String: Any]])
      #expect(attempts.map { $0["outcome"] as? String } == [outcome])
      #expect(
        attempts[0].keys.sorted() == [
          "address", "errorNumber", "greatestPacket", "microseconds", "outcome", "reporter", "start",
          "stoppedHere",
        ])
    }
  }

  @Test(.needsNameServer) func `each name server is queried with --probe only`() throws {
    let lab = try NameLab(
      settings:
        "search .\nnameserver 127.0.0.1\nnameserver 10.1.0.1\nnameserver 10.66.0.53\noptions timeout:10 attempts:1\n"
    )
    try lab.control("local_data probed.test A 10.1.0.1")
    let listener = try Listener(in: lab.network)
    let quiet = try lab.reachability("explain", "probed.test")
    let plain = output(quiet)
    #expect(plain.contains("name         probed.test resolves to 10.1.0.1 (TIME)\n"), "\(plain)")
    #expect(plain.contains("name server  127.0.0.1 over lo (loopback)\n"), "\(plain)")
    let outcome = try lab.reachability("explain", "probed.test", "--probe", "\(listener.port)")
    let text = output(outcome)
    #expect(outcome.status == 0)
    #expect(text.contains("passed   name server  127.0.0.1 over lo (loopback): answered (TIME)\n"), "\(text)")
    // The server listens on the loopback interface only.
    #expect(
      text.contains("unknown  name server  10.1.0.1 over eth0 (wired): Connection refused\n"), "\(text)")
    #expect(text.contains("unknown  name server  10.66.0.53: a route or rule discards packets\n"), "\(text)")
  }

  @Test(.needsNameServer, Requirement(.withoutPrograms("iptables")))
  func `a name server that the own firewall refuses is not blamed`() throws {
    let lab = try NameLab(
      settings: "search .\nnameserver 127.0.0.1\nnameserver 10.9.0.53\noptions timeout:1 attempts:1\n")
    try lab.network.sh("iptables -A OUTPUT -d 10.9.0.53 -j REJECT")
    let text = output(try lab.reachability("explain", "both.test", "--probe", "9", "--timeout", "1s"))
    #expect(
      text.contains(
        """
        name server  10.9.0.53 via 10.1.0.254 over eth0 (wired): refused on this machine

        """), "\(text)")
    #expect(
      text.contains(
        "problem: A firewall rule of this machine refuses queries to the name server 10.9.0.53.\n"),
      "\(text)")
  }

  @Test(.needsNameServer) func `a name server that is silent or fails is reported`() throws {
    let lab = try NameLab(
      settings: "search .\nnameserver 127.0.0.1\noptions timeout:1 attempts:1\n", isServing: false)
    try lab.write("hosts", "10.1.0.1 probed.test\n")
    // A silent socket is bound to the name server's port.
    let deaf = try lab.network.run { try DeafServer() }
    let listener = try Listener(in: lab.network)
    let text = output(
      try lab.reachability("explain", "probed.test", "--probe", "\(listener.port)", "--timeout", "1s"))
    #expect(
      text.contains("failed   name server  127.0.0.1 over lo (loopback): no answer within TIME\n"), "\(text)")
    #expect(text.contains("problem: The name server 127.0.0.1 does not answer.\n"), "\(text)")
    #expect(text.hasPrefix("probed.test  10.1.0.1 answered on port"), "\(text)")
    withExtendedLifetime(deaf) {}

    let failing = try NameLab()
    try failing.write("hosts", "10.1.0.1 outside.example\n")
    let other = output(try failing.reachability("explain", "outside.example", "--probe", "9"))
    #expect(other.contains("answered with a server failure (SERVFAIL) (TIME)\n"), "\(other)")
  }
}

/// A UDP socket on the DNS port that never answers.
private final class DeafServer: Sendable {
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(53).bigEndian
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0, "error \(errno)")
  }

  deinit { close(descriptor) }
}
#endif
