// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation

#if canImport(Network)
import Network
#endif

/// Answers whether the network is there, on platforms that can tell.
final class Connectivity {
  #if canImport(Network)
  private let monitor = NWPathMonitor()
  private let first = DispatchSemaphore(value: 0)

  func isOnline() -> Bool {
    monitor.pathUpdateHandler = { [first] _ in first.signal() }
    monitor.start(queue: DispatchQueue(label: "connectivity"))
    defer { monitor.cancel() }
    guard first.wait(timeout: .now() + .seconds(20)) == .success else { return false }
    return monitor.currentPath.status == .satisfied
  }
  #else
  func isOnline() -> Bool { false }
  #endif
}
