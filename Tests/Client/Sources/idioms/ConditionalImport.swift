// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

// The condition is true in the first build too, because this target depends on the product.
#if canImport(SystemConfiguration)
import SystemConfiguration
#endif

/// Returns the flags of the loopback address; 0 without the module.
func flagsUnderCondition() -> UInt32 {
  #if canImport(SystemConfiguration)
  guard let target = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1") else { return 0 }
  var flags = SCNetworkReachabilityFlags()
  return SCNetworkReachabilityGetFlags(target, &flags) ? flags.rawValue : 0
  #else
  return 0
  #endif
}
