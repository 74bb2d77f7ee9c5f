#if os(Linux)
@testable import Netlink
@testable import ReachabilityKit

extension ScriptedNetwork {
  /// Begins to keep track of this network, for those who ask.
  func tracker() throws(NetlinkError) -> NetworkTracker {
    var tracker = NetworkTracker(events: events(), questions: questions())
    try tracker.start(NetworkTracker.tableGroups)
    return tracker
  }

  /// Begins to keep track of this network, for those who follow statuses; there is nothing to tell yet.
  func watchingTracker() throws(NetlinkError) -> NetworkTracker {
    var tracker = NetworkTracker(events: events(), questions: questions())
    try tracker.start(NetworkTracker.allGroups)
    _ = tracker.takeChange()
    return tracker
  }

  /// A network with `eth0` (index 2), which is up and has 10.1.0.1/24.
  static func withOneLink() -> ScriptedNetwork {
    let network = ScriptedNetwork()
    network.changeSilently(.link(.ethernet(2, "eth0")), .address(.ipv4("10.1.0.1", 24, on: 2)))
    return network
  }

  /// How often the links were asked for.
  var listings: Int { steps.count { $0 == .asked(.getLink) } }
}

extension NetworkTracker {
  /// The tables with the waiting messages read; what changed is forgotten.
  mutating func readState() -> NetworkState {
    _ = takeChange()
    return networkState
  }
}
#endif
