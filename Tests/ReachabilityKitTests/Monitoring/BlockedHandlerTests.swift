// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ReachabilityKit

/// The events that wait while a handler is busy.
@Suite(.timeLimit(.minutes(10)), .deadline) struct BlockedHandlerTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let limit = HandlerSink.limit

  /// Delivers these statuses while the handler is busy with the first, and returns the events that it received.
  private func events(of statuses: [ReachabilityStatus]) async throws -> [ReachabilityEvent] {
    let (isBusy, mayGoOn) = (Log<Void>(), DispatchSemaphore(value: 0))
    let events = Log<ReachabilityEvent>()
    let queue = DispatchQueue(label: "test")
    let sink = HandlerSink(queue: queue) { (event: ReachabilityEvent) in
      events.append(event)
      guard event.isInitial else { return }
      isBusy.note()
      mayGoOn.wait()
    }
    for (position, event) in [ReachabilityEvent].telling(statuses, of: target).enumerated() {
      sink.receive(event)
      if position == 0 { try await isBusy.wait(for: 1) }
    }
    mayGoOn.signal()
    try await events.wait { $0.last?.status == statuses.last }
    // The first event takes one turn of the queue, and a second event, if there is one, takes another.
    for _ in 0..<2 { queue.sync {} }
    sink.cancel()
    return events.elements
  }

  @Test func `events up to the limit all wait for a busy handler`() async throws {
    let statuses = (0...limit).map { ReachabilityStatus.number($0) }
    #expect(try await events(of: statuses) == .telling(statuses, of: target))
  }

  @Test func `beyond the limit the oldest and newest events wait, each with its predecessor`() async throws {
    let last = 100_000
    let told = try await events(of: (0...last).map { .number($0) })
    #expect(told.count <= limit + 1)
    #expect(told == .telling((0..<told.count - 1).map { .number($0) } + [.number(last)], of: target))
  }

  @Test func `a status that recurs while the queue is full is no event`() async throws {
    for count in [1_000, 1_001, 1_002, 1_003] {
      // Two alternating statuses, and a different last one.
      let told = try await events(of: (0..<count).map { .number($0 % 2) } + [.number(7)])
      #expect((limit...limit + 1).contains(told.count))
      #expect(told == .telling(told.map(\.status), of: target))
      #expect(zip(told, told.dropFirst()).allSatisfy { $0.status != $1.status })
    }
  }

  @Test func `a newest status equal to the one waiting before it is no event`() async throws {
    // It replaces a status that came in between.
    let told = try await events(of: ((0...limit + 1) + [limit - 1]).map { .number($0) })
    #expect(told == .telling((0..<limit).map { .number($0) }, of: target))
  }

  /// Delivers these paths while the handler is busy with another one, and returns the paths that it received.
  private func paths(_ numbers: [Int]) async throws -> [ReachabilityPath] {
    let (isBusy, mayGoOn) = (Log<Void>(), DispatchSemaphore(value: 0))
    let paths = Log<ReachabilityPath>()
    let queue = DispatchQueue(label: "test")
    let sink = HandlerSink(queue: queue) { (path: ReachabilityPath) in
      paths.append(path)
      guard path == .number(0) else { return }
      isBusy.note()
      mayGoOn.wait()
    }
    sink.receive(MonitorEvent(.path(.number(0))))
    try await isBusy.wait(for: 1)
    for number in numbers { sink.receive(MonitorEvent(.path(.number(number)))) }
    mayGoOn.signal()
    try await paths.wait { $0.last == numbers.last.map { .number($0) } }
    for _ in 0..<2 { queue.sync {} }
    sink.cancel()
    return paths.elements
  }

  @Test func `beyond the limit the oldest and the newest paths wait`() async throws {
    let told = try await paths(Array(1...10_000))
    #expect(told.count <= limit + 1)
    #expect(told == (0..<told.count - 1).map { .number($0) } + [.number(10_000)])
    #expect(limit == 64)
  }

  @Test func `a newest path equal to the one waiting before it is not delivered`() async throws {
    let told = try await paths((1...limit + 1) + [limit - 1])
    #expect(told == (0..<limit).map { .number($0) })
  }
}
