public import Dispatch
import Synchronization

/// Tells whether packets can leave this machine for a target, and tells it again the moment that changes.
///
/// All of it is safe to use from any thread, and no call blocks its thread for a network. Nothing is sent to a target but by
/// ``connect(to:port:timeout:attemptDelay:)`` and ``explain(_:probing:timeout:)``.
///
/// On Linux the kernel is asked over rtnetlink; nothing else is needed. A monitor belongs to the network namespace
/// of the thread that made it. Its own threads run there, whichever thread asks; if a thread that moved elsewhere (`setns`)
/// may not start one there, the answer is unknown. They have the processors, policy and nice value of the process's main
/// thread, as far as its rights allow. Where the process may start no thread, names and observed targets are unknown
/// (``ReachabilityStatus/Reason/systemError``) until it may. A monitor also belongs to the process: in a child that was forked and runs no other program, what it is asked
/// is unknown (``ReachabilityStatus/Reason/systemError``), and its observers are told nothing. A child may make monitors of its own, and ask
/// them; ``shared`` is another one there. Observing takes Dispatch or tasks, which do not work in such a child. Programs that
/// are started get none of its descriptors.
///
/// On Apple platforms the system is asked over `SCNetworkReachability` and heard over `NWPathMonitor`. It tells neither
/// gateway nor source, and the interface only for the default route, cellular links, zones and loopback addresses. Why
/// nothing leaves is ``ReachabilityStatus/Reason/noRoute``, unless a link waits for a connection or the target itself can't be. What does
/// not change the path, such as a route for some addresses, is noticed with the next change that does. Targets with a
/// mark, or bound to an interface that is not the zone of their address, are unknown. On watchOS, where there is the
/// path alone, an address is as reachable as the default route of its family, and targets with a source are unknown.
public final class ReachabilityMonitor: Sendable {
  let handle: EngineHandle

  /// The monitor that all of a process can share: one thread and one set of sockets whatever the number of targets.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if the system can't be asked; the next access tries again.
  public static var shared: ReachabilityMonitor {
    get throws(ReachabilityMonitorError) {
      let made = sharedMonitor.withLock { monitor -> Result<ReachabilityMonitor, ReachabilityMonitorError> in
        if let monitor, monitor.handle.engine.isAtHome { return .success(monitor) }
        do throws(ReachabilityMonitorError) {
          let made = try ReachabilityMonitor()
          monitor = made
          return .success(made)
        } catch {
          return .failure(error)
        }
      }
      return try made.get()
    }
  }

  private static let sharedMonitor = Mutex<ReachabilityMonitor?>(nil)

  /// Makes a monitor of its own, apart from the shared one.
  ///
  /// - Throws: ``ReachabilityMonitorError`` with code `systemUnavailable` and the system's own words if it can't be asked.
  public convenience init() throws(ReachabilityMonitorError) {
    self.init(source: try systemNetworkSource())
  }

  /// Makes a monitor of a source, for example of a simulated network.
  package init(source: any NetworkSource) {
    handle = EngineHandle(source: source)
  }

  /// Works out the status of a target now.
  ///
  /// Synchronous: some microseconds, no network involved. A host's name that is not known yet is looked up in the
  /// background, and known for a minute from then on; ``firstKnownStatus(of:)`` waits for that.
  ///
  /// - Returns: The status; unknown, with the reason `resolving`, while a host's name is looked up for the first time,
  ///   or with the reason `systemError` if the system fails to answer.
  public func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    handle.engine.status(of: target)
  }

  /// Waits until the status of a target is known: for a host, until its name was looked up, or could not be.
  ///
  /// The system's resolver gives up after some seconds, typically 10 for a name server that does not answer.
  ///
  /// - Returns: The status; at once if it is known.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func firstKnownStatus(of target: ReachabilityTarget) async throws -> ReachabilityStatus {
    try Task.checkCancellation()
    let status = status(of: target)
    if status.reason != .resolving { return status }
    return try await first(of: target) { $0.reason != .resolving }
  }

  /// The status of a target over time: the present one first, then each change of meaning.
  ///
  /// The present status is never older than the call that began the iteration. A host whose name is not known yet is unknown
  /// at first, with the reason `resolving`.
  ///
  /// - Parameters:
  ///   - target: What the status is about.
  ///   - settling: How long a change must last before it is told; zero for at once.
  public func statuses(of target: ReachabilityTarget, settling: Duration = .zero) -> ReachabilityEvents {
    ReachabilityEvents(handle: handle, key: .init(target: target, settling: settling))
  }

  /// Calls a handler with the present status of a target, then with each change of meaning.
  ///
  /// The present status is never older than this call. While the handler is busy, no more than 128 events wait for it. Then
  /// the newest takes the place of the last one, and its ``ReachabilityEvent/previous`` is the status of the event before it.
  ///
  /// - Parameters:
  ///   - target: What the status is about.
  ///   - settling: How long a change must last before it is told; zero for at once.
  ///   - queue: Where the handler is called, one event after the other, in order.
  ///   - handler: What to call.
  /// - Returns: The observation, which ends when it is cancelled or let go.
  public func observe(
    _ target: ReachabilityTarget, settling: Duration = .zero, on queue: DispatchQueue,
    handler: @escaping @Sendable (ReachabilityEvent) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(
      handle, .init(target: target, settling: settling), HandlerSink(queue: queue, handler: handler))
  }

  /// Waits until a target is reachable.
  ///
  /// - Parameters:
  ///   - target: What to wait for.
  ///   - timeout: How long to wait at most; `nil` for as long as it takes.
  /// - Returns: The status when it became reachable; at once if it is.
  /// - Throws: ``ReachabilityMonitorError`` with code `timedOut`, or `CancellationError` if the task is cancelled.
  @discardableResult
  public func waitUntilReachable(_ target: ReachabilityTarget, timeout: Duration? = nil) async throws
    -> ReachabilityStatus
  {
    try Task.checkCancellation()
    // A time limit is for the waiting, of which there is none here.
    let status = status(of: target)
    if status.isReachable { return status }
    let deadline = timeout.map { ContinuousClock.now + $0.boundedForClocks }
    let found = try await withDeadline(deadline) { try await self.first(of: target) { $0.isReachable } }
    guard let found else {
      throw ReachabilityMonitorError(
        .timedOut, description: "\(target) was not reachable within \(timeout ?? .zero)")
    }
    return found
  }

  /// Asks about every watched target again, and looks every watched host's name up again; observers hear of what is
  /// different.
  ///
  /// Never needed for correctness; for those who know something that the system does not announce.
  public func refresh() {
    handle.engine.refresh()
  }

  /// Waits for a status that is awaited, the present one included.
  func first(
    of target: ReachabilityTarget, where isAwaited: @Sendable (ReachabilityStatus) -> Bool
  ) async throws -> ReachabilityStatus {
    for await event in statuses(of: target) where isAwaited(event.status) { return event.status }
    throw CancellationError()
  }
}
