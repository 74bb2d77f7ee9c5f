// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

/// Waiting for a host: for its first known status, and until it is reachable.
// A lookup is abandoned after 30 s, for which a test on the task pool may wait for its turn on a busy machine.
@Suite(.timeLimit(.minutes(10)), .onOwnThreads, .deadline) struct HostWaitTests {
  private let a = ReachabilityTarget.host("a.test")
  private let up = ReachabilityStatus.number(1)

  private func known(_ status: ReachabilityStatus, _ address: ReachabilityAddress) -> ReachabilityStatus {
    var known = status
    known.addresses = [ReachabilityStatus.ResolvedAddress(address, status: status)]
    return known
  }

  @Test func `a wait for the first known status lasts until the name is resolved`() async throws {
    let names = NamesDouble()
    let source = SourceDouble(up, names: names)
    let monitor = ReachabilityMonitor(source: source)
    async let status = monitor.status(of: a)
    // With an answer before the first question, there would be nothing to wait for.
    try await source.calls.wait { [a] in $0.contains(.evaluate([a])) }
    names.set("a.test", .found("10.9.0.1"))
    #expect(try await status == known(up, "10.9.0.1"))
    // No state is left of the wait.
    try await source.calls.wait { $0.contains(.watchNames(false)) && $0.contains(.stop) }
    #expect(try await monitor.status(of: a) == known(up, "10.9.0.1"))
    #expect(names.asked.elements == ["a.test"])
  }

  @Test(arguments: [
    ReachabilityStatus.Reason.nameNotFound, .noAddressRecords, .nameResolutionTimedOut,
    .nameServerUnreachable,
  ])
  func `a failed lookup is a first known status`(reason: ReachabilityStatus.Reason) async throws {
    let monitor = ReachabilityMonitor(
      source: SourceDouble(up, names: NamesDouble(["a.test": .failure(reason)])))
    #expect(try await monitor.status(of: a) == .notReachable(reason))
  }

  @Test func `the first known status of an address needs no wait`() async throws {
    let source = SourceDouble(up, names: NamesDouble())
    let monitor = ReachabilityMonitor(source: source)
    #expect(try await monitor.status(of: .address("10.9.0.1")) == up)
    #expect(source.calls.elements == [.status(.address("10.9.0.1"))])
  }

  @Test func `a wait for the first known status ends with its task, whatever the resolver does`() async throws
  {
    let names = NamesDouble()
    defer { names.end() }
    let source = SourceDouble(up, names: names)
    let monitor = ReachabilityMonitor(source: source)
    let task = Task { [a] in try await monitor.status(of: a) }
    try await source.calls.wait { $0.contains(.evaluate([a])) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await source.calls.wait { $0.contains(.stop) }
  }

  @Test func `a task that is already cancelled begins no lookup`() async throws {
    let names = NamesDouble()
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let go = Log<Void>()
    let task = Task { [a] in
      _ = try? await go.wait(for: 1)
      return try await monitor.status(of: a)
    }
    task.cancel()
    go.note()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(names.asked.elements == [])
  }

  @Test func `a wait for a host lasts until its address is known and reachable`() async throws {
    let names = NamesDouble()
    let source = SourceDouble(.notReachable(.noRoute), names: names)
    let monitor = ReachabilityMonitor(source: source)
    async let status = monitor.waitUntilReachable(a, timeout: .seconds(30))
    try await names.asked.wait(for: 1)
    names.set("a.test", .found("10.9.0.1"))
    try await source.calls.wait { $0.contains(.evaluate([.address("10.9.0.1")])) }
    source.set(up)
    source.announce(NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.1/32")]))
    #expect(try await status == known(up, "10.9.0.1"))
  }

  @Test func `a wait looks up again a name whose last lookup failed`()
    async throws
  {
    let names = NamesDouble(["a.test": .failure(.nameServerUnreachable)])
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    #expect(try await monitor.status(of: a) == .notReachable(.nameServerUnreachable))
    names.set("a.test", .found("10.9.0.1"))
    #expect(try await monitor.waitUntilReachable(a, timeout: .seconds(60)) == known(up, "10.9.0.1"))
  }

  @Test func `a wait for a host that stays unknown ends at its timeout`() async throws {
    let names = NamesDouble()
    defer { names.end() }
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let error = await #expect(throws: ReachabilityMonitorError.self) {
      try await monitor.waitUntilReachable(a, timeout: .milliseconds(50))
    }
    #expect(error?.code == .timedOut)
  }

  @Test(arguments: [ReachabilityStatus.Reason.nameNotFound, .noAddressRecords])
  func `a wait for a name that does not exist ends at once`(reason: ReachabilityStatus.Reason) async throws {
    let source = SourceDouble(up, names: NamesDouble(["a.test": .failure(reason)]))
    source.setPath(PathEvaluation(ReachabilityPath(.satisfied)))
    let error = await #expect(throws: ReachabilityMonitorError.self) {
      try await ReachabilityMonitor(source: source).waitUntilReachable(a)
    }
    #expect(error?.code == .invalidTarget && error?.status == .notReachable(reason))
    #expect(error?.description == "a.test cannot become reachable: \(reason)")
  }

  @Test func `without a path, a name may exist once there is one`() async throws {
    let names = NamesDouble(["a.test": .failure(.nameNotFound)])
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    async let status = monitor.waitUntilReachable(a, timeout: .seconds(60))
    try await names.asked.wait(for: 1)
    names.set("a.test", .found("10.9.0.1"))
    #expect(try await status == known(up, "10.9.0.1"))
  }

  @Test func `a wait for a name lasts until it exists, if that is wanted`() async throws {
    let names = NamesDouble(["a.test": .failure(.nameNotFound)])
    let source = SourceDouble(up, names: names)
    source.setPath(PathEvaluation(ReachabilityPath(.satisfied)))
    let monitor = ReachabilityMonitor(source: source)
    async let status = monitor.waitUntilReachable(a, timeout: .seconds(60), awaitingName: true)
    try await names.asked.wait(for: 1)
    names.set("a.test", .found("10.9.0.1"))
    #expect(try await status == known(up, "10.9.0.1"))
  }
}
