// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import class SystemConfiguration.SCNetworkReachability
import func SystemConfiguration.SCNetworkReachabilityCreateWithName
import func SystemConfiguration.SCNetworkReachabilityGetFlags
import struct SystemConfiguration.SCNetworkReachabilityFlags

func flagsByScopedImports() -> UInt32? {
  guard let target: SCNetworkReachability = SCNetworkReachabilityCreateWithName(nil, "10.1.0.7") else { return nil }
  var flags = SCNetworkReachabilityFlags()
  return SCNetworkReachabilityGetFlags(target, &flags) ? flags.rawValue : nil
}
