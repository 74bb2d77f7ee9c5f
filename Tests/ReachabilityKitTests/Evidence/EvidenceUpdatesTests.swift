// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import POSIX
import Synchronization
import Testing

@testable import ReachabilityKit

/// Marks the main actor's queue.
private let isMainQueue = DispatchSpecificKey<Bool>()

/// A source whose traffic changes with each reading.
private final class TrafficDouble: NetworkSource, TrafficSource {
  private let readings = Mutex(0)
  let isReadOnMainActor = Mutex(false)

  var capabilities: SourceCapabilities { SourceCapabilities(traffic: self) }
  var count: Int { readings.withLock { $0 } }

  func readTraffic() -> TrafficReading {
    if DispatchQueue.getSpecific(key: isMainQueue) == true { isReadOnMainActor.withLock { $0 = true } }
    let number = readings.withLock { number in
      number += 1
      return number
    }
    let unanswered = TrafficConnection.Unanswered(
      age: 1000, timeouts: 3, timeout: 200, isLarge: false, isPartlyReceived: false)
    let connection = TrafficConnection(
      local: "10.1.0.1", peer: "10.2.0.1", received: number == 1 ? 10 : 1000,
      unanswered: number == 1 ? nil : unanswered)
    return TrafficReading(connections: [connection])
  }

  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool { true }
  func readingInterval(wanted: Duration) -> Duration { .milliseconds(1) }
  func index(of interface: ReachabilityTarget.Interface) -> Int32? { nil }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation { Evaluation(.notReachable(.noRoute)) }
  func evaluatePath() -> PathEvaluation { .unknown(for: nil) }
  func watch(_ subjects: Subscriptions) {}
  func waitForChange(until deadline: Moment?) -> NetworkChange {
    NetworkChange()
  }
  func wake() {}
}

@Suite(.deadline) struct EvidenceUpdatesTests {
  private let source = TrafficDouble()
  private let target = ReachabilityTarget.address("10.2.0.1")

  @MainActor @Test func `a sequence that the main actor iterates reads elsewhere`() async {
    DispatchQueue.main.setSpecific(key: isMainQueue, value: true)
    #expect(DispatchQueue.getSpecific(key: isMainQueue) == true)
    let monitor = ReachabilityMonitor(source: source)
    var verdicts: [TrafficEvidence.Verdict] = []
    for await evidence in monitor.evidence(for: target, every: .seconds(1)) {
      verdicts.append(evidence.verdict)
      if verdicts.count == 2 { break }
    }
    #expect(verdicts == [.answering, .stalled])
    #expect(!source.isReadOnMainActor.withLock { $0 })
  }

  @Test func `a sequence that nothing iterates takes no reading`() async {
    let monitor = ReachabilityMonitor(source: source)
    let updates = monitor.evidence(for: target, every: .seconds(1))
    #expect(source.count == 0)
    for await _ in updates { break }
    let count = source.count
    #expect(count == 1)
    for await evidence in updates {
      #expect(evidence.verdict == .stalled)
      break
    }
    #expect(source.count == count + 1)
  }

  @Test func `a cancelled task ends the sequence`() async {
    let monitor = ReachabilityMonitor(source: source)
    let target = target
    let task = Task {
      var count = 0
      for await _ in monitor.evidence(for: target, every: .seconds(1)) { count += 1 }
      return count
    }
    while source.count < 3 { await Task.yield() }
    task.cancel()
    #expect(await task.value == 2)
  }
}
