// SPDX-License-Identifier: Apache-2.0
/// A service that calls a handler with each status of a target, or with each path, until its task is cancelled.
///
/// The type has the one method that service runners require. A program that uses such a package conforms it:
/// `extension ReachabilityService: @retroactive Service {}`.
///
/// The handler is called in the task of ``run()``, for one event after another. While it runs, only the newest event
/// is kept.
public struct ReachabilityService: Sendable {
  private let observe: @Sendable () async throws -> Void

  /// Creates a service that observes a target: the handler receives the current status first, then each change of
  /// meaning.
  ///
  /// - Parameters:
  ///   - target: The target to observe.
  ///   - settling: How long a change must last before it is delivered; zero delivers every change immediately.
  ///   - monitor: The monitor to use; `nil` for ``ReachabilityMonitor/shared``.
  ///   - handler: The handler to call. An error that it throws ends the service.
  public init(
    observing target: ReachabilityTarget, settling: Duration = .zero, monitor: ReachabilityMonitor? = nil,
    handler: @escaping @Sendable (ReachabilityEvent) async throws -> Void
  ) {
    observe = {
      let monitor = monitor ?? .shared
      for await event in monitor.events(of: target, settling: settling) { try await handler(event) }
    }
  }

  /// Creates a service that observes the path: the handler receives the current path first, then each change of
  /// meaning.
  ///
  /// - Parameters:
  ///   - requirements: The kinds of interface that the path may use.
  ///   - monitor: The monitor to use; `nil` for ``ReachabilityMonitor/shared``.
  ///   - handler: The handler to call. An error that it throws ends the service.
  public init(
    observingPath requirements: ReachabilityPath.Requirements, monitor: ReachabilityMonitor? = nil,
    handler: @escaping @Sendable (ReachabilityPath) async throws -> Void
  ) {
    observe = {
      let monitor = monitor ?? .shared
      for await path in monitor.paths(requirements) { try await handler(path) }
    }
  }

  /// Observes until the task is cancelled, and then returns.
  ///
  /// - Throws: The handler's error. A `CancellationError` of the handler in a cancelled task is not thrown.
  public func run() async throws {
    do {
      try await observe()
    } catch  where error.isCancellation && Task.isCancelled {
      // The handler was waiting when the task was cancelled.
    }
  }
}
