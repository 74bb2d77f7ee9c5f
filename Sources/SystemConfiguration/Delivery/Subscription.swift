import Dispatch
import ReachabilityKit
import Synchronization

/// A period's observations, which end together.
final class Subscription: Sendable {
  private struct State {
    var observations: [ReachabilityObservation] = []
    var isOver = false
  }

  private let state = Mutex(State())

  /// Adds an observation; if all is over already, it ends at once.
  func add(_ observation: ReachabilityObservation) {
    let isOver = state.withLock { state in
      if !state.isOver { state.observations.append(observation) }
      return state.isOver
    }
    if isOver { observation.cancelWithoutWaiting() }
  }

  /// Ends all, without waiting for handlers that run.
  func end() {
    let observations = state.withLock { state in
      state.isOver = true
      defer { state.observations = [] }
      return state.observations
    }
    observations.forEach { $0.cancelWithoutWaiting() }
  }
}
