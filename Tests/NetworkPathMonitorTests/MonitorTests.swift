// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import NetworkPathMonitor
import ReachabilityKit
import ReachabilityTesting
import TestSupport
import Testing

/// The order of calls: starts, handlers, cancellations.
@Suite("Monitor", .deadline)
struct MonitorTests {
  private let stage = Stage()
  private let queue = DispatchQueue(label: "monitor")

  /// Waits for a condition; the suite's deadline ends a wait for one that never holds.
  private func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test(arguments: [ReachabilityStatus.reachable(over: .wifi), .notReachable(.noRoute)])
  func `the first call always comes, on the queue and never inside start`(status: ReachabilityStatus)
    async throws
  {
    let stage = Stage(status)
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "mine")
    let calls = Log<String>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { path in
      calls.append("\(DispatchQueue.getSpecific(key: key) ?? "other") \(path.status == .satisfied)")
    }
    queue.sync {
      monitor.start(queue: queue)
      calls.append("started")
    }
    #expect(try await calls.wait(for: 2) == ["started", "mine \(status.isReachable)"])
    monitor.cancel()
  }

  @Test func `the first call comes if the kernel cannot be queried, and is unsatisfied`() async throws {
    let path = try await Stage(.unknown(.systemError)).firstPath()
    #expect(path.status == .unsatisfied)
    #expect(path.unsatisfiedReason == .notAvailable)
  }

  @Test func `while the kernel cannot be queried, the last known path stays`() async throws {
    let calls = Log<NWPath.Status>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { calls.append($0.status) }
    monitor.start(queue: queue)
    try await calls.wait(for: 1)
    stage.network.setStatus(.unknown(.systemError))
    let other = Log<ReachabilityPath>()
    let observation = stage.monitor.observePath(on: queue) { other.append($0) }
    try await other.wait(for: 1)
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(try await calls.wait(for: 2) == [.satisfied, .unsatisfied])
    monitor.cancel()
    observation.cancel()
  }

  @Test func `there is exactly one first call, and none after cancel`() async throws {
    let calls = Log<String>()
    let cancelled = stage.make()
    cancelled.pathUpdateHandler = { _ in calls.append("cancelled") }
    cancelled.start(queue: queue)
    try await calls.wait(for: 1)
    cancelled.cancel()
    let other = stage.make()
    other.pathUpdateHandler = { calls.append("other \($0.status == .satisfied)") }
    other.start(queue: queue)
    try await calls.wait(for: 2)
    stage.network.setStatus(.notReachable(.noRoute))
    // The other monitor has received the change on the same queue.
    #expect(try await calls.wait(for: 3) == ["cancelled", "other true", "other false"])
    other.cancel()
  }

  @Test func `a monitor that is cancelled before its first call makes none`() async throws {
    let calls = Log<String>()
    let cancelled = stage.make()
    cancelled.pathUpdateHandler = { _ in calls.append("cancelled") }
    let other = stage.make()
    other.pathUpdateHandler = { _ in calls.append("other") }
    queue.suspend()
    cancelled.start(queue: queue)
    other.start(queue: queue)
    cancelled.cancel()
    queue.resume()
    #expect(try await calls.wait(for: 1) == ["other"])
    other.cancel()
  }

  @Test func `cancel within the handler makes the first call the only one`() async throws {
    let calls = Log<Void>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { _ in
      monitor.cancel()
      calls.note()
    }
    monitor.start(queue: .global())
    try await calls.wait(for: 1)
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(try await stage.firstPath().status == .unsatisfied)
    #expect(calls.elements.count == 1)
  }

  @Test func `the handler is read when a path is delivered`() async throws {
    let calls = Log<String>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { _ in calls.append("first") }
    queue.sync {
      monitor.start(queue: queue)
      monitor.pathUpdateHandler = { _ in calls.append("second") }
    }
    try await calls.wait(for: 1)
    monitor.pathUpdateHandler = { _ in calls.append("third") }
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(try await calls.wait(for: 2) == ["second", "third"])
    monitor.cancel()
  }

  @Test func `currentPath is unsatisfied and empty before the start`() {
    let path = stage.make().currentPath
    #expect(path.status == .unsatisfied)
    #expect(path.unsatisfiedReason == .notAvailable)
    #expect(path.availableInterfaces.isEmpty && path.gateways.isEmpty)
    #expect(![path.supportsIPv4, path.supportsIPv6, path.supportsDNS].contains(true))
    #expect(![path.isExpensive, path.isConstrained, path.isUltraConstrained].contains(true))
    #expect(!path.usesInterfaceType(.wifi))
    #expect(path.debugDescription == "unsatisfied (No network route)")
  }

  @Test func `currentPath is updated without a handler`() async {
    let monitor = stage.make()
    monitor.start(queue: queue)
    await wait { monitor.currentPath.status == .satisfied }
    stage.network.setStatus(.notReachable(.noRoute))
    await wait { monitor.currentPath.status == .unsatisfied }
    monitor.cancel()
  }

  @Test func `currentPath is set before the handler is called`() async throws {
    let calls = Log<Bool>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { calls.append($0 == monitor.currentPath) }
    monitor.start(queue: queue)
    try await calls.wait(for: 1)
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(try await calls.wait(for: 2) == [true, true])
    monitor.cancel()
  }

  @Test func `a second start is ignored`() async throws {
    let other = DispatchQueue(label: "other")
    let calls = Log<Bool>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { calls.append($0.status == .satisfied) }
    monitor.start(queue: queue)
    monitor.start(queue: other)
    #expect(monitor.queue === queue)
    try await calls.wait(for: 1)
    stage.network.setStatus(.notReachable(.noRoute))
    try await calls.wait(for: 2)
    stage.network.setStatus(.reachable(over: .wired))
    #expect(try await calls.wait(for: 3) == [true, false, true])
    monitor.cancel()
  }

  @Test func `a cancelled monitor stays dead, started before or not`() async throws {
    let calls = Log<Void>()
    for isStarted in [true, false] {
      let monitor = stage.make()
      if isStarted { monitor.start(queue: queue) }
      monitor.cancel()
      monitor.cancel()
      monitor.pathUpdateHandler = { _ in calls.note() }
      monitor.start(queue: queue)
      #expect((monitor.queue === queue) == isStarted)
      var paths = monitor.makeAsyncIterator()
      #expect(await paths.next(isolation: #isolation) == nil)
    }
    _ = try await stage.firstPath()
    #expect(calls.elements.isEmpty)
  }

  @Test func `queue is nil before the start, and stays after cancel`() {
    let monitor = stage.make()
    #expect(monitor.queue == nil)
    monitor.start(queue: queue)
    #expect(monitor.queue === queue)
    monitor.cancel()
    #expect(monitor.queue === queue)
  }

  @Test func `a started monitor lives without a reference until it is cancelled`() async throws {
    let calls = Log<Bool>()
    weak var started: NWPathMonitor?
    do {
      let monitor = stage.make()
      monitor.pathUpdateHandler = { calls.append($0.status == .satisfied) }
      monitor.start(queue: queue)
      started = monitor
    }
    try await calls.wait(for: 1)
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(try await calls.wait(for: 2) == [true, false])
    started?.cancel()
    await wait { started == nil }
  }

  @Test func `a monitor that was never started is released with its last reference`() {
    weak var unstarted: NWPathMonitor?
    do { unstarted = stage.make() }
    #expect(unstarted == nil)
  }

  @Test func `the handler's getter returns the stored one, to call by hand or to chain`() async throws {
    let calls = Log<String>()
    let monitor = stage.make()
    #expect(monitor.pathUpdateHandler == nil)
    monitor.pathUpdateHandler = { calls.append("first \($0.status == .satisfied)") }
    monitor.pathUpdateHandler?(monitor.currentPath)
    let first = monitor.pathUpdateHandler
    monitor.pathUpdateHandler = { path in
      first?(path)
      calls.append("second")
    }
    monitor.start(queue: queue)
    #expect(try await calls.wait(for: 3) == ["first false", "first true", "second"])
    monitor.pathUpdateHandler = nil
    #expect(monitor.pathUpdateHandler == nil)
    monitor.cancel()
  }

  @Test func `cancel releases the handler, also one that holds its monitor`() async throws {
    weak var released: NWPathMonitor?
    let calls = Log<Void>()
    do {
      let monitor = stage.make()
      released = monitor
      monitor.pathUpdateHandler = { _ in
        monitor.cancel()
        calls.note()
      }
      monitor.start(queue: queue)
    }
    try await calls.wait(for: 1)
    await wait { released == nil }
  }

  @Test func `a handler that is removed receives nothing more`() async throws {
    let calls = Log<Void>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { _ in calls.note() }
    monitor.start(queue: queue)
    try await calls.wait(for: 1)
    monitor.pathUpdateHandler = nil
    stage.network.setStatus(.notReachable(.noRoute))
    await wait { monitor.currentPath.status == .unsatisfied }
    #expect(calls.elements.count == 1)
    monitor.cancel()
  }

  @Test func `a replaced handler is released under no lock`() {
    let gone = Log<Void>()
    let monitor = stage.make()
    monitor.pathUpdateHandler = { [canary = Canary(gone)] _ in withExtendedLifetime(canary) {} }
    monitor.pathUpdateHandler = nil
    #expect(gone.elements.count == 1)
  }

  // MARK: Iterations

  @Test func `an iteration needs no start, and receives the current path and each change`() async {
    var seen: [Bool] = []
    for await path in stage.make() {
      seen.append(path.status == .satisfied)
      if seen.count == 3 { break }
      stage.network.setStatus(seen.count == 1 ? .notReachable(.noRoute) : .reachable(over: .wired))
    }
    #expect(seen == [true, false, true])
  }

  @Test func `a change that a path does not show calls no handler and continues no iteration`() async throws {
    let monitor = stage.make()
    let calls = Log<Bool>()
    monitor.pathUpdateHandler = { calls.append($0.status == .satisfied) }
    monitor.start(queue: .global())
    var seen: [Bool] = []
    for await path in monitor {
      seen.append(path.status == .satisfied)
      if seen.count == 3 { break }
      // Both paths are unsatisfied, for different reasons.
      if seen.count == 2 { stage.network.setStatus(.notReachable(.noCarrier)) }
      stage.network.setStatus(seen.count == 1 ? .notReachable(.noRoute) : .reachable(over: .wifi))
    }
    #expect(seen == [true, false, true])
    #expect(try await calls.wait(for: 3) == seen)
    monitor.cancel()
  }

  @Test func `an iteration updates currentPath and leaves the queue nil`() async {
    let monitor = stage.make()
    for await path in monitor {
      #expect(monitor.currentPath == path)
      break
    }
    #expect(monitor.queue == nil)
  }

  @Test func `cancel ends all iterations, and an iteration in its own task's end`() async throws {
    let monitor = stage.make()
    let events = Log<String>()
    let tasks = (0..<3).map { _ in
      Task {
        for await _ in monitor { events.append("path") }
        events.append("end")
      }
    }
    try await events.wait(for: 3)
    tasks[0].cancel()
    try await events.wait(for: 4)
    monitor.cancel()
    #expect(try await events.wait(for: 6) == ["path", "path", "path", "end", "end", "end"])
  }

  @Test func `cancel from the end of a stream, and from an iteration, locks nothing`() async throws {
    let monitor = stage.make()
    let (stream, continuation) = AsyncStream<NWPath>.makeStream()
    continuation.onTermination = { _ in monitor.cancel() }
    monitor.pathUpdateHandler = { continuation.yield($0) }
    monitor.start(queue: queue)
    let task = Task {
      for await _ in monitor {
        continuation.finish()
      }
    }
    var count = 0
    for await _ in stream { count += 1 }
    await task.value
    #expect(count <= 1)
  }

  @Test func `an iteration that is left early ends its observation`() async {
    weak var left: NWPathMonitor?
    do {
      let monitor = stage.make()
      left = monitor
      for await _ in monitor { break }
    }
    await wait { left == nil }
  }

  @Test func `debugDescription contains the path`() async throws {
    let monitor = stage.make()
    #expect("\(monitor)" == "NWPathMonitor: unsatisfied (No network route)")
  }
}
