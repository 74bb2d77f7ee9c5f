#if os(Linux)
import Reachability
import Testing
@testable import Reachability

/// What is read of `resolv.conf`.
@Suite struct ResolverConfigurationTests {
  private func servers(_ text: String) -> [String] {
    ResolverConfiguration(text).nameServers.map { server in
      switch server.zone {
      case .name(let name): "\(server.address)%\(name)"
      case .index(let index): "\(server.address)%\(index)"
      case nil: server.address.description
      }
    }
  }

  @Test func `name servers are read in their order, the first three`() {
    #expect(
      servers(
        """
        # a comment
        ; another
        search example.com example.org
        nameserver 10.1.0.53
        nameserver\tfd00::53   # by the way
        options rotate
        nameserver 127.0.0.53
        nameserver 10.4.0.53
        """) == ["10.1.0.53", "fd00::53", "127.0.0.53"])
  }

  @Test(
    arguments: [
      ("nameserver fe80::1%eth0", ["fe80::1%eth0"]), ("nameserver fe80::1%2", ["fe80::1%2"]),
      ("nameserver 10.1.0.53\r\nnameserver 10.2.0.53\r\n", ["10.1.0.53", "10.2.0.53"]),
      ("nameserver 10.1.0.53", ["10.1.0.53"]), ("nameserver  10.1.0.53 10.2.0.53", ["10.1.0.53"]),
      // What can't be read leaves no gap.
      ("nameserver x\nnameserver\nnameserver 10.0.0.256\nnameserver 10.1.0.53", ["10.1.0.53"]),
      ("nameserver fe80::1%\nnameserver fe80::1%a/b\nnameserver %eth0", []),
      ("nameservers 10.1.0.53\nNameserver 10.1.0.53\nxnameserver 10.1.0.53\nnameserver10.1.0.53", []),
      // Only at the beginning of its line.
      (" nameserver 10.1.0.53\n\tnameserver 10.2.0.53\n# nameserver 10.3.0.53\n#nameserver 10.4.0.53", []),
      ("", []), ("\n\n\n", []), ("\0\u{fffd}\u{7f}nameserver 10.1.0.53", []),
    ])
  func `a line is read as the system's resolver reads it`(text: String, expected: [String]) {
    #expect(servers(text) == expected)
  }

  @Test(
    arguments: [
      ("", 5), ("options timeout:1", 1), ("options rotate timeout:2 attempts:1", 2),
      ("options timeout:30", 30),
      ("options timeout:3\noptions timeout:4", 4), ("options timeout:", 5), ("options timeout:x", 5),
      ("options timeout:-1", 5), ("options timeout:99999999999999999999", 5), ("timeout:1", 5),
      ("options", 5),
      ("# options timeout:1", 5),
    ])
  func `the time for an answer is read, if it can be one`(text: String, seconds: Int) {
    #expect(ResolverConfiguration(text).timeout == .seconds(seconds))
  }

  @Test func `garbage of any size is read, and in no time to speak of`() {
    var generator = SeededGenerator(seed: 1)
    let words = [
      "nameserver", " ", "\t", "\n", "10.1.0.53", "fe80::1%", "options", "timeout:", "1", "%", "\0", "é",
    ]
    for _ in 0..<300 {
      let text = (0..<200).map { _ in generator.pick(words) }.joined()
      let read = ResolverConfiguration(text)
      #expect(read.nameServers.count <= 3 && read.timeout <= .seconds(30) && read.timeout >= .seconds(1))
    }
    let bytes = (0..<65536).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(ResolverConfiguration(String(decoding: bytes, as: UTF8.self)).nameServers == [])
    let long = String(repeating: "nameserver 10.1.0.53\n", count: 3120)
    #expect(servers(long) == Array(repeating: "10.1.0.53", count: 3))
  }

  // MARK: Why a look-up failed

  private static let two = ResolverConfiguration("nameserver 10.1.0.53\nnameserver fe80::1%eth0")
  private static let quick = ResolverConfiguration("nameserver 10.1.0.53\noptions timeout:1")
  private static let none = ResolverConfiguration("")

  private func reason(
    _ failure: SystemResolver.Failure, after elapsed: Duration, _ configuration: ResolverConfiguration,
    reachable: [IPAddress] = []
  ) -> Reason {
    failure.reason(after: elapsed, configuration) { address, _ in reachable.contains(address) }
  }

  @Test(
    arguments: [
      (.noName, .nameNotFound), (.noData, .noAddressRecords), (.noAddressOfFamily, .noAddressRecords),
      (.init(code: -10), .systemError), (.init(code: -11), .systemError), (.init(code: 0), .systemError),
      (.init(code: .max), .systemError), (.init(code: .min), .systemError),
    ] as [(SystemResolver.Failure, Reason)])
  func `what the resolver itself tells apart needs no settings`(
    failure: SystemResolver.Failure, reason: Reason
  ) {
    for elapsed in [Duration.zero, .seconds(10)] {
      #expect(self.reason(failure, after: elapsed, Self.none) == reason)
      #expect(self.reason(failure, after: elapsed, Self.two, reachable: ["10.1.0.53"]) == reason)
    }
  }

  @Test(arguments: [SystemResolver.Failure.again, .failed])
  func `the rest is told by the time it took and by the name servers`(failure: SystemResolver.Failure) {
    let at: [IPAddress] = ["10.1.0.53"]
    #expect(reason(failure, after: .zero, Self.none, reachable: at) == .nameServerNotConfigured)
    #expect(reason(failure, after: .zero, Self.two) == .nameServerUnreachable)
    #expect(reason(failure, after: .zero, Self.two, reachable: at) == .nameServerFailed)
    #expect(reason(failure, after: .zero, Self.two, reachable: ["fe80::1"]) == .nameServerFailed)
    #expect(reason(failure, after: .milliseconds(1999), Self.two, reachable: at) == .nameServerFailed)
    #expect(reason(failure, after: .seconds(2), Self.two, reachable: at) == .nameResolutionTimedOut)
    #expect(reason(failure, after: .milliseconds(899), Self.quick, reachable: at) == .nameServerFailed)
    #expect(reason(failure, after: .milliseconds(900), Self.quick, reachable: at) == .nameResolutionTimedOut)
  }

  @Test func `a name server is looked for in its zone`() {
    var asked: [Target.Interface?] = []
    _ = SystemResolver.Failure.again.reason(after: .zero, Self.two) { _, zone in
      asked.append(zone)
      return false
    }
    #expect(asked == [nil, .name("eth0")])
  }
}
#endif
