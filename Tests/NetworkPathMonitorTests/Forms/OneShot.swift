// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor

/// One answer: a continuation that must be resumed exactly once, and a semaphore that must be signalled.
enum OneShot {
  /// The monitor is a local variable, which only its start keeps alive.
  static func isOnline() async -> Bool {
    await withCheckedContinuation { continuation in
      let monitor = NWPathMonitor()
      monitor.pathUpdateHandler = { path in
        monitor.cancel()
        continuation.resume(returning: path.status == .satisfied)
      }
      monitor.start(queue: DispatchQueue.global(qos: .userInitiated))
    }
  }

  /// Blocks the caller until the first path, or the limit.
  static func isOnlineNow(limit: DispatchTimeInterval = .seconds(60)) -> Bool? {
    let monitor = NWPathMonitor()
    let semaphore = DispatchSemaphore(value: 0)
    monitor.pathUpdateHandler = { _ in semaphore.signal() }
    monitor.start(queue: .global())
    defer { monitor.cancel() }
    guard semaphore.wait(timeout: .now() + limit) == .success else { return nil }
    return monitor.currentPath.status == .satisfied
  }

  /// The first value of the sequence.
  static func firstPath() async -> NWPath? {
    for await path in NWPathMonitor() { return path }
    return nil
  }
}
