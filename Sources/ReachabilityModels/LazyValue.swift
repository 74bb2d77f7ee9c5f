// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// A value that is kept up to date while it is read.
///
/// Observers receive one change only, and read the value again if they want the next. So a change that finds the
/// change before unread has no observers, and ends the observation.
@MainActor
final class LazyValue<Value: Equatable & Sendable> {
  typealias Changes = any AsyncSequence<Value, Never> & Sendable
  /// Announces a change, and makes it in between.
  typealias Announcement = (_ change: () -> Void) -> Void

  private let ownMonitor: ReachabilityMonitor?
  private let current: (ReachabilityMonitor) -> Value
  private let changes: (ReachabilityMonitor) -> Changes

  /// The value while it is observed.
  private var value: Value?
  private var isRead = false
  private var task: Task<Void, Never>?

  init(
    _ monitor: ReachabilityMonitor?, current: @escaping (ReachabilityMonitor) -> Value,
    changes: @escaping (ReachabilityMonitor) -> Changes
  ) {
    ownMonitor = monitor
    self.current = current
    self.changes = changes
  }

  deinit {
    task?.cancel()
  }

  var isObserving: Bool { value != nil }

  /// Returns the current value; the first time, its observation begins.
  func read(_ announce: @escaping Announcement) -> Value {
    isRead = true
    if let value { return value }
    let monitor = ownMonitor ?? .shared
    let value = current(monitor)
    // A system that cannot be queried reports no changes; the next reading tries again.
    if monitor.diagnostics.failure != nil { return value }
    self.value = value
    let changes = changes(monitor)
    task = Task { [weak self] in
      for await value in changes {
        guard let self, self.take(value, announce) else { return }
      }
    }
    return value
  }

  /// Takes the next value; returns whether the observation goes on.
  private func take(_ next: Value, _ announce: Announcement) -> Bool {
    // The observation begins with the current value, which mostly is the one that was read.
    guard next != value else { return true }
    guard isRead else {
      value = nil
      task = nil
      return false
    }
    isRead = false
    announce { value = next }
    return true
  }
}
