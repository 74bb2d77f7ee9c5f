import Synchronization

/// Cancels what a task waits for, without cancelling the task.
package final class Canceller: Sendable {
  private struct State {
    var isCancelled = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Cancels what runs now, and all that is run later.
  package func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel.take()
    }
    cancel?()
  }

  /// Runs a closure, one at a time, which is cancelled with the calling task, too.
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
