#if !os(watchOS)
package import SystemConfiguration

extension SCNetworkReachabilityFlags {
  /// Whether the flags of the link-local network's address show a local network.
  ///
  /// Its nodes are on the link, so the reach is direct. A tunnel, a modem or a dialled link is transient, and has none.
  package var showLocalNetwork: Bool {
    contains([.reachable, .isDirect]) && !contains(.transientConnection)
  }
}
#endif
