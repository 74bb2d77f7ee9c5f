// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit
import ServerFrameworks

extension ReachabilityService: @retroactive Service {}

struct NetworkLog: Service {
  let monitor: ReachabilityMonitor

  func run() async throws {
    let service = ReachabilityService(observingPath: .none, monitor: monitor) { path in
      print("network:", path.isSatisfied ? "satisfied" : "not satisfied")
    }
    try await cancelWhenGracefulShutdown { try await service.run() }
  }
}
