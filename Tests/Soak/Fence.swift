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
  /// How long a difference lasts before it counts, and how long a fence takes at most.
  private static let (duration, limit) = (Duration.seconds(3), Duration.seconds(60))

  /// Returns the differences that last, with both values; empty if all match.
  ///
  /// A difference lasts while nothing is delivered and the monitor waits for events. A busy monitor may still deliver.
  ///
  /// - Parameter names: The addresses of the names; `nil` to skip names, which settle after one quiet second.
  func wrongs(_ names: [String: [ReachabilityAddress]]?) throws -> [String] {
    // The path reads files, so this runs in the network's mount namespace.
    try network.host.run {
      let end = ContinuousClock.now + Self.limit
      // A monitor without history.
      let newcomer = try ReachabilityMonitor()
      var beginnings: [String: ContinuousClock.Instant] = [:]
      while true {
        let isBusy = watchers.waitForEvent() || MonitorThreads.areBusy
        let wrongs = find(newcomer, names)
        let now = ContinuousClock.now
        if wrongs.isEmpty || now > end { return wrongs }
        let pairs = wrongs.map { ($0, isBusy ? now : beginnings[$0, default: now]) }
        beginnings = Dictionary(pairs, uniquingKeysWith: min)
        let lasting = wrongs.filter { now - beginnings[$0, default: now] >= Self.duration }
        if !lasting.isEmpty { return lasting }
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
        wrongs.append(
          "\(target)\n    delivered \(detail(delivered[target]))\n    present   \(detail(status))")
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
      wrongs.append("\(target)\n    visitor   \(detail(status))\n    present   \(detail(fresh[target]))")
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

  /// Describes a status, with those of a host's addresses.
  private func detail(_ status: ReachabilityStatus?) -> String {
    guard let status, !status.addresses.isEmpty else { return text(status) }
    return "\(status) (\(status.addresses.map { "\($0): \($0.status)" }.joined(separator: "; ")))"
  }
}
