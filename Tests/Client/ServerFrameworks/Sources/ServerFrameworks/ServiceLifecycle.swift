// SPDX-License-Identifier: Apache-2.0
// What the recipe uses of swift-service-lifecycle 2, with the same names and types.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public protocol Service: Sendable {
  func run() async throws
}

public func cancelWhenGracefulShutdown<T: Sendable>(
  _ operation: @Sendable @escaping () async throws -> T
) async rethrows -> T {
  try await withThrowingTaskGroup(of: T?.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      for await _ in ServiceGroup.shutdown.stream { break }
      return nil
    }
    while let result = try await group.next() {
      if let result { return result }
      group.cancelAll()
    }
    fatalError("the operation returns a value or throws")
  }
}

/// Starts a shutdown, as a group does.
public enum ServiceGroup {
  static let shutdown = AsyncStream.makeStream(of: Void.self)

  public static func triggerGracefulShutdown() { shutdown.continuation.yield() }
}
