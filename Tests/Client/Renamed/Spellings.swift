// SPDX-License-Identifier: Apache-2.0
// Spellings of C and Swift 2. The compiler refuses each and names its replacement.
// swift-format-ignore-file

import SystemConfiguration

func spellings(_ target: SCNetworkReachabilityRef) -> [SCNetworkReachabilityFlags] {
  [
    kSCNetworkReachabilityFlagsTransientConnection, kSCNetworkReachabilityFlagsReachable,
    kSCNetworkReachabilityFlagsConnectionRequired, kSCNetworkReachabilityFlagsConnectionOnTraffic,
    kSCNetworkReachabilityFlagsConnectionAutomatic, kSCNetworkReachabilityFlagsInterventionRequired,
    kSCNetworkReachabilityFlagsConnectionOnDemand, kSCNetworkReachabilityFlagsIsLocalAddress,
    kSCNetworkReachabilityFlagsIsDirect, kSCNetworkReachabilityFlagsIsWWAN,
  ]
}

func members() -> [SCNetworkReachabilityFlags] {
  [
    .TransientConnection, .Reachable, .ConnectionRequired, .ConnectionOnTraffic, .ConnectionAutomatic,
    .InterventionRequired, .ConnectionOnDemand, .IsLocalAddress, .IsDirect, .IsWWAN,
  ]
}
