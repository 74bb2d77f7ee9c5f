// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityTesting
import TestSupport
import Testing

@testable import ReachabilityKit

/// Delivery of paths to handlers and readers, through a whole monitor.
@Suite(.timeLimit(.minutes(10)), .deadline) struct PathDeliveryTests {
  private let network = SimulatedNetwork(.reachable(over: .wired))
  private let monitor: ReachabilityMonitor

  init() {
    network.setStatus(.number(0))
    monitor = ReachabilityMonitor(simulating: network)
  }

  private func log(
    _ requirements: ReachabilityPath.Requirements = .none
  ) -> (token: ReachabilityObservation, paths: Log<ReachabilityPath>) {
    let paths = Log<ReachabilityPath>()
    return (monitor.observePath(requirements, on: DispatchQueue(label: "test")) { paths.append($0) }, paths)
  }

  private func setPath(_ number: Int) { network.setPath(ReachabilityPath.number(number)) }

  @Test func `a handler receives the present path, then each change, once`() async throws {
    setPath(0)
    let (token, paths) = log()
    try await paths.wait(for: 1)
    setPath(1)
    try await paths.wait(for: 2)
    setPath(1)
    monitor.refresh()
    setPath(2)
    #expect(try await paths.wait(for: 3) == [.number(0), .number(1), .number(2)])
    withExtendedLifetime(token) {}
  }

  @Test func `no handler starts after a cancellation or the release of the token`() async throws {
    setPath(0)
    let fence = log()
    let (token, paths) = log()
    var dropped: (token: ReachabilityObservation, paths: Log<ReachabilityPath>)? = log()
    let heard = dropped?.paths
    try await paths.wait(for: 1)
    try await heard?.wait(for: 1)
    token.cancel()
    token.cancel()
    dropped = nil
    setPath(1)
    try await fence.paths.wait { $0.last == .number(1) }
    #expect(paths.elements == [.number(0)])
    #expect(heard?.elements == [.number(0)])
  }

  @Test func `a stream begins with the present path and ends with its task`() async throws {
    setPath(0)
    let heard = Log<ReachabilityPath>()
    let task = Task { [monitor] in
      for await path in monitor.paths() { heard.append(path) }
    }
    try await heard.wait(for: 1)
    setPath(1)
    try await heard.wait(for: 2)
    task.cancel()
    await task.value
    #expect(heard.elements == [.number(0), .number(1)])
  }

  @Test func `a slow reader receives the newest path, and never the same twice`() async throws {
    setPath(0)
    var iterator = monitor.paths().makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == .number(0))
    let fence = log()
    for number in 1...3 {
      setPath(number)
      try await fence.paths.wait { $0.last == .number(number) }
    }
    #expect(await iterator.next(isolation: #isolation) == .number(3))
    for number in [4, 3, 5] {
      setPath(number)
      try await fence.paths.wait { $0.last == .number(number) }
    }
    #expect(await iterator.next(isolation: #isolation) == .number(5))
  }

  @Test func `a reader receives the last path, however fast the network changes`() async {
    let restless = ReachabilityMonitor(source: RestlessSource(last: 5000))
    var numbers: [Int] = []
    for await path in restless.paths() {
      numbers.append(path.interfaces.first?.mtu ?? 0)
      if numbers.last == 5000 { break }
    }
    #expect(numbers == Array(Set(numbers)).sorted())
  }

  @Test func `observers with requirements receive the paths that meet them`() async throws {
    let wifi = ReachabilityPath.Interface(ReachabilityInterface(name: "wlan0", index: 3, kind: .wifi))
    var path = ReachabilityPath.number(0)
    path.interfaces.append(wifi)
    network.setPath(path)
    let (any, some) = (log(), log(.requiring(.wifi)))
    #expect(try await some.paths.wait(for: 1).map(\.interfaces) == [[wifi]])
    try await any.paths.wait(for: 1)
    setPath(0)
    try await some.paths.wait(for: 2)
    try await any.paths.wait(for: 2)
    #expect(some.paths.elements.last?.reason == .interfaceNotFound)
    setPath(1)
    try await any.paths.wait(for: 3)
    // Nothing changed for observers that require Wi-Fi.
    #expect(some.paths.elements.count == 2)
  }

  @Test func `the system is watched while a path or a status is observed`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    let status = monitor.log(.defaultRoute)
    try await status.events.wait(for: 1)
    let paths = Log<ReachabilityPath>()
    let token = monitor.observePath(on: DispatchQueue(label: "test")) { paths.append($0) }
    try await paths.wait(for: 1)
    status.token.cancel()
    source.setPath(.number(7))
    source.announce()
    try await paths.wait(for: 2)
    #expect(!source.calls.elements.contains(.stop))
    token.cancel()
    let calls = try await source.calls.wait { $0.contains(.stop) }
    #expect(calls.count { $0 == .start } == 1)
    #expect(calls.count { $0 == .path } == 2)
  }

  @Test func `the path is not evaluated without observers of it`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    let status = monitor.log(.defaultRoute)
    try await status.events.wait(for: 1)
    source.set(.number(1))
    source.announce()
    try await status.events.wait(for: 2)
    #expect(!source.calls.elements.contains(.path))
  }

  @Test func `a change that only a path shows is delivered`() async throws {
    let source = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: source)
    let paths = Log<ReachabilityPath>()
    let token = monitor.observePath(on: DispatchQueue(label: "test")) { paths.append($0) }
    try await paths.wait(for: 1)
    source.setPath(.number(1))
    source.announce(NetworkChange(linkDetails: true))
    #expect(try await paths.wait(for: 2).last == .number(1))
    withExtendedLifetime(token) {}
  }

  @Test func `an observation retains what it needs, and there are no retain cycles`() async throws {
    let gone = Log<Void>()
    let paths = Log<ReachabilityPath>()
    let source = Box<SourceDouble?>(SourceDouble(.number(0), gone: gone))
    var monitor = source.value.map { ReachabilityMonitor(source: $0) }
    var token = monitor?.observePath(on: DispatchQueue(label: "test")) { paths.append($0) }
    try await paths.wait(for: 1)
    monitor = nil
    source.value?.setPath(.number(1))
    source.value?.announce()
    try await paths.wait(for: 2)
    source.set(nil)
    #expect(gone.elements.isEmpty)
    token = nil
    try await gone.wait(for: 1)
    _ = (monitor, token)
  }
}
