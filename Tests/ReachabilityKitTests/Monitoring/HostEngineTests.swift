// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import TestSupport
import Testing

@testable import ReachabilityKit

/// Traffic in which everything answers.
private struct AnsweringTraffic: TrafficSource {
  static let evidence = TrafficEvidence(.answering, strength: .strong, received: .zero, answeringPeers: 1)

  func evidence(about question: EvidenceQuestion) -> TrafficEvidence? { Self.evidence }
  func readTraffic() -> TrafficReading { TrafficReading() }
  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool { false }
  func readingInterval(wanted: Duration) -> Duration { wanted }
  func index(of interface: ReachabilityTarget.Interface) -> Int32? { nil }
}

/// Targets by name: which calls depend on a name server.
// A lookup is abandoned after 30 s, for which a test on the task pool may wait for its turn on a busy machine.
@Suite(.timeLimit(.minutes(10)), .onOwnThreads, .deadline) struct HostEngineTests {
  private let a = ReachabilityTarget.host("a.test")
  private let resolving = ReachabilityStatus.unknown(.resolving)
  private let up = ReachabilityStatus.number(1)

  /// A host's status, with equal statuses of its addresses.
  private func known(_ status: ReachabilityStatus, _ addresses: ReachabilityAddress...) -> ReachabilityStatus
  {
    var known = status
    known.addresses = addresses.map { ReachabilityStatus.ResolvedAddress($0, status: status) }
    return known
  }

  @Test func `a host is unknown, resolving, until its name is resolved`() async throws {
    let names = NamesDouble()
    let source = SourceDouble(up, names: names)
    let monitor = ReachabilityMonitor(source: source)
    let observer = monitor.log(a)
    #expect(try await observer.events.wait(for: 1) == .telling(resolving, of: a))
    #expect(monitor.currentStatus(of: a) == resolving)
    names.set("a.test", .found("10.9.0.1", "fd00:9::1"))
    let status = known(up, "10.9.0.1", "fd00:9::1")
    #expect(try await observer.events.wait(for: 2) == .telling(resolving, status, of: a))
    #expect(monitor.currentStatus(of: a) == status)
    #expect(names.asked.elements == ["a.test"])
  }

  @Test func `the explanation of a host has the evidence of traffic once its addresses are known`()
    async throws
  {
    let names = NamesDouble()
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names, traffic: AnsweringTraffic()))
    let observer = monitor.log(a)
    try await observer.events.wait(for: 1)
    #expect(monitor.currentExplanation(of: a).evidence == nil)
    names.set("a.test", .found("10.9.0.1"))
    try await observer.events.wait(for: 2)
    let explanation = monitor.currentExplanation(of: a)
    #expect(explanation.evidence == AnsweringTraffic.evidence)
    #expect(explanation.steps.contains { $0.kind == .traffic && $0.verdict == .passed }, "\(explanation)")
  }

  @Test func `no further lookup begins after the monitor is released`() async throws {
    let names = NamesDouble()
    weak var resolver: NameResolver?
    do {
      let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
      resolver = monitor.handle.engine.names
      for number in 0..<10 {
        _ = monitor.currentStatus(of: .host(ReachabilityTarget.HostName(literal: "www.zone\(number).test")))
      }
      try await names.asked.wait(for: 6)
    }
    names.end()
    // The resolver's threads end when its last reference is released.
    let deadline = ContinuousClock.now + .seconds(10)
    while resolver != nil, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(1)) }
    #expect(resolver == nil)
    #expect(names.asked.elements.count == 6)
  }

  @Test func `observers of equal names share a lookup, whatever their constraints`() async throws {
    let names = NamesDouble()
    defer { names.end() }
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let targets = [
      a, .host("A.TEST"), ReachabilityTarget(.host(ReachabilityTarget.HostName(literal: "a.test")), mark: 7),
    ]
    let first = targets.map { monitor.log($0) }
    for observer in first { try await observer.events.wait(for: 1) }
    let held = monitor.log(a, settling: .seconds(30))
    try await held.events.wait(for: 1)
    names.set("a.test", .found("10.9.0.1"))
    for observer in first + [held] {
      let statuses = try await observer.events.wait(for: 2).map(\.status)
      #expect(statuses == [resolving, known(up, "10.9.0.1")])
    }
    // A later observer needs no lookup.
    let late = monitor.log(ReachabilityTarget(.host(ReachabilityTarget.HostName(literal: "a.test")), mark: 8))
    #expect(try await late.events.wait(for: 1).map(\.status) == [known(up, "10.9.0.1")])
    #expect(names.asked.elements == ["a.test"])
  }

  @Test func `a status query begins a lookup and does not wait for it`() async throws {
    let names = NamesDouble()
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    for _ in 0..<100 { #expect(monitor.currentStatus(of: a) == resolving) }
    #expect(try await names.asked.wait(for: 1) == ["a.test"])
    names.set("a.test", .failure(.nameNotFound))
    #expect(try await monitor.status(of: a) == .notReachable(.nameNotFound))
    #expect(monitor.currentStatus(of: a) == .notReachable(.nameNotFound))
  }

  @Test func `localhost needs no lookup`() async throws {
    let names = NamesDouble()
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let status = known(up, "::1", "127.0.0.1")
    for target in [ReachabilityTarget.host("localhost"), .host("www.localhost.")] {
      #expect(monitor.currentStatus(of: target) == status)
      let observer = monitor.log(target)
      #expect(try await observer.events.wait { $0.last?.status == status }.count <= 2)
    }
    #expect(names.asked.elements == [])
  }

  @Test func `resolver settings are watched while a host is observed`() async throws {
    let names = NamesDouble(["a.test": .found("10.9.0.1"), "b.test": .found("10.9.0.2")])
    let source = SourceDouble(up, names: names)
    let monitor = ReachabilityMonitor(source: source)
    let plain = monitor.log(.address("10.1.0.1"))
    try await plain.events.wait(for: 1)
    #expect(!source.calls.elements.contains(.watchNames(true)))
    let one = monitor.log(a)
    let other = monitor.log(.host("b.test"))
    try await one.events.wait { $0.last?.status.isReachable == true }
    try await other.events.wait { $0.last?.status.isReachable == true }
    one.token.cancel()
    other.token.cancel()
    let calls = try await source.calls.wait { $0.contains(.watchNames(false)) }
    #expect(calls.count { $0 == .watchNames(true) } == 1)
  }

  // MARK: Stuck lookups

  @Test func `address targets are not delayed while every lookup is stuck`() async throws {
    let names = NamesDouble()
    defer { names.end() }
    let source = SourceDouble(up, names: names)
    let monitor = ReachabilityMonitor(source: source)
    let hosts = (0..<1000).map { monitor.log(.host("www.dead\($0).test")) }
    for host in hosts { try await host.events.wait(for: 1) }
    let target = ReachabilityTarget.address("10.9.0.1")
    let observer = monitor.log(target)
    try await observer.events.wait(for: 1)
    for number in 2...5 {
      source.set(.number(number))
      source.announce(NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.1/32")]))
      try await observer.events.wait(for: number)
      #expect(monitor.currentStatus(of: target) == .number(number))
    }
    #expect(names.asked.elements.count == 6 && names.mostAtOnce == 6)
  }

  @Test func `a cancellation returns immediately while lookups are stuck`() async throws {
    let names = NamesDouble()
    defer { names.end() }
    let gone = Log<Void>()
    do {
      let source = SourceDouble(up, names: names)
      let monitor = ReachabilityMonitor(source: source)
      let hosts = (0..<20).map { monitor.log(.host("www.dead\($0).test")) }
      for host in hosts { try await host.events.wait(for: 1) }
      try await names.asked.wait(for: 6)
      let canary = Canary(gone)
      let token = monitor.observe(a, on: DispatchQueue(label: "test")) { [canary] _ in _ = canary }
      token.cancel()
      for host in hosts { host.token.cancel() }
      try await source.calls.wait { $0.contains(.stop) }
    }
    // No observer is left, though the lookups continue.
    try await gone.wait(for: 1)
    #expect(names.asked.elements.count == 6)
  }

  @Test func `a name without observers is not looked up when a place becomes free`() async throws {
    let names = NamesDouble()
    defer { names.end() }
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let hosts = (0..<20).map { monitor.log(.host("www.dead\($0).test")) }
    for host in hosts { try await host.events.wait(for: 1) }
    try await names.asked.wait(for: 6)
    for host in hosts.dropFirst(6).dropLast() { host.token.cancel() }
    // The turn that delivers to the first new target may have begun before the cancellation; the next one did not.
    for address in ["10.9.0.1", "10.9.0.2"] as [ReachabilityAddress] {
      let fence = monitor.log(.address(address))
      try await fence.events.wait(for: 1)
    }
    names.set("www.dead0.test", .failure(.nameResolutionTimedOut))
    #expect(try await names.asked.wait(for: 7).last == "www.dead19.test")
  }

  @Test func `names in another zone are resolved while one zone's lookups are stuck`() async throws {
    let names = NamesDouble(["www.alive.org": .found("10.9.0.1")])
    defer { names.end() }
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let dead = (0..<200).map { monitor.log(.host("n\($0).dead.test")) }
    let alive = monitor.log(.host("www.alive.org"))
    #expect(
      try await alive.events.wait { $0.last?.status.isReachable == true }.count <= 2)
    #expect(try await monitor.status(of: .host("www.alive.org")).isReachable)
    _ = dead
    #expect(names.mostAtOnce <= 6)
  }

  // MARK: Changing names

  @Test func `a refresh looks up every observed name again`() async throws {
    let names = NamesDouble(["a.test": .found("10.9.0.1")])
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let observer = monitor.log(a)
    try await observer.events.wait { $0.last?.status == known(up, "10.9.0.1") }
    names.set("a.test", .found("10.9.0.2"))
    monitor.refresh()
    try await observer.events.wait { $0.last?.status == known(up, "10.9.0.2") }
    #expect(names.asked.elements == ["a.test", "a.test"])
  }

  @Test(arguments: [NetworkChange(names: true), NetworkChange(everything: true)])
  func `observed names are looked up again when a change has settled`(change: NetworkChange) async throws {
    let names = NamesDouble(["a.test": .found("10.9.0.1")])
    let source = SourceDouble(up, names: names)
    let monitor = ReachabilityMonitor(source: source)
    let observer = monitor.log(a)
    try await observer.events.wait { $0.last?.status == known(up, "10.9.0.1") }
    names.set("a.test", .found("10.9.0.2"))
    let clock = SuspendingClock()
    let start = clock.now
    source.announce(change)
    try await names.asked.wait(for: 2)
    #expect(start.duration(to: clock.now) >= (change.names ? .milliseconds(100) : .seconds(1)))
    try await observer.events.wait { $0.last?.status == known(up, "10.9.0.2") }
  }

  @Test func `a network change that comes with a refresh is not lost`() async throws {
    let names = NamesDouble(["a.test": .found("10.9.0.1")])
    let source = SourceDouble(up, names: names)
    let monitor = ReachabilityMonitor(source: source)
    let observer = monitor.log(a)
    try await observer.events.wait { $0.last?.status == known(up, "10.9.0.1") }
    source.leave(.all)
    monitor.refresh()
    // Immediately, and when the network has settled.
    try await names.asked.wait(for: 3)
  }

  @Test func `a host is unreachable while its name is lost and reachable once it is back`() async throws {
    let names = NamesDouble(["a.test": .found("10.9.0.1")])
    let monitor = ReachabilityMonitor(source: SourceDouble(up, names: names))
    let observer = monitor.log(a)
    try await observer.events.wait { $0.last?.status == known(up, "10.9.0.1") }
    names.set("a.test", .failure(.nameServerFailed))
    monitor.refresh()
    try await observer.events.wait { $0.last?.status == .notReachable(.nameServerFailed) }
    names.set("a.test", .found("10.9.0.1"))
    // Nothing is announced: the next lookup follows a second after a failure.
    try await observer.events.wait { $0.last?.status == known(up, "10.9.0.1") }
  }
}
