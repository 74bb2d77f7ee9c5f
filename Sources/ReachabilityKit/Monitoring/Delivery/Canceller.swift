import Synchronization

/// Cancels the operation that a task waits for, without cancelling the task.
package final class Canceller: Sendable {
  private struct State {
    var isCancelled = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Cancels the present operation and all later ones.
  package func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel.take()
    }
    cancel?()
  }

  /// Runs an operation, one at a time; the calling task's cancellation cancels it, too.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let work = Task { try await body() }
    let isCancelled = state.withLock { state in
      state.cancel = { work.cancel() }
      return state.isCancelled
    }
    if isCancelled { work.cancel() }
    return try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      work.cancel()
    }
  }
}
