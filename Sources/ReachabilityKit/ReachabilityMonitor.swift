// SPDX-License-Identifier: Apache-2.0
public import Dispatch
import Synchronization

/// A monitor of network reachability: whether packets can leave this machine for a target, now and at each change.
///
/// All methods are safe to call from any thread, and none blocks its thread for network traffic. Packets are sent to
/// a target only by ``connect(to:port:timeout:attemptDelay:)`` and ``explain(_:probing:timeout:)``.
///
/// On Linux, the monitor queries the kernel over rtnetlink; nothing else is needed. A monitor belongs to the network
/// namespace of the thread that created it. Its threads run there, whichever thread calls it. If a thread that has
/// moved to another namespace (`setns`) may not start one there, the status is unknown. The library's threads have
/// the CPU affinity, scheduling policy and nice value of the process's main thread, as far as its privileges allow.
/// While the process cannot create threads, names and observed targets are unknown
/// (``ReachabilityStatus/Reason/systemError``).
///
/// A monitor also belongs to the process that created it. In a forked child that has not executed another program,
/// inherited monitors return unknown statuses (``ReachabilityStatus/Reason/systemError``) and notify no observers.
/// The child can create and query its own monitors; ``shared`` is a new one there. Observing requires Dispatch or
/// tasks, which do not work in such a child. Programs that the process starts inherit none of the monitor's
/// descriptors.
///
/// On Apple platforms, the monitor queries `SCNetworkReachability` and observes `NWPathMonitor`. A status there has
/// neither gateway nor source, and an interface only for the default route, cellular links, zones and loopback
/// addresses. The reason is ``ReachabilityStatus/Reason/noRoute``, unless a link waits for a connection or the target
/// itself is invalid. A change that does not change the path, such as a route for some addresses, is noticed with the
/// next change that does. Targets with a mark, or bound to an interface that is not the zone of their address, are
/// unknown. On watchOS, where only the path is available, an address is as reachable as the default route of its
/// family, and targets with a source are unknown.
public final class ReachabilityMonitor: Sendable {
  let handle: EngineOwner

  /// The monitor that the whole process shares: one thread and one set of sockets for any number of targets.
  ///
  /// It is created at the first access. If the system cannot be queried, all its statuses are unknown
  /// (``ReachabilityStatus/Reason/systemError``), ``ReachabilityDiagnostics/failure`` says why, and the next access tries
  /// again. ``init()`` throws the error instead.
  public static var shared: ReachabilityMonitor {
    sharedMonitor.withLock { monitor in
      if let monitor, monitor.handle.engine.belongsToThisProcess, monitor.failure == nil { return monitor }
      do throws(ReachabilityMonitorError) {
        let made = try ReachabilityMonitor()
        monitor = made
        return made
      } catch {
        if let monitor, monitor.handle.engine.belongsToThisProcess { return monitor }
        let unavailable = ReachabilityMonitor(source: UnavailableSource(error))
        monitor = unavailable
        return unavailable
      }
    }
  }

  /// Returns the shared monitor, for callers that need more than unknown statuses.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if the system cannot be queried; the next call tries again.
  package static func availableShared() throws(ReachabilityMonitorError) -> ReachabilityMonitor {
    let monitor = shared
    if let failure = monitor.failure { throw failure }
    return monitor
  }

  private static let sharedMonitor = Mutex<ReachabilityMonitor?>(nil)

  /// Why the system cannot be queried; `nil` if it can.
  private var failure: ReachabilityMonitorError? {
    (handle.engine.source as? UnavailableSource)?.failure
  }

  /// Creates a monitor that is separate from the shared one.
  ///
  /// - Throws: ``ReachabilityMonitorError`` with code `systemUnavailable` and the system's message if the system
  ///   cannot be queried.
  public convenience init() throws(ReachabilityMonitorError) {
    self.init(source: try systemNetworkSource())
  }

  /// Creates a monitor of another network than this machine's, for example a simulated one.
  package init(source: any NetworkSource) {
    handle = EngineOwner(source: source)
  }

  /// Returns the status of a target as soon as it is known.
  ///
  /// The status of an address and of the default route is known at once. That of a host is known when the lookup of its
  /// name has succeeded or failed. The system's resolver gives up after some seconds, typically 10 for a name server that
  /// does not answer. ``currentStatus(of:)`` does not wait.
  ///
  /// - Parameter target: The target to evaluate.
  /// - Returns: The status, without waiting if it is known.
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  public func status(of target: ReachabilityTarget) async throws(CancellationError) -> ReachabilityStatus {
    if Task.isCancelled { throw CancellationError() }
    let status = currentStatus(of: target)
    if status.reason != .resolving { return status }
    return try await first(of: target) { $0.reason != .resolving }
  }

