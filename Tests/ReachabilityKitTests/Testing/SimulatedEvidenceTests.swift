// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import ReachabilityTesting
import TestSupport
import Testing

@Suite(.deadline) struct SimulatedEvidenceTests {
  private let network = SimulatedNetwork(.reachable(over: .wifi))
  private let server = ReachabilityTarget.address("192.0.2.1")
  private let answering = TrafficEvidence(.answering, strength: .strong, received: .zero, answeringPeers: 1)
  private let stalled = TrafficEvidence(
    .stalled, strength: .strong, fault: .network, stalled: .seconds(3), stalledPeers: 2)

  private var monitor: ReachabilityMonitor { ReachabilityMonitor(simulating: network) }

  @Test func `a simulated network without evidence does not list connections`() {
    #expect(monitor.evidence(for: .defaultRoute) == .none(because: .unsupported))
    #expect(monitor.currentExplanation(of: server).evidence == nil)
  }

  @Test func `evidence that was set is returned, and changes no status`() throws {
    network.setEvidence(stalled)
    network.setEvidence(answering, for: server)
    #expect(monitor.evidence(for: .defaultRoute) == stalled)
    #expect(monitor.evidence(on: .name("wlan0")) == stalled)
    #expect(monitor.evidence(for: server) == answering)
    #expect(monitor.evidence(for: try ReachabilityTarget("tcp://192.0.2.1:443")) == answering)
    #expect(monitor.evidence(for: try ReachabilityTarget("a.example")) == TrafficEvidence(.none))
    #expect(monitor.currentStatus(of: .defaultRoute).isReachable)
  }

  @Test func `removing all evidence makes traffic unreadable again`() {
    network.setEvidence(stalled)
    network.setEvidence(nil)
    #expect(monitor.evidence(for: .defaultRoute) == .none(because: .unsupported))
  }

  @Test func `an explanation has the simulated evidence`() {
    network.setEvidence(stalled)
    let explanation = monitor.currentExplanation(of: .defaultRoute)
    #expect(explanation.evidence == stalled)
    #expect(explanation.steps.map(\.kind) == [.system, .traffic])
    #expect(explanation.firstFailure == nil)
    network.setStatus(.notReachable(.noRoute))
    #expect(monitor.currentExplanation(of: .defaultRoute).steps.map(\.kind) == [.system])
  }

  @Test func `a handler receives each change of the simulated evidence until it is cancelled`() async throws {
    network.setEvidence(answering)
    let seen = Log<TrafficEvidence>()
    let observation = monitor.observeEvidence(
      for: .defaultRoute, every: .seconds(3600), on: DispatchQueue(label: "evidence")
    ) { seen.append($0) }
    try await seen.wait(for: 1)
    network.setEvidence(stalled)
    #expect(try await seen.wait(for: 2) == [answering, stalled])
    observation.cancel()
    network.setEvidence(answering)
    var next = monitor.evidence(for: .defaultRoute, every: .seconds(3600)).makeAsyncIterator()
    #expect(await next.next(isolation: #isolation) == answering)
    #expect(seen.elements == [answering, stalled])
  }

  @Test func `a handler on the main actor receives the simulated evidence there`() async throws {
    network.setEvidence(answering)
    let seen = Log<TrafficEvidence>()
    let observation = monitor.observeEvidence(
      for: .defaultRoute, every: .seconds(3600), on: MainActor.self
    ) { evidence in
      MainActor.assertIsolated()
      seen.append(evidence)
    }
    #expect(try await seen.wait(for: 1) == [answering])
    observation.cancel()
  }

  @Test func `cancelling releases what a handler of evidence captured`() async throws {
    let (seen, gone) = (Log<TrafficEvidence>(), Log<Void>())
    let queue = DispatchQueue(label: "evidence")
    let observation = monitor.observeEvidence(
      for: .defaultRoute, every: .seconds(3600), on: queue
    ) { [canary = Canary(gone)] evidence in
      withExtendedLifetime(canary) { seen.append(evidence) }
    }
    try await seen.wait(for: 1)
    // The first call has returned.
    await withCheckedContinuation { turn in queue.async { turn.resume() } }
    #expect(gone.elements.isEmpty)
    observation.cancel()
    #expect(gone.elements.count == 1)
  }

  @Test func `a sequence delivers each change of the simulated evidence`() async {
    network.setEvidence(answering)
    var seen: [TrafficEvidence.Verdict] = []
    for await evidence in monitor.evidence(for: .defaultRoute, every: .seconds(3600)) {
      seen.append(evidence.verdict)
      switch seen.count {
      case 1: network.setEvidence(stalled)
      case 2: network.setEvidence(answering)
      default: break
      }
      if seen.count == 3 { break }
    }
    #expect(seen == [.answering, .stalled, .answering])
  }

  @Test func `an iterator returns the simulated evidence, and nothing to a cancelled task`() async throws {
    network.setEvidence(stalled)
    let updates = monitor.evidence(for: .defaultRoute, every: .seconds(3600))
    var iterator = updates.makeAsyncIterator()
    #expect(try await iterator.next() == stalled)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      var iterator = updates.makeAsyncIterator()
      return try await iterator.next()
    }
    #expect(try await task.value == nil)
  }
}
