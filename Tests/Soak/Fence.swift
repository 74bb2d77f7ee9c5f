import InternetProtocol
import LiveSupport
import ReachabilityKit

/// Compares what was told with what is so, while nothing changes.
struct Fence: Sendable {
  let network: SoakNetwork
  let monitor: ReachabilityMonitor
  let targets: [ReachabilityTarget]
  let watchers: Watchers
  let visitors: Visitors
  static let limit = Duration.seconds(3)

  /// What is wrong still when the time is over, with both values; nothing if all is right.
  ///
  /// - Parameter names: What the names stand for; `nil` if they need not be known yet, which takes a second of quiet.
  func wrongs(_ names: [String: [IPAddress]]?) throws -> [String] {
    // In the network, whose files the path is read from.
    try network.host.run {
      let deadline = ContinuousClock.now + Self.limit
      // Somebody who knows nothing of what came before.
      let newcomer = try ReachabilityMonitor()
      while true {
        let wrongs = find(newcomer, names)
        if wrongs.isEmpty || ContinuousClock.now > deadline { return wrongs }
        watchers.waitForEvent()
      }
    }
  }

  private func find(_ newcomer: ReachabilityMonitor, _ names: [String: [IPAddress]]?) -> [String] {
    let (told, paths) = watchers.told
    var wrongs: [String] = []
    var fresh: [ReachabilityTarget: ReachabilityStatus] = [:]
    for target in targets {
      let status = monitor.status(of: target)
      fresh[target] = status
      if told[target] != status {
        wrongs.append("\(target)\n    told      \(text(told[target]))\n    is        \(status)")
      }
      if case .host(let name) = target.destination {
        let addresses = Set((told[target]?.addresses ?? []).map(\.address))
        let expected = Set(names?[name.text] ?? [])
        if names != nil, addresses != expected {
          wrongs.append("\(target)\n    told      \(addresses)\n    listed    \(expected)")
        }
      } else {
        let other = newcomer.status(of: target)
        if other != status { wrongs.append("\(target)\n    known     \(status)\n    newcomer  \(other)") }
      }
    }
    for (target, status) in visitors.told where fresh[target] != status {
      wrongs.append("\(target)\n    visitor   \(status)\n    is        \(text(fresh[target]))")
    }
    for requirements in Watchers.requirements {
      let (path, other) = (monitor.path(requirements), newcomer.path(requirements))
      if paths[requirements] != path {
        wrongs.append("path\n    told      \(text(paths[requirements]))\n    is        \(path)")
      }
      if other != path { wrongs.append("path\n    known     \(path)\n    newcomer  \(other)") }
    }
    return wrongs
  }
}
