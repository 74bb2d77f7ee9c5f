import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

/// What the engine lets a source know of the observed addresses before it waits.
@Suite(.timeLimit(.minutes(10)), .deadline) struct ObservedAddressesTests {
  private let far = ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1")

  @Test func `announced routes that contain no observed address are counted`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source)
    let (token, events) = monitor.log(far)
    try await events.wait(for: 1)
    let unrelated = IPPrefix(literal: "203.0.113.0/24")
    source.announce(NetworkChange(prefixes: [unrelated, unrelated, IPPrefix(literal: "10.9.0.0/16")]))
    source.announce(NetworkChange(imminent: [unrelated], missed: [unrelated]))
    try await source.waits.wait { $0.map(\.unrelatedRoutes).reduce(0, +) == 3 }
    token.cancel()
  }

  @Test func `the addresses are those of targets, their sources and the path`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source)
    let (token, events) = monitor.log(far)
    let (other, otherEvents) = monitor.log(.address("2001:db8::1"))
    let path = monitor.observePath(on: .global()) { _ in }
    try await events.wait(for: 1)
    try await otherEvents.wait(for: 1)
    let ways = Set(DefaultRoute.addresses)
    let all = ways.union(["10.9.0.1", "10.1.0.1", "2001:db8::1"])
    let waits = try await source.waits.wait { $0.last?.addresses == all }
    #expect(waits.last?.count == 3)
    #expect(!waits.contains { $0.hasRemovals })
    other.cancel()
    source.announce()
    let later = try await source.waits.wait { $0.last?.addresses == ways.union(["10.9.0.1", "10.1.0.1"]) }
    #expect(later.last?.count == 2)
    #expect(later.count { $0.hasRemovals } == 1)
    path.cancel()
    token.cancel()
  }
}
