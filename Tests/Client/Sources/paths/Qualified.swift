// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import Network

/// The app has a path of its own, so Apple's is named with its module.
struct NWPath {
  var segments: [String]
}

struct Interfaces {
  let monitor: Network.NWPathMonitor
  var last: Network.NWPath { monitor.currentPath }

  init(only type: Network.NWInterface.InterfaceType) {
    monitor = Network.NWPathMonitor(requiredInterfaceType: type)
  }

  func names() async -> [String] {
    for await path in monitor where path.status == Network.NWPath.Status.satisfied {
      return path.availableInterfaces.map { (interface: Network.NWInterface) in interface.name }
    }
    return []
  }
}
