// SPDX-License-Identifier: Apache-2.0
import Foundation
import NetworkPathMonitor
import Observation

/// What a screen shows: observable, on the main actor.
@MainActor @Observable
final class ScreenModel {
  private(set) var isConnected = true
  private(set) var interfaceType: NWInterface.InterfaceType?
  @ObservationIgnored private let monitor: NWPathMonitor

  init(monitor: NWPathMonitor = NWPathMonitor()) {
    self.monitor = monitor
    monitor.pathUpdateHandler = { [weak self] path in
      Task { @MainActor in self?.show(path) }
    }
    monitor.start(queue: DispatchQueue.main)
  }

  deinit { monitor.cancel() }

  private func show(_ path: NWPath) {
    isConnected = path.status == .satisfied
    interfaceType = path.availableInterfaces.first?.type
  }
}

/// The same with a task over the sequence.
@MainActor
final class TaskModel {
  private(set) var path: NWPath?
  private var task: Task<Void, Never>?
  private let monitor = NWPathMonitor()

  func start(onChange: @escaping @MainActor (NWPath) -> Void) {
    task = Task { [monitor, weak self] in
      for await path in monitor {
        self?.path = path
        onChange(path)
      }
    }
  }

  deinit { task?.cancel() }
}
