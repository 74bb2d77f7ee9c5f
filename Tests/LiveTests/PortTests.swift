// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// Policy rules match the protocol and the port of a connection.
  @Suite("Ports")
  struct PortTests {
    /// Returns the error number of a socket that is connected to a target's port, or 0.
    private func refusal(_ lab: Lab, _ target: ReachabilityTarget) throws -> Int32 {
      guard case .address(let address) = target.destination, let port = target.port else { return -1 }
      let isUDP = target.transport == .udp
      return try lab.host.run {
        // SOCK_DGRAM or SOCK_STREAM, SOCK_NONBLOCK and SOCK_CLOEXEC.
        let descriptor = socket(
          address.bitWidth == 32 ? AF_INET : AF_INET6, (isUDP ? 2 : 1) | 0o4000 | 0o2000000, 0)
        defer { close(descriptor) }
        let result: Int32
        if address.bitWidth == 32 {
          var remote = sockaddr_in()
          remote.sin_family = sa_family_t(AF_INET)
          remote.sin_port = in_port_t(port).bigEndian
          unsafe withUnsafeMutableBytes(of: &remote.sin_addr) { unsafe $0.copyBytes(from: address.octets) }
          result = Self.attach(descriptor, &remote)
        } else {
          var remote = sockaddr_in6()
          remote.sin6_family = sa_family_t(AF_INET6)
          remote.sin6_port = in_port_t(port).bigEndian
          unsafe withUnsafeMutableBytes(of: &remote.sin6_addr) { unsafe $0.copyBytes(from: address.octets) }
          result = Self.attach(descriptor, &remote)
        }
        return result == 0 || errno == EINPROGRESS ? 0 : errno
      }
    }

    private static func attach<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
      unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
        }
      }
    }

    @Test(arguments: ["10.9.0.1", "[fd00:9::1]"])
    func `a rule for a protocol and ports matches as it does for sockets`(_ address: String) throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      let ip = address.hasPrefix("[") ? "-6" : "-4"
      let ports = [22, 53, 442, 443, 444, 500, 501, 65535]
      let targets = try ["tcp", "udp"].flatMap { transport in
        try ports.map { try ReachabilityTarget("\(transport)://\(address):\($0)") }
      }
      let bare = try ReachabilityTarget(address)
      let recorder = Recorder(monitor, targets + [bare])
      recorder.wait("the first statuses") { $0.count == targets.count + 1 }
      func expect(_ comment: String, _ count: Int) throws {
        var refused = 0
        for target in targets {
          let errorNumber = try refusal(lab, target)
          #expect([0, EACCES].contains(errorNumber))
          let status = monitor.currentStatus(of: target)
          #expect(
            (status.reason == .prohibited) == (errorNumber == EACCES), "\(comment): \(target): \(status)")
          #expect(status.isReachable == (errorNumber == 0), "\(comment): \(target): \(status)")
          if errorNumber != 0 { refused += 1 }
        }
        #expect(refused == count, "\(comment)")
        // The target without a port, queried for the same destination as the others.
        #expect(monitor.currentStatus(of: bare).isReachable, "\(comment)")
        recorder.wait(comment) { seen in
          seen.values.count { $0.last?.reason == .prohibited } == count
        }
      }
      try expect("no rule", 0)
      try lab.host.ip("\(ip) rule add pref 50 ipproto 6 dport 443 prohibit")
      try expect("one port", 1)
      try lab.host.ip("\(ip) rule add pref 51 ipproto 6 dport 443-500 prohibit")
      try expect("a range", 3)
      try lab.host.ip("\(ip) rule add pref 52 dport 53 prohibit")
      try expect("any protocol", 5)
      for rule in 50...52 { try lab.host.ip("\(ip) rule del pref \(rule)") }
      try expect("rules removed", 0)
      #expect(recorder.problems == [])
    }

    @Test func `the default route and bound targets use their ports`() throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      for family in ["-4", "-6"] {
        try lab.host.ip("\(family) rule add pref 50 ipproto 6 dport 443 prohibit")
      }
      #expect(monitor.currentStatus(of: .defaultRoute).isReachable)
      #expect(monitor.currentStatus(of: ReachabilityTarget(.defaultRoute, port: 80)).isReachable)
      #expect(monitor.currentStatus(of: ReachabilityTarget(.defaultRoute, port: 443)).reason == .prohibited)
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.defaultRoute, transport: .udp, port: 443)).isReachable)
      var bound = ReachabilityTarget(.address("2001:db8::1"), interface: .name("v0"))
      #expect(monitor.currentStatus(of: bound).isReachable)
      bound.port = 443
      #expect(monitor.currentStatus(of: bound).reason == .prohibited)
    }

    @Test func `a host's addresses use the port of its URL`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "10.9.0.1 a.test\nfd00:9::1 a.test")
        // Without /etc, ip does not know protocol names.
        try all.lab.host.ip("rule add pref 50 ipproto 6 dport 443 prohibit")
        let secure = try await all.monitor.status(of: ReachabilityTarget("https://a.test"))
        let prohibited = secure.addresses.filter { $0.status.reason == .prohibited }
        #expect(prohibited.map(\.address) == ["10.9.0.1"])
        #expect(secure.addresses.map(\.address) == ["fd00:9::1", "10.9.0.1"])
        let plain = try await all.monitor.status(of: ReachabilityTarget("http://a.test"))
        #expect(plain.addresses.map(\.status.isReachable) == [true, true])
      }
    }

    @Test func `a name server whose port a rule prohibits is reported`() throws {
      let all = try PathLab(nameServers: "nameserver 10.1.0.53\n")
      #expect(all.monitor.path.nameServers.map(\.reason) == [nil])
      try all.lab.host.ip("rule add pref 50 ipproto 17 dport 53 prohibit")
      #expect(all.monitor.path.nameServers.map(\.reason) == [.prohibited])
      all.wait("the prohibition") { $0.last?.supportsDNS == false }
    }

    @Test func `a connection attempt is explained for its port`() async throws {
      let lab = try Lab()
      let monitor = try lab.makeMonitor()
      try lab.host.ip("rule add pref 50 ipproto 6 dport 443 prohibit")
      let explanation = try await monitor.explain(
        try ReachabilityTarget("10.9.0.1"), probing: 443, timeout: .seconds(5))
      #expect(explanation.status.reason == .prohibited)
      #expect(explanation.firstFailure?.fact == "rule 50 (ipproto tcp dport 443): prohibit")
      #expect(explanation.connection?.attempts.map(\.outcome) == [.failed(errorNumber: EACCES)])
      #expect(explanation.target == ReachabilityTarget(.address("10.9.0.1"), transport: .tcp, port: 443))
    }
  }
}
#endif
