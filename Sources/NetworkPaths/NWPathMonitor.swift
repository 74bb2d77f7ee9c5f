// SPDX-License-Identifier: Apache-2.0
public import Dispatch
import ReachabilityKit
import Synchronization

/// A monitor of the path of packets that leave this machine.
///
/// ```swift
/// let monitor = NWPathMonitor()
/// monitor.pathUpdateHandler = { path in print(path.status, path.availableInterfaces) }
/// monitor.start(queue: .main)
/// ```
///
/// The handler receives the current path after the start, also an unsatisfied one, and then each one that differs from
/// the one before. It is called on the queue, never inside ``start(queue:)``. A started monitor stays alive until it is
/// cancelled, even without a reference. All monitors of a process share one thread and one set of sockets. Safe to use
/// from any thread.
///
/// The Apple symbol is `NWPathMonitor`.
public final class NWPathMonitor: Sendable {
  private struct State: Sendable {
    var machine = MonitorState()
    var observation: ReachabilityObservation?
    var iterations: [ObjectIdentifier: Iteration] = [:]
  }

  private let requirements: ReachabilityPath.Requirements
  /// The monitor of the network, `nil` for the shared one.
  private let ownMonitor = ReachabilityMonitor.substitute
  private let state = Mutex(State())

  /// Creates a monitor of all interfaces but the loopback interface.
  public convenience init() { self.init(ReachabilityPath.Requirements.none) }

  /// Creates a monitor of the interfaces of one type: without any, the path is unsatisfied.
  public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
    self.init(ReachabilityPath.Requirements(requiredInterfaceType))
  }

  /// Creates a monitor of all interfaces but those of some types.
  public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
    self.init(ReachabilityPath.Requirements(prohibiting: prohibitedInterfaceTypes))
  }

  private init(_ requirements: ReachabilityPath.Requirements) {
    self.requirements = requirements
  }

  /// The last path: unsatisfied and without interfaces before the first one is delivered.
  ///
  /// It is set before the handler is called, and also without a handler.
  public var currentPath: NWPath { state.withLock { $0.machine.path } }

  /// The queue of the first ``start(queue:)``, `nil` before; ``cancel()`` keeps it.
  public var queue: DispatchQueue? { state.withLock { $0.machine.queue } }

  /// The handler to call with each path.
  ///
  /// It is read when a path is delivered. A handler that is set within 100 milliseconds after the first path still
  /// receives that one; a later one receives the next change only.
  @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
    get { state.withLock { $0.machine.handler } }
    set {
      let (old, queue) = state.withLock { state in
        let old = state.machine.handler
        return (old, state.machine.setHandler(newValue, now: .now) ? state.machine.queue : nil)
      }
      // Its captures are released here, under no lock.
      _ = consume old
      queue?.async { self.perform { $0.dequeueCall() } }
    }
  }

  /// Starts delivering paths on a queue; only the first start has an effect, and none after ``cancel()``.
  public func start(queue: DispatchQueue) {
    guard state.withLock({ $0.machine.start(on: queue) }) else { return }
    guard let monitor = currentMonitor() else {
      // The first call comes in any case; programs wait for it.
      return queue.async { self.perform { $0.deliver(ReachabilityPath(.unknown), now: .now) } }
    }
    // The handler keeps a started monitor alive.
    let observation = monitor.observePath(requirements, on: queue) { path in
      self.perform { $0.deliver(path, now: .now) }
    }
    let isCancelled = state.withLock { state in
      if !state.machine.isCancelled { state.observation = observation }
      return state.machine.isCancelled
    }
    if isCancelled { observation.cancel() }
  }

  /// Ends the delivery for good: no handler starts after this returns, and iterations end.
  ///
  /// The handler is released. May be called from the handler, and more than once.
  public func cancel() {
    let (handler, observation, iterations) = state.withLock { state in
      (state.machine.cancel(), state.observation.take(), state.iterations.values)
    }
    observation?.cancel()
    _ = consume handler
    // Under no lock: this runs the code of the waiting task.
    for iteration in iterations { iteration.finish() }
  }

  private func currentMonitor() -> ReachabilityMonitor? {
    ownMonitor ?? (try? ReachabilityMonitor.availableShared())
  }

  private func perform(_ decide: (inout MonitorState) -> MonitorState.Call?) {
    if let call = state.withLock({ decide(&$0.machine) }) { call.handler(call.path) }
  }
}