  /// Returns the status of a target at this moment.
  ///
  /// Synchronous: some microseconds, without network traffic. A host name that is not known yet is looked up in the
  /// background, and stays known for a minute; ``status(of:)`` waits for the lookup.
  ///
  /// - Parameter target: The target to evaluate.
  /// - Returns: The status. It is unknown, with the reason `resolving`, during the first lookup of a host's name, or
  ///   with the reason `systemError` if the system fails to answer.
  public func currentStatus(of target: ReachabilityTarget) -> ReachabilityStatus {
    handle.engine.status(of: target)
  }

  /// Returns the events of a target: its current status first, then each change of meaning.
  ///
  /// The first status is never older than the call that began the iteration. The first status of a host whose name is
  /// not known yet is unknown, with the reason `resolving`. Two successive events never have equal statuses.
  ///
  /// Each iteration is a separate observation, which ends with its task. If events arrive faster than they are read,
  /// only the newest is kept; its previous status is the last one that was read.
  ///
  /// - Parameters:
  ///   - target: The target to observe.
  ///   - settling: How long a change must last before it is delivered; zero delivers every change immediately.
  public func events(
    of target: ReachabilityTarget, settling: Duration = .zero
  ) -> some AsyncSequence<ReachabilityEvent, Never> & Sendable {
    EventSequence<ReachabilityEvent>(
      handle: handle, subject: .target(.init(target: target, settling: settling)))
  }

  /// Calls a handler with the current status of a target, then with each change of meaning.
  ///
  /// The first status is never older than this call. While the handler is busy, at most 128 events are queued. After
  /// that, the newest replaces the last one, and its ``ReachabilityEvent/previous`` is the status of the event before
  /// it.
  ///
  /// - Parameters:
  ///   - target: The target to observe.
  ///   - settling: How long a change must last before it is delivered; zero delivers every change immediately.
  ///   - queue: The queue on which the handler is called, with one event after the other, in order.
  ///   - handler: The handler to call.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(
    _ target: ReachabilityTarget, settling: Duration = .zero, on queue: DispatchQueue,
    handler: @escaping @Sendable (ReachabilityEvent) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(
      handle, .target(.init(target: target, settling: settling)),
      sink: HandlerSink(queue: queue, handler: handler))
  }

  /// Calls a handler on the main actor with the current status of a target, then with each change of meaning.
  ///
  /// ```swift
  /// @MainActor final class Banner {
  ///   private(set) var isHidden = true
  ///   private var observation: ReachabilityObservation?
  ///
  ///   func start(on monitor: ReachabilityMonitor) {
  ///     observation = monitor.observe(.defaultRoute, on: MainActor.self) { [weak self] event in
  ///       self?.isHidden = event.status.isReachable
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The first status is never older than this call. While the handler is busy, at most 128 events are queued, as for a
  /// queue.
  ///
  /// - Parameters:
  ///   - target: The target to observe.
  ///   - settling: How long a change must last before it is delivered; zero delivers every change immediately.
  ///   - actor: The main actor, `MainActor.self`.
  ///   - handler: The handler to call, with one event after the other, in order.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(
    _ target: ReachabilityTarget, settling: Duration = .zero, on actor: MainActor.Type,
    handler: @escaping @MainActor (ReachabilityEvent) -> Void
  ) -> ReachabilityObservation {
    observe(target, settling: settling, on: .main) { event in
      MainActor.assumeIsolated { handler(event) }
    }
  }

  /// Calls a handler on the monitor's thread with the current status of a target, then with each change of meaning.
  ///
  /// The fastest delivery; the handler must return quickly. The first status is never older than this call.
  ///
  /// - Parameters:
  ///   - target: The target to observe.
  ///   - settling: How long a change must last before it is delivered; zero delivers every change immediately.
  ///   - thread: The monitor's thread, ``ReachabilityObservation/DeliveryThread/monitorThread``.
  ///   - handler: The handler to call.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(
    _ target: ReachabilityTarget, settling: Duration = .zero,
    on thread: ReachabilityObservation.DeliveryThread,
    handler: @escaping @Sendable (ReachabilityEvent) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(
      handle, .target(.init(target: target, settling: settling)),
      sink: HandlerSink(queue: nil, handler: handler))
  }

  /// Evaluates every observed target again, and looks every observed host name up again.
  ///
  /// Observers receive the statuses that differ. Never needed for correctness: use it after a change that the system
  /// does not announce.
  public func refresh() {
    handle.engine.refresh()
  }
}

extension ReachabilityMonitor {
  /// The current path: the interfaces by which packets leave this machine, or why none can be used.
  ///
  /// Synchronous: some microseconds for each interface that has an address, without network traffic.
  public var path: ReachabilityPath { path(.none) }

  /// Returns the current path over the interfaces that the requirements allow.
  ///
  /// Synchronous: some microseconds for each interface that has an address, without network traffic.
  ///
  /// - Parameter requirements: The kinds of interface that the path may use.
  public func path(_ requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    handle.engine.path(requirements)
  }

