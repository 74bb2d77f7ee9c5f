// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor
import Synchronization

/// A subject as reactive libraries have it; its method is the handler.
final class Subject<Value: Sendable>: Sendable {
  private let sinks = Mutex<[@Sendable (Value) -> Void]>([])

  func sink(_ sink: @escaping @Sendable (Value) -> Void) { sinks.withLock { $0.append(sink) } }

  func send(_ value: Value) {
    for sink in sinks.withLock({ $0 }) { sink(value) }
  }
}

/// Functions of the monitor as values, and handlers that call the handler before them.
struct ReactiveMonitor {
  let subject = Subject<NWPath>()
  private let monitor = NWPathMonitor()

  func connect() -> () -> Void {
    monitor.pathUpdateHandler = subject.send
    let start: (DispatchQueue) -> Void = monitor.start(queue:)
    start(DispatchQueue(label: "reactive"))
    return monitor.cancel
  }

  /// Adds a handler behind the present one, and calls all with the present path.
  func chain(_ handler: @escaping @Sendable (NWPath) -> Void) {
    let previous = monitor.pathUpdateHandler
    monitor.pathUpdateHandler = { path in
      previous?(path)
      handler(path)
    }
    monitor.pathUpdateHandler?(monitor.currentPath)
  }
}