extension NWPathMonitor: CustomDebugStringConvertible {
  /// The type's name and the current path.
  public var debugDescription: String { "NWPathMonitor: \(currentPath)" }

  // MARK: - Iterations

  /// Begins an iteration, which ends with the monitor.
  func begin(_ iteration: Iteration) {
    let isCancelled = state.withLock { state in
      if !state.machine.isCancelled { state.iterations[ObjectIdentifier(iteration)] = iteration }
      return state.machine.isCancelled
    }
    if isCancelled { return iteration.finish() }
    guard let monitor = currentMonitor() else { return iteration.yield(store(ReachabilityPath(.unknown))) }
    iteration.keep(
      monitor.observePath(requirements, on: .monitorThread) { path in iteration.yield(self.store(path)) })
  }

  func end(_ iteration: Iteration) {
    state.withLock { $0.iterations[ObjectIdentifier(iteration)] = nil }
  }

  /// Stores a path, and returns the last known one.
  private func store(_ path: ReachabilityPath) -> NWPath {
    state.withLock { state in
      state.machine.store(path)
      return state.machine.path
    }
  }
}

extension NWPathMonitor: AsyncSequence {
  /// The path.
  public typealias Element = NWPath
  /// An iteration ends without an error.
  public typealias Failure = Never

  /// Begins an iteration: the current path first, then each one that differs from the one before.
  ///
  /// It needs no ``start(queue:)``, and calls no handler. If paths arrive faster than they are read, only the newest is
  /// kept.
  public func makeAsyncIterator() -> Iterator {
    let (paths, continuation) = AsyncStream.makeStream(of: NWPath.self, bufferingPolicy: .bufferingNewest(1))
    let iteration = Iteration(continuation)
    continuation.onTermination = { _ in
      iteration.end()
      self.end(iteration)
    }
    begin(iteration)
    return Iterator(paths: paths.makeAsyncIterator())
  }

  /// The iterator of one iteration.
  public struct Iterator: AsyncIteratorProtocol {
    var paths: AsyncStream<NWPath>.Iterator

    /// Returns the next path, or `nil` once the monitor or the task is cancelled.
    public mutating func next() async -> NWPath? { await paths.next() }

    /// Returns the next path, or `nil` once the monitor or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> NWPath? {
      await paths.next(isolation: actor)
    }
  }
}

/// The reader of one iteration, and the observation that feeds it.
final class Iteration: Sendable {
  private struct State: Sendable {
    var observation: ReachabilityObservation?
    var last: NWPath?
    var isOver = false
  }

  private let continuation: AsyncStream<NWPath>.Continuation
  private let state = Mutex(State())

  init(_ continuation: AsyncStream<NWPath>.Continuation) {
    self.continuation = continuation
  }

  /// Delivers a path that differs from the one before.
  func yield(_ path: NWPath) {
    let isNew = state.withLock { state in
      defer { state.last = path }
      return state.last != path
    }
    if isNew { continuation.yield(path) }
  }

  /// Keeps the observation until the end, which may have come already.
  func keep(_ observation: ReachabilityObservation) {
    let isOver = state.withLock { state in
      if !state.isOver { state.observation = observation }
      return state.isOver
    }
    if isOver { observation.cancelWithoutWaiting() }
  }

  /// Ends the stream for its reader, which ends the observation.
  func finish() {
    continuation.finish()
  }

  /// Ends the observation.
  func end() {
    let observation = state.withLock { state in
      state.isOver = true
      return state.observation.take()
    }
    observation?.cancelWithoutWaiting()
  }
}
