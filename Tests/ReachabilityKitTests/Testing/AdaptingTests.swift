// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import Testing

// The samples of the guide `AdaptToTheNetwork.md`, unchanged.

enum Quality { case low, high }

func quality(on path: ReachabilityPath) -> Quality {
  path.isExpensive == true || path.isConstrained == true ? .low : .high
}

func adaptQuality(on monitor: ReachabilityMonitor, set: (Quality) -> Void) async {
  for await path in monitor.paths() {
    set(quality(on: path))
  }
}

func pauseAndResume(
  with target: ReachabilityTarget, on monitor: ReachabilityMonitor, setPaused: (Bool) -> Void
) async {
  for await event in monitor.events(of: target, settling: .seconds(2)) {
    switch event.status.state {
    case .reachable: setPaused(false)
    case .notReachable: setPaused(true)
    case .unknown: break
    }
  }
}

func needsNewConnection(_ old: ReachabilityStatus, _ now: ReachabilityStatus) -> Bool {
  (now.interface, now.gateway, now.source) != (old.interface, old.gateway, old.source)
}

func keepConnected(
  to target: ReachabilityTarget, on monitor: ReachabilityMonitor,
  connect: (ReachabilityStatus) async -> Void
) async {
  var last: ReachabilityStatus?
  for await event in monitor.events(of: target) where event.status.isReachable {
    if last.map({ needsNewConnection($0, event.status) }) ?? true { await connect(event.status) }
    last = event.status
  }
}

@Suite(.timeLimit(.minutes(10)), .deadline) struct AdaptingTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let network = SimulatedNetwork(.reachable(over: .wifi))
  private let monitor: ReachabilityMonitor

  init() { monitor = ReachabilityMonitor(simulating: network) }

  @Test func `the guide's samples are the functions of this test`() throws {
    let guide = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/ReachabilityKit/ReachabilityKit.docc/AdaptToTheNetwork.md")
      .standardized
    let test = try String(contentsOfFile: #filePath, encoding: .utf8)
    let samples = try String(contentsOf: guide, encoding: .utf8)
      .components(separatedBy: "```swift\nimport ReachabilityKit\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(samples.count == 3)
    let changed = samples.filter { !test.contains($0) }
    #expect(changed == [])
  }

  @Test func `an app lowers its quality on an expensive or constrained path`() async {
    let (qualities, continuation) = AsyncStream.makeStream(of: Quality.self)
    let task = Task { await adaptQuality(on: monitor) { continuation.yield($0) } }
    defer { task.cancel() }
    var iterator = qualities.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == .high)
    network.setStatus(.reachable(over: .cellular))
    #expect(await iterator.next(isolation: #isolation) == .low)
    network.setStatus(.reachable(over: .wired))
    #expect(await iterator.next(isolation: #isolation) == .high)
    #expect(quality(on: ReachabilityPath(.satisfied, isConstrained: true)) == .low)
    #expect(quality(on: ReachabilityPath(.satisfied, isExpensive: false, isConstrained: false)) == .high)
  }

  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  @Test func `an app pauses while a target is not reachable, not while it is unknown`() async {
    network.setStatus(.unknown(.resolving))
    let (pauses, continuation) = AsyncStream.makeStream(of: Bool.self)
    // The task runs immediately, until it waits for the first event.
    let task = Task.immediate { await pauseAndResume(with: target, on: monitor) { continuation.yield($0) } }
    defer { task.cancel() }
    var iterator = pauses.makeAsyncIterator()
    // An observer that joins later receives its first event later.
    var late = monitor.events(of: target).makeAsyncIterator()
    #expect(await late.next(isolation: #isolation)?.status == .unknown(.resolving))
    network.setStatus(.notReachable(.noCarrier))
    #expect(await iterator.next(isolation: #isolation) == true)
    network.setStatus(.reachable(over: .wifi))
    #expect(await iterator.next(isolation: #isolation) == false)
  }

  private func via(_ gateway: ReachabilityAddress, from source: ReachabilityAddress, over name: String)
    -> ReachabilityStatus
  {
    ReachabilityStatus(
      .reachable, flags: .reachable, interface: ReachabilityInterface(name: name, index: 2, kind: .wired),
      gateway: gateway, source: source)
  }

  @Test func `another interface, gateway or source address needs a new connection`() {
    let old = via("10.1.0.254", from: "10.1.0.1", over: "eth0")
    #expect(!needsNewConnection(old, old))
    #expect(needsNewConnection(old, via("10.1.0.254", from: "10.1.0.1", over: "eth1")))
    #expect(needsNewConnection(old, via("10.1.0.253", from: "10.1.0.1", over: "eth0")))
    #expect(needsNewConnection(old, via("10.1.0.254", from: "10.1.0.2", over: "eth0")))
  }

  @Test func `a connection is replaced after a move, not after an outage`() async {
    let (connections, continuation) = AsyncStream.makeStream(of: ReachabilityStatus.self)
    let task = Task { await keepConnected(to: target, on: monitor) { continuation.yield($0) } }
    defer { task.cancel() }
    var iterator = connections.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == .reachable(over: .wifi))
    let first = via("10.1.0.254", from: "10.1.0.1", over: "eth0")
    network.setStatus(first)
    #expect(await iterator.next(isolation: #isolation) == first)
    // An observer that joins later receives each event later.
    var events = monitor.events(of: target).makeAsyncIterator()
    #expect(await events.next(isolation: #isolation)?.status == first)
    for status in [.notReachable(.noCarrier), first, .notReachable(.noCarrier)] {
      network.setStatus(status)
      #expect(await events.next(isolation: #isolation)?.status == status)
    }
    let second = via("10.2.0.254", from: "10.2.0.1", over: "eth0")
    network.setStatus(second)
    #expect(await iterator.next(isolation: #isolation) == second)
  }
}
