// SPDX-License-Identifier: Apache-2.0
public import Observation
@_exported public import ReachabilityKit

/// The status of a target, for SwiftUI views and other observers (`Observations`, `withObservationTracking`).
///
/// ```swift
/// import Observation
/// import ReachabilityModels
///
/// let server = ReachabilityStatusModel(of: .address("192.0.2.1"))
/// for await status in Observations({ server.status }) { print(status) }
/// ```
///
/// The monitor is observed while ``status`` is: from the first reading on, until a change finds that nothing has read
/// the one before, or the model is released. The next reading starts again, with the current status.
@MainActor @Observable
public final class ReachabilityStatusModel {
  /// The target.
  public let target: ReachabilityTarget
  private let value: LazyValue<ReachabilityStatus>

  /// Creates a model, which queries nothing yet.
  ///
  /// - Parameters:
  ///   - target: The target to observe.
  ///   - settling: How long a change must last before it is shown; zero shows every change immediately.
  ///   - monitor: The monitor to use; `nil` for `ReachabilityMonitor.shared`.
  public init(
    of target: ReachabilityTarget, settling: Duration = .zero, monitor: ReachabilityMonitor? = nil
  ) {
    self.target = target
    value = LazyValue(monitor) {
      $0.currentStatus(of: target)
    } changes: {
      $0.events(of: target, settling: settling).map(\.status)
    }
  }

  /// The current status; unknown while a host's name is looked up for the first time, or if the system cannot be
  /// queried.
  public var status: ReachabilityStatus {
    access(keyPath: \.status)
    return value.read { [weak self] change in self?.withMutation(keyPath: \.status, change) }
  }

  /// Whether the monitor is observed now.
  package var isObserving: Bool { value.isObserving }
}

/// The path of this machine, for SwiftUI views and other observers (`Observations`, `withObservationTracking`).
///
/// The monitor is observed while ``path`` is: from the first reading on, until a change finds that nothing has read the
/// one before, or the model is released. The next reading starts again, with the current path.
@MainActor @Observable
public final class ReachabilityPathModel {
  private let value: LazyValue<ReachabilityPath>

  /// Creates a model, which queries nothing yet.
  ///
  /// - Parameters:
  ///   - requirements: The kinds of interface that the path may use.
  ///   - monitor: The monitor to use; `nil` for `ReachabilityMonitor.shared`.
  public init(
    _ requirements: ReachabilityPath.Requirements = .none, monitor: ReachabilityMonitor? = nil
  ) {
    value = LazyValue(monitor) {
      $0.path(requirements)
    } changes: {
      $0.paths(requirements)
    }
  }

  /// The current path; unknown if the system cannot be queried.
  public var path: ReachabilityPath {
    access(keyPath: \.path)
    return value.read { [weak self] change in self?.withMutation(keyPath: \.path, change) }
  }
}
