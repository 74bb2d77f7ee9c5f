// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import ReachabilityHTTP
import ReachabilityKit

// An app's own types, with the names that apps give them.
struct Status { var isOnline: Bool }
struct Target { var host: String }
enum Reason { case unknown, offline }
struct Path { var components: [String] }
final class Reachability { var status = Status(isOnline: false) }
final class NetworkMonitor {
  let monitor: ReachabilityMonitor

  init() throws { monitor = try ReachabilityMonitor() }

  func status(of target: Target) throws -> (Status, Reason?) {
    let status = monitor.currentStatus(of: try ReachabilityTarget(target.host))
    return (Status(isOnline: status.isReachable), status.isReachable ? nil : .offline)
  }
}

let reachability = Reachability()
let (status, reason) = try NetworkMonitor().status(of: Target(host: "127.0.0.1"))
reachability.status = status
let path = Path(components: ["a"])
let qualified: ReachabilityKit.ReachabilityStatus = .unknown(.resolving)
print(reachability.status.isOnline, reason == nil, path.components.count, qualified.isReachable)
