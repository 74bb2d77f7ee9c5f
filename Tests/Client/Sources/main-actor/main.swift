// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Observation
import ReachabilityKit

// Every declaration of this module is on the main actor unless it says otherwise.
@Observable final class Model {
  var isOnline = false
  @ObservationIgnored private var observation: ReachabilityObservation?

  @ObservationIgnored private var first: CheckedContinuation<Void, Never>?

  func start(_ monitor: ReachabilityMonitor, _ target: ReachabilityTarget) async {
    await withCheckedContinuation { continuation in
      first = continuation
      observation = monitor.observe(target, on: MainActor.self) { event in
        self.isOnline = event.status.isReachable
        self.first?.resume()
        self.first = nil
      }
    }
  }

  func follow(_ monitor: ReachabilityMonitor, _ target: ReachabilityTarget) async -> Bool {
    for await event in monitor.events(of: target) {
      isOnline = event.status.isReachable
      return isOnline
    }
    return false
  }
}

let monitor = try ReachabilityMonitor()
let model = Model()
let isOnline = await model.follow(monitor, try ReachabilityTarget("127.0.0.1"))
model.isOnline = false
await model.start(monitor, try ReachabilityTarget("127.0.0.1"))
print(isOnline, model.isOnline)
