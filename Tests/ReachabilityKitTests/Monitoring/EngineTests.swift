// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import POSIX
import TestSupport
import Testing

@testable import ReachabilityKit

/// The engine's queries to its source, and their timing.
@Suite(.timeLimit(.minutes(10)), .deadline) struct EngineTests {
  private let target = ReachabilityTarget.address("10.9.0.1")

  @Test func `a status query without observers is answered without a thread`() {
    let source = SourceDouble(.number(3))
    let monitor = ReachabilityMonitor(source: source)
    #expect(monitor.currentStatus(of: target) == .number(3))
    #expect(source.calls.elements == [.status(target)])
  }

  @Test func `the engine watches the source before it queries it, while observers exist`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    let first = monitor.log(target)
    try await first.events.wait(for: 1)
    first.token.cancel()
    #expect(try await source.calls.wait(for: 3) == [.start, .evaluate([target]), .stop])

    source.set(.number(1))
    let second = monitor.log(target)
    #expect(try await second.events.wait(for: 1) == .telling(.number(1), of: target))
    second.token.cancel()
    #expect(
      try await source.calls.wait(for: 6)
        == [.start, .evaluate([target]), .stop, .start, .evaluate([target]), .stop])
  }

  @Test func `a change that has settled wakes the reader of a stream`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    var events = monitor.events(of: target, settling: .milliseconds(200)).makeAsyncIterator()
    #expect(await events.next(isolation: #isolation)?.status == .number(0))
    source.set(.number(1))
    source.announce()
    #expect(await events.next(isolation: #isolation)?.status == .number(1))
  }

  @Test func `only targets that a change can affect are queried`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    let others: [ReachabilityTarget] = [.address("10.2.0.1"), .address("fd00::1")]
    let observers = ([target] + others).map { monitor.log($0) }
    for observer in observers { try await observer.events.wait(for: 1) }
    source.set(.number(1))
    source.announce(NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")]))
    try await observers[0].events.wait(for: 2)
    #expect(source.calls.elements.last == .evaluate([target]))
    source.announce()
    try await observers[1].events.wait(for: 2)
    try await observers[2].events.wait(for: 2)
    #expect(source.calls.elements.last == .evaluate([target] + others))
  }

  @Test func `a refresh queries every observed target again`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    let observer = monitor.log(target)
    try await observer.events.wait(for: 1)
    let asked = source.calls.elements.count
    // Nothing is announced.
    source.set(.number(1))
    monitor.refresh()
    #expect(try await observer.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
    #expect(Array(source.calls.elements.dropFirst(asked)) == [.evaluate([target])])

    monitor.refresh()
    let calls = try await source.calls.wait(for: asked + 2)
    #expect(Array(calls.dropFirst(asked)) == [.evaluate([target]), .evaluate([target])])
    #expect(observer.events.elements.count == 2)
  }

  @Test func `a refresh without observers queries nothing`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    monitor.refresh()
    #expect(source.calls.elements == [])
    let observer = monitor.log(target)
    try await observer.events.wait(for: 1)
    observer.token.cancel()
    try await source.calls.wait(for: 3)
    monitor.refresh()
    #expect(monitor.currentStatus(of: target) == .number(0))
    let second = monitor.log(target)
    try await second.events.wait(for: 1)
    #expect(
      source.calls.elements
        == [.start, .evaluate([target]), .stop, .status(target), .start, .evaluate([target])])
  }

  @Test func `a further observer costs one query for its target`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    let first = monitor.log(target)
    try await first.events.wait(for: 1)
    let second = monitor.log(target)
    #expect(try await second.events.wait(for: 1) == .telling(.number(0), of: target))
    let other = monitor.log(.defaultRoute)
    try await other.events.wait(for: 1)
    #expect(
      source.calls.elements
        == [.start, .evaluate([target]), .evaluate([target]), .evaluate([.defaultRoute])])
  }

  // MARK: Failing systems

  @Test func `the status is unknown until a thread can be started`() async throws {
    let source = SourceDouble(.number(0))
    source.setPath(.number(0))
    source.refuseThreads(.max)
    let monitor = ReachabilityMonitor(source: source)
    let events = monitor.log(target)
    #expect(try await events.events.wait(for: 1) == .telling(.unknown(.systemError), of: target))
    let paths = Log<ReachabilityPath>()
    let token = monitor.observePath(on: DispatchQueue(label: "test")) { paths.append($0) }
    #expect(try await paths.wait(for: 1)[0].status == .unknown)
    source.refuseThreads(0)
    // No call reaches the monitor from here on.
    #expect(
      try await events.events.wait(for: 2) == .telling(.unknown(.systemError), .number(0), of: target))
    #expect(try await paths.wait(for: 2).last == .number(0))
    withExtendedLifetime(token) {}
  }

  @Test func `a failed thread start is not retried without observers`() async throws {
    let source = SourceDouble(.number(0))
    source.refuseThreads(.max)
    let monitor = ReachabilityMonitor(source: source)
    let events = monitor.log(target)
    try await events.events.wait(for: 1)
    events.token.cancel()
    source.refuseThreads(0)
    let others = monitor.log(target)
    #expect(try await others.events.wait(for: 1) == .telling(.number(0), of: target))
  }

  @Test func `a system that cannot be watched is queried, and watched once it can be`() async throws {
    let source = SourceDouble(.number(0), isRefusing: true)
    let monitor = ReachabilityMonitor(source: source)
    let observer = monitor.log(target)
    #expect(try await observer.events.wait(for: 1) == .telling(.number(0), of: target))
    // The next query finds a change that was not announced.
    source.set(.number(1))
    #expect(try await observer.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))

    source.allow()
    let calls = try await source.calls.wait { $0.contains(.start) && $0.last != .start }
    #expect(calls.suffix(2) == [.start, .evaluate([target])])
    let attempt: [SourceDouble.Call] = [.refusal, .evaluate([target])]
    let attempts = Array(calls.dropLast(2))
    let expected = (0..<attempts.count / 2).flatMap { _ in attempt }
    #expect(attempts == expected)

    // From here on changes are announced, and only these lead to queries.
    source.set(.number(2))
    source.announce()
    try await observer.events.wait(for: 3)
    observer.token.cancel()
    #expect(try await source.calls.wait { $0.last == .stop }.last == .stop)
  }

  @Test func `a system that cannot be watched is not stopped, and everything is released`() async throws {
    let gone = Log<Void>()
    let calls: Log<SourceDouble.Call>
    do {
      let source = SourceDouble(.number(0), isRefusing: true, gone: gone)
      calls = source.calls
      let monitor = ReachabilityMonitor(source: source)
      let observer = monitor.log(target)
      try await observer.events.wait(for: 1)
      observer.token.cancel()
      #expect(monitor.currentStatus(of: target) == .number(0))
    }
    try await gone.wait(for: 1)
    #expect(calls.elements.contains(.refusal) && !calls.elements.contains(.stop))
  }

  @Test func `a status is unknown while the system fails to answer`() async throws {
    let source = SourceDouble { _ in
      Evaluation(.unknown(.systemError), lifetime: .milliseconds(10))
    }
    let monitor = ReachabilityMonitor(source: source)
    let observer = monitor.log(target)
    #expect(try await observer.events.wait(for: 1) == .telling(.unknown(.systemError), of: target))
    try await source.calls.wait(for: 4)
    #expect(observer.events.elements.count == 1)
    source.set(.number(1))
    #expect(
      try await observer.events.wait(for: 2) == .telling(.unknown(.systemError), .number(1), of: target))
  }

  @Test func `an expired status is queried again without an announcement`() async throws {
    let asked = Log<Moment>()
    let source = SourceDouble { _ in
      asked.append(.now)
      return asked.elements.count == 1
        ? Evaluation(.number(0), lifetime: .milliseconds(30)) : Evaluation(.notReachable(.noRoute))
    }
    let monitor = ReachabilityMonitor(source: source)
    let observer = monitor.log(target)
    #expect(
      try await observer.events.wait(for: 2) == .telling(.number(0), .notReachable(.noRoute), of: target))
    let moments = asked.elements
    #expect(moments[0].duration(to: moments[1]) >= .milliseconds(30))
  }
}
