import ReachabilityKit
import Synchronization

/// The reader of one iteration, and the observation that feeds it.
final class Iteration: Sendable {
  private struct State: Sendable {
    var observation: ReachabilityObservation?
    var isOver = false
  }

  private let continuation: AsyncStream<NWPath>.Continuation
  private let state = Mutex(State())

  init(_ continuation: AsyncStream<NWPath>.Continuation) {
    self.continuation = continuation
  }

  func yield(_ path: NWPath) {
    continuation.yield(path)
  }

  /// Keeps the observation until the end, which may have come already.
  func keep(_ observation: ReachabilityObservation) {
    let isOver = state.withLock { state in
      if !state.isOver { state.observation = observation }
      return state.isOver
    }
    if isOver { observation.cancelWithoutWaiting() }
  }

  /// Ends the stream for its reader, which ends the observation.
  func finish() {
    continuation.finish()
  }

  /// Ends the observation.
  func end() {
    let observation = state.withLock { state in
      state.isOver = true
      return state.observation.take()
    }
    observation?.cancelWithoutWaiting()
  }
}