  /// Returns the path over time: the current path first, then each change of meaning.
  ///
  /// Each iteration is a separate observation, which ends with its task. If paths arrive faster than they are read,
  /// only the newest is kept. Two successive paths are never equal.
  ///
  /// - Parameter requirements: The kinds of interface that the path may use.
  public func paths(
    _ requirements: ReachabilityPath.Requirements = .none
  ) -> some AsyncSequence<ReachabilityPath, Never> & Sendable {
    EventSequence<ReachabilityPath>(handle: handle, subject: .path(requirements))
  }

  /// Calls a handler with the current path, then with each change of meaning.
  ///
  /// The first path is never older than this call. While the handler is busy, at most 128 paths are queued; after
  /// that, the newest replaces the last one.
  ///
  /// - Parameters:
  ///   - requirements: The kinds of interface that the path may use.
  ///   - queue: The queue on which the handler is called, with one path after the other, in order.
  ///   - handler: The handler to call.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observePath(
    _ requirements: ReachabilityPath.Requirements = .none, on queue: DispatchQueue,
    handler: @escaping @Sendable (ReachabilityPath) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(handle, .path(requirements), sink: HandlerSink(queue: queue, handler: handler))
  }

  /// Calls a handler on the main actor with the current path, then with each change of meaning.
  ///
  /// The first path is never older than this call. While the handler is busy, at most 128 paths are queued, as for a
  /// queue.
  ///
  /// - Parameters:
  ///   - requirements: The kinds of interface that the path may use.
  ///   - actor: The main actor, `MainActor.self`.
  ///   - handler: The handler to call, with one path after the other, in order.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observePath(
    _ requirements: ReachabilityPath.Requirements = .none, on actor: MainActor.Type,
    handler: @escaping @MainActor (ReachabilityPath) -> Void
  ) -> ReachabilityObservation {
    observePath(requirements, on: .main) { path in
      MainActor.assumeIsolated { handler(path) }
    }
  }

  /// Calls a handler on the monitor's thread with the current path, then with each change of meaning.
  ///
  /// The fastest delivery; the handler must return quickly. The first path is never older than this call.
  ///
  /// - Parameters:
  ///   - requirements: The kinds of interface that the path may use.
  ///   - thread: The monitor's thread, ``ReachabilityObservation/DeliveryThread/monitorThread``.
  ///   - handler: The handler to call.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observePath(
    _ requirements: ReachabilityPath.Requirements = .none, on thread: ReachabilityObservation.DeliveryThread,
    handler: @escaping @Sendable (ReachabilityPath) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(handle, .path(requirements), sink: HandlerSink(queue: nil, handler: handler))
  }

  /// Counters of the exchange between this monitor and the system since the monitor was created.
  ///
  /// On Linux these count the monitor's netlink sockets; elsewhere all counters are zero.
  public var diagnostics: ReachabilityDiagnostics {
    if let failure { return ReachabilityDiagnostics(failure: failure) }
    return handle.engine.diagnostics
  }

  /// Creates a monitor of another network namespace, without moving the calling thread.
  ///
  /// A thread of the library enters the namespace once. It starts the threads that look names up or connect there,
  /// and sleeps otherwise. Entering requires `CAP_SYS_ADMIN` in the namespace and in this process's user namespace,
  /// unless the process is in the namespace already. Afterwards no privileges are needed, and the process may drop
  /// them.
  ///
  /// The monitor keeps the namespace alive, as every socket does: its network is observed even after its name is
  /// deleted and its processes have exited.
  ///
  /// - Parameter namespace: The namespace to observe.
  /// - Throws: ``ReachabilityMonitorError`` with code `namespaceNotFound` if there is no such network namespace,
  ///   `notPermitted` if this process may not enter it, or `systemUnavailable`.
  public convenience init(in namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    self.init(source: try NamespaceAccess(namespace).source)
  }

  /// The monitor that Apple's functions and the classic managers use for targets that this task creates, instead of the
  /// shared one: that of a simulated network or of another network namespace.
  @TaskLocal package static var substitute: ReachabilityMonitor?

  /// Starts a thread in this monitor's network, which looks names up as processes there do.
  ///
  /// - Throws: ``ReachabilityMonitorError`` with code `systemUnavailable` if no thread can be created, or in a forked
  ///   child.
  package func startNetworkThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    let engine = handle.engine
    guard engine.belongsToThisProcess else {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "cannot send requests: this monitor was created by another process")
    }
    guard let names = engine.source.capabilities.names else {
      return try engine.source.startThread(named: name, body)
    }
    try names.startLookupThread(named: name, body)
  }

  /// The clock of waits and pauses.
  package var clock: MonitorClock { handle.engine.clock }

  /// Whether the name lookup configuration of that network is known.
  package var canLookUp: Bool { handle.engine.source.capabilities.names?.canLookUp ?? true }
}
