// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration.CaptiveNetwork
import SystemConfiguration.SCNetworkReachability

func flagsBySubmodule(_ name: String) -> SCNetworkReachabilityFlags? {
  guard let target: SystemConfiguration.SCNetworkReachability = SCNetworkReachabilityCreateWithName(nil, name)
  else { return nil }
  var flags = SCNetworkReachabilityFlags()
  return SCNetworkReachabilityGetFlags(target, &flags) ? flags : nil
}
