// SPDX-License-Identifier: Apache-2.0
public import ReachabilityKit
public import SystemConfiguration

extension ReachabilityStatus {
  /// Creates a status from the letters of flags.
  ///
  /// The letters are: `W` WWAN, `R` reachable, `t` transient, `c` connection required, `C` on traffic, `D` on demand,
  /// `i` intervention required, `l` local address, `d` direct.
  public init(_ word: String) {
    let flags = Flags(rawValue: SCNetworkReachabilityFlags(word).rawValue)
    self.init(flags.contains(.reachable) ? .reachable : .notReachable, flags: flags)
  }
}

extension SCNetworkReachabilityFlags {
  /// Creates flags from their letters.
  public init(_ word: String) {
    let letters: [Character: SCNetworkReachabilityFlags] = [
      "W": .isWWAN, "R": .reachable, "t": .transientConnection, "c": .connectionRequired,
      "C": .connectionOnTraffic, "D": .connectionOnDemand, "i": .interventionRequired, "l": .isLocalAddress,
      "d": .isDirect,
    ]
    self.init(
      word.map { letter in
        guard let flag = letters[letter] else { preconditionFailure("no flag has the letter \(letter)") }
        return flag
      })
  }
}
