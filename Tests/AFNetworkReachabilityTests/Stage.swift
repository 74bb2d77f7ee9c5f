// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import ClassicReachability
import Dispatch
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

@testable import AFNetworkReachability

/// A simulated network, with its managers and waits.
final class Stage: Sendable {
  let network = SimulatedNetwork(.reachable(over: .wifi))
  private let monitor: ReachabilityMonitor

  init() {
    monitor = ReachabilityMonitor(simulating: network)
  }

  /// Creates an object of this network.
  func make<T>(_ body: () throws -> T) rethrows -> T {
    try ReachabilityMonitor.$substitute.withValue(monitor) { try body() }
  }

  func makeManager() -> AFNetworkReachabilityManager {
    make { AFNetworkReachabilityManager() }
  }

  /// Blocks until earlier starts and stops have taken effect, and first events wait for the main queue.
  func settle() {
    let other = ReachabilityMonitor(simulating: SimulatedNetwork(.reachable(over: .wired)))
    block(until: .reachableViaWiFi, in: other)
  }

  /// Blocks until the default path has a status.
  func block(until status: AFNetworkReachabilityStatus) {
    block(until: status, in: monitor)
  }

  /// Waits until managers of a host have received the result of its lookup.
  func finishLookup(of name: String) async {
    // A reference receives its first event when its name is resolved, after those that are older.
    let made = make { unsafe SCNetworkReachabilityCreateWithName(nil, name) }
    guard let target = made.map({ SystemTarget($0) }) else { return }
    let queue = DispatchQueue(label: "lookup")
    await withCheckedContinuation { continuation in
      target.setHandler { _ in
        target.setQueue(nil)
        target.setHandler(nil)
        continuation.resume()
      }
      target.setQueue(queue)
    }
    settle()
    await finishMainQueue()
  }

  private func block(until status: AFNetworkReachabilityStatus, in monitor: ReachabilityMonitor) {
    let made = ReachabilityMonitor.$substitute.withValue(monitor) { SystemTarget.makeDefaultPath() }
    guard let target = made else { return }
    let isReached = DispatchSemaphore(value: 0)
    let period = Period { if $1 == status { isReached.signal() } }
    TargetObservers.shared.add(period, to: target)
    if isReached.wait(timeout: .now() + 15) == .timedOut {
      Issue.record("the status \(status) was not reached")
    }
    TargetObservers.shared.remove(period, from: target)
  }
}

extension AFNetworkReachabilityManager {
  /// Records the calls of the block.
  func note(in log: EventLog) {
    setReachabilityStatusChange { log.note(.block($0)) }
  }
}

/// Waits until the main queue has finished its pending jobs.
func finishMainQueue() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}

/// Waits for a condition, up to the test's time limit.
@MainActor func wait(until isTrue: () throws -> Bool) async throws {
  while try !isTrue() {
    try Task.checkCancellation()
    await finishMainQueue()
  }
}
#endif
