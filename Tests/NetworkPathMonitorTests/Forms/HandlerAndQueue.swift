// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor
import Synchronization

/// A handler that holds its owner weakly, on a labelled queue, cancelled with the owner.
final class ConnectionObserver: Sendable {
  enum Connection: String { case wifi, cellular, wired, other, none }

  private let monitor = NWPathMonitor()
  private let queue = DispatchQueue(label: "org.example.connection")
  private let connection = Mutex(Connection.none)
  private let onChange: @Sendable (Connection) -> Void

  init(onChange: @escaping @Sendable (Connection) -> Void) {
    self.onChange = onChange
    monitor.pathUpdateHandler = { [weak self] path in
      guard let self else { return }
      let connection = Self.connection(of: path)
      self.connection.withLock { $0 = connection }
      self.onChange(connection)
    }
    monitor.start(queue: queue)
  }

  deinit { monitor.cancel() }

  var current: Connection { connection.withLock { $0 } }

  private static func connection(of path: NWPath) -> Connection {
    guard path.status == .satisfied else { return .none }
    if path.usesInterfaceType(.wifi) { return .wifi }
    if path.usesInterfaceType(.cellular) { return .cellular }
    if path.usesInterfaceType(.wiredEthernet) { return .wired }
    return .other
  }
}
