// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor

/// A monitor without a reference, and one whose handler is set after the start.
enum Unheld {
  static func observe(_ report: @escaping @Sendable (Bool) -> Void) {
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { path in report(path.status == .satisfied) }
    monitor.start(queue: DispatchQueue(label: "unheld"))
  }

  static func observeLate(_ report: @escaping @Sendable (NWPath) -> Void) -> NWPathMonitor {
    let monitor = NWPathMonitor()
    let queue = DispatchQueue.global(qos: .background)
    monitor.start(queue: queue)
    monitor.pathUpdateHandler = { path in
      if path.status == .requiresConnection { return }
      report(path)
    }
    return monitor
  }
}
