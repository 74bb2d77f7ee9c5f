// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import ReachabilityKit
import TestSupport
import Testing
@testable import ReachabilityKit

/// The timeout of name servers, and the reasons of failed lookups.
@Suite(.deadline) struct ResolverFailureTests {
  @Test(
    arguments: [
      ("", 5), ("options timeout:1", 1), ("options rotate timeout:2 attempts:1", 2),
      ("options timeout:30", 30),
      ("options timeout:3\noptions timeout:4", 4), ("options timeout:", 5), ("options timeout:x", 5),
      ("options timeout:-1", 5), ("options timeout:99999999999999999999", 5), ("timeout:1", 5),
      ("options", 5),
      ("# options timeout:1", 5),
    ])
  func `a valid timeout is decoded`(text: String, seconds: Int) {
    #expect(ResolverConfiguration(text.utf8).timeout == .seconds(seconds))
  }

  @Test func `garbage of any size is read in bounded time`() {
    var generator = SeededGenerator(seed: 1)
    let words = [
      "nameserver", " ", "\t", "\n", "10.1.0.53", "fe80::1%", "options", "timeout:", "1", "%", "\0", "é",
    ]
    for _ in 0..<300 {
      let text = (0..<200).map { _ in generator.pick(words) }.joined()
      let read = ResolverConfiguration(text.utf8)
      #expect(read.nameServers.count <= 3 && read.timeout <= .seconds(30) && read.timeout >= .seconds(1))
    }
    let bytes = (0..<65536).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(!ResolverConfiguration(bytes).isConfigured)
    let long = String(repeating: "nameserver 10.1.0.53\n", count: 3120)
    #expect(
      ResolverConfiguration(long.utf8).nameServers.map(\.description)
        == Array(repeating: "10.1.0.53", count: 3))
  }

  private static let two = ResolverConfiguration("nameserver 10.1.0.53\nnameserver fe80::1%eth0".utf8)
  private static let quick = ResolverConfiguration("nameserver 10.1.0.53\noptions timeout:1".utf8)
  private static let none = ResolverConfiguration("".utf8)

  private func reason(
    _ failure: SystemResolver.Failure, after elapsed: Duration, _ configuration: ResolverConfiguration,
    reachable: [ReachabilityAddress] = []
  ) -> ReachabilityStatus.Reason {
    failure.reason(after: elapsed, configuration) { address, _ in reachable.contains(address) }
  }

  @Test(
    arguments: [
      (.noName, .nameNotFound), (.noData, .noAddressRecords), (.noAddressOfFamily, .noAddressRecords),
      (.init(code: -10), .systemError), (.init(code: -11), .systemError), (.init(code: 0), .systemError),
      (.init(code: .max), .systemError), (.init(code: .min), .systemError),
    ] as [(SystemResolver.Failure, ReachabilityStatus.Reason)])
  func `failures that the resolver distinguishes need no settings`(
    failure: SystemResolver.Failure, reason: ReachabilityStatus.Reason
  ) {
    for elapsed in [Duration.zero, .seconds(10)] {
      #expect(self.reason(failure, after: elapsed, Self.none) == reason)
      #expect(self.reason(failure, after: elapsed, Self.two, reachable: ["10.1.0.53"]) == reason)
    }
  }

  @Test(arguments: [SystemResolver.Failure.again, .failed])
  func `duration and name servers classify the other failures`(failure: SystemResolver.Failure) {
    let at: [ReachabilityAddress] = ["10.1.0.53"]
    #expect(reason(failure, after: .zero, Self.none, reachable: at) == .nameServerNotConfigured)
    #expect(reason(failure, after: .zero, Self.two) == .nameServerUnreachable)
    #expect(reason(failure, after: .zero, Self.two, reachable: at) == .nameServerFailed)
    #expect(reason(failure, after: .zero, Self.two, reachable: ["fe80::1"]) == .nameServerFailed)
    #expect(reason(failure, after: .milliseconds(1999), Self.two, reachable: at) == .nameServerFailed)
    #expect(reason(failure, after: .seconds(2), Self.two, reachable: at) == .nameResolutionTimedOut)
    #expect(reason(failure, after: .milliseconds(899), Self.quick, reachable: at) == .nameServerFailed)
    #expect(reason(failure, after: .milliseconds(900), Self.quick, reachable: at) == .nameResolutionTimedOut)
  }

  @Test func `a link-local name server is looked up with its zone`() {
    var asked: [ReachabilityTarget.Interface?] = []
    _ = SystemResolver.Failure.again.reason(after: .zero, Self.two) { _, zone in
      asked.append(zone)
      return false
    }
    #expect(asked == [nil, .name("eth0")])
  }
}
#endif
