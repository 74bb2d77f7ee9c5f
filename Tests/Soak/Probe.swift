// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import InternetProtocol
import LiveSupport
import Netlink
import ReachabilityKit
import SearchSupport
import Synchronization

/// Measures the time from a change to its handler, by a route that only the probe changes.
///
/// The clock starts before the request, so the kernel's work is included.
final class Probe: Sendable {
  private struct State {
    var samples: [(time: ContinuousClock.Instant, latency: Duration)] = []
    var handled: ContinuousClock.Instant?
    var missed = 0
    var isStopped = false
    var observation: ReachabilityObservation?
  }

  /// How long the monitor waits for events before a change counts as undelivered.
  private static let limit = Duration.seconds(5)
  private static let address = ReachabilityAddress.v4(.init(rawValue: 198 << 24 | 18 << 16 | 1))

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let isOver = DispatchSemaphore(value: 0)

  init(_ monitor: ReachabilityMonitor, _ network: SoakNetwork, every interval: Duration) {
    let token = monitor.observe(.address(Self.address), on: DispatchQueue(label: "probe")) { [weak self] _ in
      let now = ContinuousClock.now
      self?.state.withLock { $0.handled = now }
      self?.wakeUp.signal()
    }
    state.withLock { $0.observation = token }
    Thread.detachNewThread {
      do {
        try self.run(network, interval)
      } catch {
        fail("the probe: \(error)")
      }
      self.isOver.signal()
    }
  }

  /// The number of changes that were not delivered.
  var missed: Int { state.withLock { $0.missed } }

  /// Returns the median between two moments, and its number of samples.
  func median(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> (Duration, count: Int)
  {
    let latencies = state.withLock { $0.samples.filter { (start...end).contains($0.time) }.map(\.latency) }
    return (latencies.quantile(50) ?? .zero, latencies.count)
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    isOver.wait()
    state.withLock { $0.observation.take() }?.cancel()
  }

  private func run(_ network: SoakNetwork, _ interval: Duration) throws {
    guard let prefix = IPPrefix(Self.address, length: 32) else { return }
    var kernel = try Kernel(in: network.host)
    // The initial event.
    wakeUp.wait()
    // Always one of two routes: without one, the status changes with the default route.
    _ = try kernel.addRoute(RouteMessage(prefix, .prohibit))
    wakeUp.wait()
    var isBlack = false
    while !state.withLock({ $0.isStopped }) {
      rest(interval)
      isBlack.toggle()
      let route = RouteMessage(prefix, isBlack ? .blackhole : .prohibit)
      let start = ContinuousClock.now
      _ = try kernel.addRoute(route)
      let isHeard = waitForEvent()
      state.withLock { state in
        if isHeard, let handled = state.handled {
          state.samples.append((start, start.duration(to: handled)))
        } else {
          state.missed += 1
        }
      }
    }
  }

  /// Waits for the event of a change; returns whether it came.
  private func waitForEvent() -> Bool {
    var limit = QuietLimit(Self.limit)
    while wakeUp.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
      limit.update()
      if limit.isReached { return false }
    }
    return true
  }
}

/// Sleeps; the sleeps set the pace of the run.
func rest(_ time: Duration) {
  usleep(UInt32(clamping: Int64(time / .microseconds(1))))
}
