import ReachabilityKit
import Synchronization

/// The observations of one period, which end together.
final class Subscription: Sendable {
  /// The running observations, `nil` once the period has ended.
  private let observations = Mutex<[ReachabilityObservation]?>([])

  /// Adds an observation, which ends immediately if the period has ended.
  func add(_ observation: ReachabilityObservation) {
    let isOver = observations.withLock { observations in
      observations?.append(observation)
      return observations == nil
    }
    if isOver { observation.cancelWithoutWaiting() }
  }

  /// Ends all observations without waiting for running handlers.
  func end() {
    let ended = observations.withLock { $0.take() }
    ended?.forEach { $0.cancelWithoutWaiting() }
  }
}
