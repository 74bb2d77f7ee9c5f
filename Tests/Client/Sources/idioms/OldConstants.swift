// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Names of the flags in a number, with the constants from before there were option sets.
func namesOfFlags(_ number: UInt32) -> [String] {
  let names: [(Int, String)] = [
    (kSCNetworkFlagsTransientConnection, "transient"), (kSCNetworkFlagsReachable, "reachable"),
    (kSCNetworkFlagsConnectionRequired, "required"), (kSCNetworkFlagsConnectionAutomatic, "automatic"),
    (kSCNetworkFlagsInterventionRequired, "intervention"), (kSCNetworkFlagsIsLocalAddress, "local"),
    (kSCNetworkFlagsIsDirect, "direct"),
  ]
  return names.filter { number & UInt32($0.0) != 0 }.map { $0.1 }
}

func isConnected(_ flags: SCNetworkReachabilityFlags) -> Bool {
  let isReachable = (flags.rawValue & UInt32(kSCNetworkFlagsReachable)) != 0
  let needsConnection = (flags.rawValue & UInt32(kSCNetworkFlagsConnectionRequired)) != 0
  return isReachable && !needsConnection
}

func isConnectedAsInt(_ flags: SCNetworkReachabilityFlags) -> Bool {
  let reachable = Int(flags.rawValue) & kSCNetworkFlagsReachable
  return reachable == kSCNetworkFlagsReachable
    && flags.contains(SCNetworkReachabilityFlags(rawValue: UInt32(kSCNetworkFlagsReachable)))
}

func numberOfFlags(_ target: SCNetworkReachability) -> SCNetworkConnectionFlags {
  var flags = SCNetworkReachabilityFlags(rawValue: SCNetworkConnectionFlags(0))
  return SCNetworkReachabilityGetFlags(target, &flags) ? flags.rawValue : 0
}
