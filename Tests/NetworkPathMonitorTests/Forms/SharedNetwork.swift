// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor

/// A singleton with its state behind a lock of its own, and a monitor that is never cancelled.
final class SharedNetwork: @unchecked Sendable {
  static let shared = SharedNetwork()

  private let monitor: NWPathMonitor
  private let lock = NSLock()
  private var online: Bool?
  private var metered = false
  private var listeners: [UUID: @Sendable (Bool) -> Void] = [:]

  private init() {
    monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { [weak self] path in self?.update(path) }
    monitor.start(queue: DispatchQueue(label: "SharedNetwork", qos: .background))
  }

  var isOnline: Bool? { lock.withLock { online } }
  var isMetered: Bool { lock.withLock { metered } }

  @discardableResult
  func listen(_ listener: @escaping @Sendable (Bool) -> Void) -> UUID {
    let id = UUID()
    let known = lock.withLock { () -> Bool? in
      listeners[id] = listener
      return online
    }
    if let known { listener(known) }
    return id
  }

  private func update(_ path: NWPath) {
    let isOnline = path.status == .satisfied
    let called = lock.withLock { () -> [@Sendable (Bool) -> Void] in
      metered = path.isExpensive || path.isConstrained
      guard online != isOnline else { return [] }
      online = isOnline
      return Array(listeners.values)
    }
    called.forEach { $0(isOnline) }
  }
}
