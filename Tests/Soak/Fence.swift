// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit
import SearchSupport

/// Compares delivered statuses with present ones, while nothing changes.
struct Fence: Sendable {
  let network: SoakNetwork
  let monitor: ReachabilityMonitor
  let targets: [ReachabilityTarget]
  let watchers: Watchers
  let visitors: Visitors
  /// How long nothing is delivered before a difference counts, and how long a fence takes at most.
  private static let (quietTime, limit) = (Duration.seconds(3), Duration.seconds(60))

  /// Returns the differences that remain once nothing is delivered any more, with both values; empty if all match.
  ///
  /// - Parameter names: The addresses of the names; `nil` to skip names, which settle after one quiet second.
  func wrongs(_ names: [String: [ReachabilityAddress]]?) throws -> [String] {
    // The path reads files, so this runs in the network's mount namespace.
    try network.host.run {
      let end = ContinuousClock.now + Self.limit
      var quietEnd = ContinuousClock.now + Self.quietTime
      // A monitor without history.
      let newcomer = try ReachabilityMonitor()
      while true {
        let wrongs = find(newcomer, names)
        if wrongs.isEmpty || ContinuousClock.now > min(quietEnd, end) { return wrongs }
        if watchers.waitForEvent() { quietEnd = .now + Self.quietTime }
      }
    }
  }

  private func find(_ newcomer: ReachabilityMonitor, _ names: [String: [ReachabilityAddress]]?) -> [String] {
    let (delivered, paths) = (watchers.statuses, watchers.paths)
    var wrongs: [String] = []
    var fresh: [ReachabilityTarget: ReachabilityStatus] = [:]
    for target in targets {
      let status = monitor.currentStatus(of: target)
      fresh[target] = status
      if delivered[target] != status {
        wrongs.append("\(target)\n    delivered \(text(delivered[target]))\n    present   \(status)")
      }
      if case .host(let name) = target.destination {
        let addresses = Set((delivered[target]?.addresses ?? []).map(\.address))
        let expected = Set(names?[name.text] ?? [])
        if names != nil, addresses != expected {
          wrongs.append("\(target)\n    delivered \(addresses)\n    listed    \(expected)")
        }
      } else {
        let other = newcomer.currentStatus(of: target)
        if other != status { wrongs.append("\(target)\n    known     \(status)\n    newcomer  \(other)") }
      }
    }
    for (target, status) in visitors.delivered where fresh[target] != status {
      wrongs.append("\(target)\n    visitor   \(status)\n    present   \(text(fresh[target]))")
    }
    for requirements in Pool.requirements {
      let (path, other) = (monitor.path(requirements), newcomer.path(requirements))
      if paths[requirements] != path {
        wrongs.append("path\n    delivered \(text(paths[requirements]))\n    present   \(path)")
      }
      if other != path { wrongs.append("path\n    known     \(path)\n    newcomer  \(other)") }
    }
    return wrongs
  }
}
