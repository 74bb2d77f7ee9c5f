// SPDX-License-Identifier: Apache-2.0
public import Dispatch
import POSIX

extension ReachabilityMonitor {
  /// Returns the evidence of whether a target answers, from this machine's own TCP traffic.
  ///
  /// Sends nothing and needs no privileges. Synchronous: about a millisecond for each thousand connections of the
  /// network namespace, on the calling thread. All callers share a reading for a second, or longer if reading took
  /// more than 5 ms of processor time.
  ///
  /// The evidence of an address or a host rests on the connections to its addresses, by the target's port and source
  /// if it has them; the firewall mark of a connection cannot be read. That of the default route rests on all
  /// connections whose packets take it, so it describes the path.
  ///
  /// - Parameter target: The target to judge.
  /// - Returns: The evidence, *none* where there is no traffic to judge by.
  ///
  /// The kernel request is `TCPDIAG_GETSOCK`, with `tcp_info`.
  public func evidence(for target: ReachabilityTarget) -> TrafficEvidence {
    handle.engine.evidence(about: .target(target)).evidence
  }

  /// Returns the evidence of whether anything answers over an interface.
  ///
  /// - Parameters:
  ///   - interface: The interface.
  ///   - family: The address family, or `nil` for both.
  /// - Returns: The evidence, as ``evidence(for:)`` returns it; peers on the link count as well.
  public func evidence(
    on interface: ReachabilityTarget.Interface, family: ReachabilityAddress.Family? = nil
  ) -> TrafficEvidence {
    handle.engine.evidence(about: .interface(interface, family)).evidence
  }

  /// Returns the evidence of all connections whose packets take the path of a target.
  package func evidence(onPathTo target: ReachabilityTarget) -> TrafficEvidence {
    handle.engine.evidence(about: .path(target)).evidence
  }

  /// The reading on which evidence rests at present.
  package var trafficReading: TrafficReading? { handle.engine.source.capabilities.traffic?.readTraffic() }

  /// Returns the evidence about a target over time: the current evidence first, then each change of meaning.
  ///
  /// Each iteration is a separate observation, which reads the traffic only while it is asked for the next element,
  /// and ends with its task. Two successive elements never mean the same.
  ///
  /// Polls only while it is iterated. A turn without retransmissions reads one small file; otherwise it lists the
  /// connections. A stall under traffic is reported within two seconds, or after two retransmission timeouts if they
  /// last longer. Three are necessary until the path's connections have sent 40 segments with rare losses, and where
  /// one segment of a hundred is lost; four where one of twenty is. Its end is reported within one interval.
  ///
  /// - Parameters:
  ///   - target: The target to judge.
  ///   - interval: The time between two readings, at least a second.
  public func evidence(
    for target: ReachabilityTarget, every interval: Duration
  ) -> some AsyncSequence<TrafficEvidence, Never> & Sendable {
    EvidenceSequence(handle: handle, question: .target(target), interval: interval)
  }

  /// Calls a handler with the evidence about a target, then with each change of meaning.
  ///
  /// Reads the traffic as ``evidence(for:every:)`` does. While the handler runs, only the newest evidence is kept.
  ///
  /// - Parameters:
  ///   - target: The target to judge.
  ///   - interval: The time between two readings, at least a second.
  ///   - queue: The queue on which the handler is called, with one evidence after the other, in order.
  ///   - handler: The handler to call.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observeEvidence(
    for target: ReachabilityTarget, every interval: Duration, on queue: DispatchQueue,
    handler: @escaping @Sendable (TrafficEvidence) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(of: evidence(for: target, every: interval), on: queue, handler: handler)
  }

  /// Calls a handler on the main actor with the evidence about a target, then with each change of meaning.
  ///
  /// Reads the traffic as ``evidence(for:every:)`` does. While the handler runs, only the newest evidence is kept.
  ///
  /// - Parameters:
  ///   - target: The target to judge.
  ///   - interval: The time between two readings, at least a second.
  ///   - actor: The main actor, `MainActor.self`.
  ///   - handler: The handler to call, with one evidence after the other, in order.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observeEvidence(
    for target: ReachabilityTarget, every interval: Duration, on actor: MainActor.Type,
    handler: @escaping @MainActor (TrafficEvidence) -> Void
  ) -> ReachabilityObservation {
    observeEvidence(for: target, every: interval, on: .main) { evidence in
      MainActor.assumeIsolated { handler(evidence) }
    }
  }

  /// Returns the evidence about an interface over time, as ``evidence(for:every:)`` does.
  ///
  /// - Parameters:
  ///   - interface: The interface.
  ///   - family: The address family, or `nil` for both.
  ///   - interval: The time between two readings, at least a second.
  public func evidence(
    on interface: ReachabilityTarget.Interface, family: ReachabilityAddress.Family? = nil,
    every interval: Duration
  ) -> some AsyncSequence<TrafficEvidence, Never> & Sendable {
    EvidenceSequence(handle: handle, question: .interface(interface, family), interval: interval)
  }
}

/// The evidence over time: the current evidence first, then each change of meaning.
private struct EvidenceSequence: AsyncSequence, Sendable {
  typealias Failure = Never

  let handle: EngineOwner
  let question: EvidenceQuestion
  let interval: Duration

  /// Begins an observation.
  func makeAsyncIterator() -> Iterator { Iterator(updates: self) }

  /// The iterator of one observation.
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let updates: EvidenceSequence
    private var follower = EvidenceFollower()

    fileprivate init(updates: EvidenceSequence) { self.updates = updates }

    /// Returns the next evidence, or `nil` once the task is cancelled.
    mutating func next() async -> TrafficEvidence? {
      await next(isolation: #isolation)
    }

    /// Returns the next evidence, or `nil` once the task is cancelled.
    @inline(never)
    mutating func next(isolation actor: isolated (any Actor)?) async -> TrafficEvidence? {
      let engine = updates.handle.engine
      while !Task.isCancelled {
        if let reading = follower.reading {
          let delay = engine.delayOfEvidence(after: reading, every: updates.interval)
          guard (try? await DeadlineTimer.sleep(until: .now + delay)) != nil else { return nil }
        }
        let turn = await Self.turn(of: follower, engine, updates.question)
        follower = turn.follower
        if let update = turn.update { return update }
      }
      return nil
    }

    /// Takes a reading if one is needed; not on the caller's actor, since a long list takes milliseconds.
    private static func turn(
      of follower: EvidenceFollower, _ engine: MonitorEngine, _ question: EvidenceQuestion
    ) async -> (follower: EvidenceFollower, update: TrafficEvidence?) {
      var follower = follower
      guard follower.needsReading(engine.hasTraffic) else { return (follower, nil) }
      let (evidence, reading) = engine.evidence(about: question)
      let update = follower.take(evidence, of: reading)
      return (follower, update)
    }
  }
}
