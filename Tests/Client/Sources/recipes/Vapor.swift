// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit
import ServerFrameworks

struct WaitForNetwork: LifecycleHandler {
  let target: ReachabilityTarget
  let monitor: ReachabilityMonitor

  func willBootAsync(_ application: Application) async throws {
    try await monitor.waitUntilReachable(target, timeout: .seconds(60))
  }
}

func prices(_ request: Request, monitor: ReachabilityMonitor) async throws -> ClientResponse {
  try await monitor.withReachability(
    of: ReachabilityTarget("https://prices.example.com"), deadline: .now + .seconds(5)
  ) {
    try await request.client.get("https://prices.example.com/today")
  }
}
