// SPDX-License-Identifier: Apache-2.0
import Dispatch
import ReachabilityKit

/// What a monitor has received, and which path its handler receives next.
///
/// Pure: the monitor performs what the methods return, under no lock.
struct MonitorState: Sendable {
  typealias Handler = @Sendable (NWPath) -> Void
  typealias Moment = ContinuousClock.Instant

  /// A call of the handler that is due now.
  struct Call: Sendable {
    var handler: Handler
    var path: NWPath
  }

  /// How long the first path waits for a handler.
  ///
  /// Many programs set the handler on the line after `start(queue:)`. Their thread may lose its processor in between.
  static var grace: Duration { .milliseconds(100) }

  /// The queue of the first start.
  private(set) var queue: DispatchQueue?
  private(set) var path = NWPath.initial
  private(set) var handler: Handler?
  private(set) var isCancelled = false
  private var hasPath = false
  /// The last path of the observation that the start began.
  private var delivered: NWPath?
  /// The end of the time in which a new handler receives the first path, which found none.
  private var graceEnd: Moment?
  /// Whether a call with the first path is enqueued for a handler that was set late.
  private var awaitsCall = false

  /// Returns whether the monitor starts: only the first time, and never after the cancellation.
  mutating func start(on queue: DispatchQueue) -> Bool {
    guard self.queue == nil, !isCancelled else { return false }
    self.queue = queue
    return true
  }

  /// Cancels; returns the handler, which nothing calls any more.
  ///
  /// Many handlers hold their monitor, which would never be released with them.
  mutating func cancel() -> Handler? {
    isCancelled = true
    return handler.take()
  }

  /// Stores a path.
  ///
  /// While the kernel cannot be queried, the last known path is the best answer.
  mutating func store(_ path: ReachabilityPath) {
    guard !isCancelled, !hasPath || path.status != .unknown else { return }
    self.path = NWPath(path)
    hasPath = true
  }

  /// Takes a path of the observation that the start began; returns the call that is due.
  ///
  /// There is none if the path shows nothing new: many changes of the network have no counterpart in Apple's types.
  mutating func deliver(_ path: ReachabilityPath, now: Moment) -> Call? {
    guard !isCancelled else { return nil }
    store(path)
    guard delivered != self.path else { return nil }
    let isFirst = delivered == nil
    delivered = self.path
    guard let handler else {
      if isFirst { graceEnd = now + Self.grace }
      return nil
    }
    awaitsCall = false
    return Call(handler: handler, path: self.path)
  }

  /// Sets the handler; returns whether a call with the first path must be enqueued for it.
  mutating func setHandler(_ handler: Handler?, now: Moment) -> Bool {
    self.handler = handler
    guard handler != nil, let end = graceEnd.take(), now < end, !isCancelled else { return false }
    awaitsCall = true
    return true
  }

  /// Returns the enqueued call, unless a newer path or the cancellation has made it superfluous.
  mutating func dequeueCall() -> Call? {
    guard awaitsCall, !isCancelled, let handler else { return nil }
    awaitsCall = false
    return Call(handler: handler, path: path)
  }
}

extension ReachabilityPath.Requirements {
  /// Creates the requirements of a path that uses interfaces of one type only.
  init(_ type: NWInterface.InterfaceType) {
    // Several kinds are of the type `other`, and the loopback interface is used only if it is required.
    let kinds = type.kinds
    self =
      kinds.count == 1
      ? Self(requiredKind: kinds[0])
      : Self(prohibitedKinds: Set(ReachabilityInterface.Kind.allCases).subtracting(kinds))
  }

  /// Creates the requirements of a path that uses no interface of some types.
  init(prohibiting types: [NWInterface.InterfaceType]) {
    self.init(prohibitedKinds: Set(types.flatMap(\.kinds)))
  }
}
