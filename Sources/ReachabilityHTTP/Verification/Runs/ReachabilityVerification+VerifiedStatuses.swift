extension ReachabilityVerification {
  /// The path and its verification over time: first the current path, not verified yet, then each change of either.
  ///
  /// Each iteration is a separate observation with its own verifications. It ends with its task, or when its iterator
  /// is destroyed. A slow reader receives the newest status, and never two equal ones in a row. The sequence never
  /// throws.
  public struct VerifiedStatuses: AsyncSequence, Sendable {
    let follower: Follower

    /// Starts an observation.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: ReachabilityVerification.VerifiedStatus.self, bufferingPolicy: .bufferingNewest(1))
      let follower = follower
      let task = Task { await follower.run { continuation.yield($0) } }
      // The stream ends when its reader does.
      continuation.onTermination = { _ in task.cancel() }
      return Iterator(statuses: stream.makeAsyncIterator())
    }

    /// The statuses of one observation.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var statuses: AsyncStream<ReachabilityVerification.VerifiedStatus>.AsyncIterator
      private var seen: ReachabilityVerification.VerifiedStatus?

      fileprivate init(statuses: AsyncStream<ReachabilityVerification.VerifiedStatus>.AsyncIterator) {
        self.statuses = statuses
      }

      /// Returns the next status as soon as there is one; `nil` after the task is cancelled.
      public mutating func next() async -> ReachabilityVerification.VerifiedStatus? {
        await next(isolation: #isolation)
      }

      /// Returns the next status as soon as there is one; `nil` after the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> ReachabilityVerification
        .VerifiedStatus?
      {
        while let status = await statuses.next(isolation: actor) {
          // A status between two equal ones may have been dropped.
          guard status != seen else { continue }
          seen = status
          return status
        }
        return nil
      }
    }
  }
}
