// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit
import ServerFrameworks

func fetch(_ url: String, with client: HTTPClient, monitor: ReachabilityMonitor) async throws -> ByteBuffer {
  try await monitor.withReachability(of: ReachabilityTarget(url), deadline: .now + .seconds(60)) {
    let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
    return try await response.body.collect(upTo: 1024 * 1024)
  }
}
