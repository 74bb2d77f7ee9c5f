// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import Netlink
@testable import ReachabilityKit

extension ScriptedNetwork {
  /// Starts a tracker for callers.
  func tracker() throws(NetlinkError) -> NetworkTracker {
    var tracker = NetworkTracker(events: events(), questions: questions())
    try tracker.start(NetworkTracker.callerGroups)
    return tracker
  }

  /// Starts a tracker for observers, without an untaken change.
  func watchingTracker() throws(NetlinkError) -> NetworkTracker {
    var tracker = NetworkTracker(events: events(), questions: questions())
    try tracker.start(NetworkTracker.allGroups)
    _ = tracker.readChange()
    return tracker
  }

  /// A network with `eth0` (index 2), which is up and has 10.1.0.1/24.
  static func withOneLink() -> ScriptedNetwork {
    let network = ScriptedNetwork()
    network.changeSilently(.link(.ethernet(2, "eth0")), .address(.ipv4("10.1.0.1", 24, on: 2)))
    return network
  }

  /// The number of times the links were listed.
  var listings: Int { steps.count { $0 == .asked(.getLink) } }
}

extension NetworkTracker {
  /// Reads the waiting messages, discards the change and returns the tables.
  mutating func readState() -> NetworkState {
    _ = readChange()
    return networkState
  }
}
#endif
