extension ReachabilityVerification {
  /// Both levels over time: the present path first, not verified yet, then each change of meaning of either, once.
  ///
  /// Each iteration is an observation of its own, which verifies by itself and ends with its task, or when its iterator goes. A reader who is
  /// slower than the network gets the newest status; it never gets the same one twice in a row. Nothing throws.
  public struct VerifiedStatuses: AsyncSequence, Sendable {
    let follower: Follower

    /// Begins an observation.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: ReachabilityVerification.VerifiedStatus.self, bufferingPolicy: .bufferingNewest(1))
      let follower = follower
      let task = Task { await follower.run { continuation.yield($0) } }
      // The stream ends when its reader does.
      continuation.onTermination = { _ in task.cancel() }
      return Iterator(statuses: stream.makeAsyncIterator())
    }

    /// Waits for the statuses of one observation.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var statuses: AsyncStream<ReachabilityVerification.VerifiedStatus>.AsyncIterator
      private var seen: ReachabilityVerification.VerifiedStatus?

      fileprivate init(statuses: AsyncStream<ReachabilityVerification.VerifiedStatus>.AsyncIterator) {
        self.statuses = statuses
      }

      /// Waits for the next status; `nil` once the task is cancelled.
      public mutating func next() async -> ReachabilityVerification.VerifiedStatus? {
        await next(isolation: #isolation)
      }

      /// Waits for the next status; `nil` once the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> ReachabilityVerification
        .VerifiedStatus?
      {
        while let status = await statuses.next(isolation: actor) {
          // What lay between may not have been read.
          guard status != seen else { continue }
          seen = status
          return status
        }
        return nil
      }
    }
  }
}
