// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Names with their module, as code writes them beside names of its own.
enum Qualified {
  typealias Callback = SystemConfiguration.SCNetworkReachabilityCallBack

  struct SCNetworkReachabilityFlags {
    let isOn: Bool
    init(_ flags: SystemConfiguration.SCNetworkReachabilityFlags) { isOn = flags.contains(.reachable) }
  }

  struct SCNetworkReachability {
    let target: SystemConfiguration.SCNetworkReachability
    var flags: SCNetworkReachabilityFlags? {
      var flags = SystemConfiguration.SCNetworkReachabilityFlags()
      return SystemConfiguration.SCNetworkReachabilityGetFlags(target, &flags) ? .init(flags) : nil
    }
  }

  static let ignore: Callback = { _, _, _ in }
}

func readByQualifiedNames() -> [Bool?] {
  guard let target = SystemConfiguration.SCNetworkReachabilityCreateWithName(nil, "10.1.0.7") else { return [] }
  var context = SystemConfiguration.SCNetworkReachabilityContext()
  return [
    Qualified.SCNetworkReachability(target: target).flags?.isOn,
    SystemConfiguration.SCNetworkReachabilitySetCallback(target, Qualified.ignore, &context),
  ]
}
