// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityTesting
import TestSupport
import Testing

@testable import ReachabilityKit

/// Statuses as an asynchronous sequence.
@Suite(.timeLimit(.minutes(10)), .deadline) struct StreamTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let network = SimulatedNetwork(.number(0))
  private let monitor: ReachabilityMonitor

  init() { monitor = ReachabilityMonitor(simulating: network) }

  private func event(_ number: Int, after previous: Int? = nil) -> ReachabilityEvent {
    ReachabilityEvent(target: target, status: .number(number), previous: previous.map { .number($0) })
  }

  @Test func `a stream begins with the present status, marked as initial`() async throws {
    var iterator = monitor.events(of: target).makeAsyncIterator()
    let first = await iterator.next(isolation: #isolation)
    #expect(first == event(0))
    #expect(first?.isInitial == true)
  }

  @Test func `a reader that keeps up receives each change`() async throws {
    var iterator = monitor.events(of: target).makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == event(0))
    for number in 1...50 {
      network.setStatus(.number(number))
      #expect(await iterator.next(isolation: #isolation) == event(number, after: number - 1))
    }
  }

  @Test func `a slow reader receives only the newest status, after the one that it read last`() async throws {
    var iterator = monitor.events(of: target).makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == event(0))
    // It joins after the stream, and so receives its events later.
    let fence = monitor.log(target)
    for number in 1...3 {
      try await fence.events.wait(for: number)
      network.setStatus(.number(number))
    }
    try await fence.events.wait(for: 4)
    #expect(await iterator.next(isolation: #isolation) == event(3, after: 0))
    network.setStatus(.number(4))
    #expect(await iterator.next(isolation: #isolation) == event(4, after: 3))
  }

  @Test func `a reader that begins late receives the newest status as the initial one`() async throws {
    var iterator = monitor.events(of: target).makeAsyncIterator()
    let fence = monitor.log(target)
    try await fence.events.wait(for: 1)
    network.setStatus(.number(1))
    try await fence.events.wait(for: 2)
    #expect(await iterator.next(isolation: #isolation) == event(1))
  }

  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  @Test func `a change that reverted before it was read is not delivered`() async throws {
    let sink = StreamSink<ReachabilityEvent>()
    sink.receive(event(0))
    #expect(await sink.next() == event(0))
    sink.receive(event(1, after: 0))
    sink.receive(event(0, after: 1))
    // The task runs immediately, until it has to wait.
    let reader = Task.immediate { await sink.next() }
    sink.receive(event(2, after: 0))
    #expect(await reader.value == event(2, after: 0))
  }

  @Test func `a reader receives a chain that ends with the last status, at any rate of change`() async {
    let restless = ReachabilityMonitor(source: RestlessSource(last: 20_000))
    var events: [ReachabilityEvent] = []
    for await event in restless.events(of: target) {
      events.append(event)
      if event.status == .number(20_000) { break }
    }
    #expect(events == .telling(events.map(\.status), of: target))
    #expect(Set(events.map(\.status)).count == events.count)
  }

  // MARK: End of a stream

  @Test func `a stream ends with its task`() async throws {
    let heard = Log<ReachabilityEvent>()
    let task = Task { [monitor, target] in
      for await event in monitor.events(of: target) { heard.append(event) }
      // The iterator keeps returning `nil`.
      var iterator = monitor.events(of: target).makeAsyncIterator()
      return await iterator.next(isolation: #isolation) == nil
    }
    try await heard.wait(for: 1)
    task.cancel()
    #expect(await task.value)
    network.setStatus(.number(1))
    let fence = monitor.log(target)
    try await fence.events.wait { $0.last?.status == .number(1) }
    #expect(heard.elements == [event(0)])
  }

  @Test func `a cancelled iterator has ended for good`() async throws {
    let sink = StreamSink<ReachabilityEvent>()
    sink.receive(event(0))
    let task = Task {
      _ = await sink.next()
      return await sink.next()
    }
    task.cancel()
    #expect(await task.value == nil)
    sink.receive(event(1))
    #expect(await sink.next() == nil)
  }

  @Test func `leaving the loop ends the observation`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    for await _ in monitor.events(of: target) { break }
    #expect(try await source.calls.wait(for: 3) == [.start, .evaluate([target]), .stop])
  }

  @Test func `a sequence without an iterator observes nothing`() {
    let source = SourceDouble(.number(0))
    _ = ReachabilityMonitor(source: source).events(of: target)
    #expect(source.calls.elements == [])
  }

  // MARK: Several readers

  @Test func `two iterations of one sequence are independent`() async throws {
    let statuses = monitor.events(of: target)
    var (first, second) = (statuses.makeAsyncIterator(), statuses.makeAsyncIterator())
    #expect(await first.next(isolation: #isolation) == event(0))
    network.setStatus(.number(1))
    #expect(await first.next(isolation: #isolation) == event(1, after: 0))
    // The second has received nothing yet.
    #expect(await second.next(isolation: #isolation) == event(1))
    network.setStatus(.number(2))
    #expect(await second.next(isolation: #isolation) == event(2, after: 1))
    #expect(await first.next(isolation: #isolation) == event(2, after: 1))
  }

  @Test func `the end of one iteration does not end another`() async throws {
    let statuses = monitor.events(of: target)
    var iterator = statuses.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == event(0))
    let task = Task {
      var count = 0
      for await _ in statuses { count += 1 }
      return count
    }
    task.cancel()
    _ = await task.value
    network.setStatus(.number(1))
    #expect(await iterator.next(isolation: #isolation) == event(1, after: 0))
  }

  @Test func `many tasks all receive the last status`() async throws {
    let tasks = (0..<100).map { _ in
      Task { [monitor, target] in
        var events: [ReachabilityEvent] = []
        for await event in monitor.events(of: target) {
          events.append(event)
          if event.status == .number(9) { break }
        }
        return events
      }
    }
    for number in 1...9 { network.setStatus(.number(number)) }
    for task in tasks {
      let events = await task.value
      #expect(events == .telling(events.map(\.status), of: target))
      #expect(events.last?.status == .number(9))
    }
  }

  @MainActor @Test func `a stream can be read on the main actor`() async throws {
    var numbers: [ReachabilityEvent] = []
    for await event in monitor.events(of: target) {
      numbers.append(event)
      if numbers.count == 2 { break }
      network.setStatus(.number(1))
    }
    #expect(numbers == [event(0), event(1, after: 0)])
  }

  @Test func `a settling time applies to a stream too`() async throws {
    let clock = SuspendingClock()
    var iterator = monitor.events(of: target, settling: .milliseconds(50)).makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == event(0))
    let start = clock.now
    network.setStatus(.number(1))
    #expect(await iterator.next(isolation: #isolation) == event(1, after: 0))
    #expect(start.duration(to: clock.now) >= .milliseconds(50))
  }
}
