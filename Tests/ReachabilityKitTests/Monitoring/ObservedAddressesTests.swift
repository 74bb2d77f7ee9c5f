// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import TestSupport
import Testing

@testable import ReachabilityKit

/// What the engine lets a source know of the observed addresses.
@Suite(.timeLimit(.minutes(10)), .deadline) struct ObservedAddressesTests {
  private let far = ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1")

  @Test func `the addresses are those of targets, their sources and the path`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source)
    let (token, events) = monitor.log(far)
    let (other, otherEvents) = monitor.log(.address("2001:db8::1"))
    let paths = Log<ReachabilityPath>()
    let path = monitor.observePath(on: .global()) { paths.append($0) }
    try await paths.wait(for: 1)
    try await events.wait(for: 1)
    try await otherEvents.wait(for: 1)
    let ways = Set(DefaultRoute.addresses)
    let observed = try await source.observed.wait { $0.last?.count == 3 }
    #expect(observed.last.map { Set($0.list()) } == ways.union(["10.9.0.1", "10.1.0.1", "2001:db8::1"]))
    other.cancel()
    source.announce()
    let later = try await source.observed.wait { $0.last?.count == 2 }
    #expect(later.last.map { Set($0.list()) } == ways.union(["10.9.0.1", "10.1.0.1"]))
    path.cancel()
    token.cancel()
  }

  @Test func `the addresses are set only when they changed`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source)
    let (token, events) = monitor.log(far)
    for number in 2...4 {
      try await events.wait(for: number - 1)
      source.set(.number(number))
      source.announce()
    }
    try await events.wait(for: 4)
    #expect(source.observed.elements.map(\.count) == [2])
    token.cancel()
  }
}
