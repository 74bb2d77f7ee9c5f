#if !os(watchOS)
package import SystemConfiguration

extension SCNetworkReachabilityFlags {
  /// Whether the system reports cellular links, which macOS does not.
  #if os(macOS)
  package static let reportWWAN = false
  #else
  package static let reportWWAN = true
  #endif

  /// Whether the link is cellular.
  // By its number: Apple's header hides the flag from macOS.
  package var isOverWWAN: Bool { Self.reportWWAN && rawValue & (1 << 18) != 0 }

  /// Returns a pattern of flag letters, such as `WR tcCiDld`, with `-` for each flag that is not set.
  package func text(_ pattern: String) -> String {
    let flags: [Character: SCNetworkReachabilityFlags] = [
      "R": .reachable, "t": .transientConnection, "c": .connectionRequired, "C": .connectionOnTraffic,
      "i": .interventionRequired, "D": .connectionOnDemand, "l": .isLocalAddress, "d": .isDirect, " ": [],
    ]
    return String(
      pattern.map { letter in
        let isSet = letter == "W" ? isOverWWAN : flags[letter].map(contains) == true
        return isSet ? letter : "-"
      })
  }
}
#endif
