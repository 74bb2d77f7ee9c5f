// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import ReachabilityTesting
import TestSupport
import Testing

/// There are no retain cycles: unreferenced objects are released, and referenced ones keep working.
@Suite(.timeLimit(.minutes(10)), .deadline) struct OwnershipTests {
  private let target = ReachabilityTarget.address("10.9.0.1")

  @Test func `releasing a monitor and its token releases them and the handler's captures`() async throws {
    let (sourceGone, captureGone) = (Log<Void>(), Log<Void>())
    let events = Log<ReachabilityEvent>()
    var monitor: ReachabilityMonitor? = ReachabilityMonitor(
      source: SourceDouble(.number(0), gone: sourceGone))
    var token: ReachabilityObservation?
    do {
      let canary = Canary(captureGone)
      token = monitor?.observe(target, on: DispatchQueue(label: "test")) { event in
        withExtendedLifetime(canary) { events.append(event) }
      }
    }
    weak let weakMonitor = monitor
    weak let weakToken = token
    try await events.wait(for: 1)
    #expect(weakMonitor != nil && weakToken != nil)

    monitor = nil
    #expect(weakMonitor == nil)
    #expect(captureGone.elements.isEmpty && sourceGone.elements.isEmpty)
    token = nil
    #expect(weakToken == nil)
    try await captureGone.wait(for: 1)
    // The thread held the last reference to the source.
    try await sourceGone.wait(for: 1)
  }

  @Test func `a cancellation releases the handler's captures while the token stays`() async throws {
    let gone = Log<Void>()
    let monitor = ReachabilityMonitor(source: SourceDouble(.number(0)))
    let canary = Box<Canary?>(Canary(gone))
    let events = Log<ReachabilityEvent>()
    let token = monitor.observe(target, on: DispatchQueue(label: "test")) { [canary = canary.value] event in
      withExtendedLifetime(canary) { events.append(event) }
    }
    canary.set(nil)
    try await events.wait(for: 1)
    #expect(gone.elements.isEmpty)
    token.cancel()
    try await gone.wait(for: 1)
    withExtendedLifetime(token) {}
  }

  @Test func `the thread ends with monitor and observations, in either order`() async throws {
    for tokenFirst in [true, false] {
      let gone = Log<Void>()
      var monitor: ReachabilityMonitor? = ReachabilityMonitor(source: SourceDouble(.number(0), gone: gone))
      var observer = monitor?.log(target)
      try await observer?.events.wait(for: 1)
      if tokenFirst { observer = nil } else { monitor = nil }
      #expect(gone.elements.isEmpty)
      observer = nil
      monitor = nil
      try await gone.wait(for: 1)
    }
  }

  @Test func `a monitor that never observed anything is released immediately`() {
    let gone = Log<Void>()
    do {
      let monitor = ReachabilityMonitor(source: SourceDouble(.number(0), gone: gone))
      #expect(monitor.currentStatus(of: target) == .number(0))
      monitor.refresh()
    }
    #expect(gone.elements.count == 1)
  }

  @Test func `an observation outlives its monitor for as long as its token lives`() async throws {
    let network = SimulatedNetwork(.number(0))
    let observer = ReachabilityMonitor(simulating: network).log(target)
    try await observer.events.wait(for: 1)
    network.setStatus(.number(1))
    #expect(try await observer.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
  }

  @Test func `a stream outlives its monitor for as long as its iterator lives`() async throws {
    let gone = Log<Void>()
    let source = Box<SourceDouble?>(SourceDouble(.number(0), gone: gone))
    do {
      let statuses = ReachabilityMonitor(source: try #require(source.value)).events(of: target)
      var iterator = statuses.makeAsyncIterator()
      #expect(await iterator.next(isolation: #isolation)?.status == .number(0))
      source.value?.set(.number(1))
      source.value?.announce()
      #expect(
        await iterator.next(isolation: #isolation)
          == .init(target: target, status: .number(1), previous: .number(0)))
      source.set(nil)
    }
    try await gone.wait(for: 1)
  }

  @Test func `a handler can release its monitor and still receives events`() async throws {
    let network = SimulatedNetwork(.number(0))
    let monitor = Box<ReachabilityMonitor?>(ReachabilityMonitor(simulating: network))
    let events = Log<ReachabilityEvent>()
    let token = monitor.value?.observe(target, on: DispatchQueue(label: "test")) { event in
      monitor.set(nil)
      events.append(event)
    }
    try await events.wait(for: 1)
    #expect(monitor.value == nil)
    network.setStatus(.number(1))
    #expect(try await events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
    #expect(token != nil)
  }

  @Test func `a handler can release everything, itself included`() async throws {
    let gone = Log<Void>()
    let monitor = Box<ReachabilityMonitor?>(ReachabilityMonitor(source: SourceDouble(.number(0), gone: gone)))
    let token = Box<ReachabilityObservation?>(nil)
    let isReady = DispatchSemaphore(value: 0)
    token.set(
      monitor.value?.observe(target, on: DispatchQueue(label: "test")) { _ in
        isReady.wait()
        monitor.set(nil)
        token.set(nil)
      })
    isReady.signal()
    try await gone.wait(for: 1)
  }

  @Test func `a simulated network is released with its monitors`() async throws {
    let events: Log<ReachabilityEvent>
    weak var weakNetwork: SimulatedNetwork?
    do {
      let network = SimulatedNetwork(.number(0))
      weakNetwork = network
      let observer = ReachabilityMonitor(simulating: network).log(target)
      events = observer.events
      try await events.wait(for: 1)
      #expect(weakNetwork != nil)
    }
    // Nothing reports its release, so poll until the thread has ended.
    let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    while weakNetwork != nil, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(1)) }
    #expect(weakNetwork == nil)
  }

  @Test func `many monitors can be created and released`() async throws {
    let gone = Log<Void>()
    for _ in 0..<200 {
      let monitor = ReachabilityMonitor(source: SourceDouble(.number(0), gone: gone))
      let observer = monitor.log(target)
      observer.token.cancel()
      let second = monitor.log(target)
      try await second.events.wait(for: 1)
    }
    try await gone.wait(for: 200)
  }
}
