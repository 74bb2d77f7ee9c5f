public import Observation
public import ReachabilityKit

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
    value = LazyValue(monitor, unknown: ReachabilityPath(.unknown, reason: .systemError)) {
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

  /// Whether the monitor is observed now.
  package var isObserving: Bool { value.isObserving }
}
