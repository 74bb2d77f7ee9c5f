// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor

extension Notification.Name {
  static let connectivityChanged = Notification.Name("org.example.connectivityChanged")
}

/// A class of Foundation that posts a notification for each path.
final class Notifier: NSObject, @unchecked Sendable {
  private var monitor: NWPathMonitor?
  private let center: NotificationCenter

  init(center: NotificationCenter) {
    self.center = center
    super.init()
  }

  func start() {
    guard monitor == nil else { return }
    let monitor = NWPathMonitor()
    self.monitor = monitor
    monitor.pathUpdateHandler = { [unowned self] path in
      self.center.post(
        name: .connectivityChanged, object: self, userInfo: ["online": path.status == .satisfied])
    }
    monitor.start(queue: DispatchQueue(label: "Notifier"))
  }

  /// Each start has a monitor of its own: a cancelled one stays silent.
  func stop() {
    monitor?.cancel()
    monitor = nil
  }
}
