// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor

/// An actor that receives paths by a task for each, and lets callers wait.
actor ConnectivityActor {
  private let monitor = NWPathMonitor()
  private var waiters: [CheckedContinuation<Void, Never>] = []

  func start() {
    monitor.pathUpdateHandler = { [weak self] path in
      guard path.status != .unsatisfied else { return }
      Task { await self?.resumeWaiters() }
    }
    monitor.start(queue: .global(qos: .utility))
  }

  func stop() {
    monitor.cancel()
    monitor.pathUpdateHandler = nil
  }

  var interfaces: [String] { monitor.currentPath.availableInterfaces.map(\.name) }

  func waitUntilOnline() async {
    if monitor.currentPath.status == .satisfied { return }
    await withCheckedContinuation { waiters.append($0) }
  }

  private func resumeWaiters() {
    // Tasks may run in another order than they were made.
    guard monitor.currentPath.status == .satisfied else { return }
    for waiter in waiters { waiter.resume() }
    waiters = []
  }
}
