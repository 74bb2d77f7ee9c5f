/// Runs an operation, cancels it at a deadline, if there is one, and returns its value, or `nil` after the deadline.
package func withDeadline<Value: Sendable>(
  _ deadline: ContinuousClock.Instant?, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
  guard let deadline else { return try await operation() }
  return try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await Task.sleep(until: deadline, clock: .continuous)
      return nil
    }
    defer { group.cancelAll() }
    return try await group.next() ?? nil
  }
}
