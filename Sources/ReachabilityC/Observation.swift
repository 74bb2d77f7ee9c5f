// SPDX-License-Identifier: Apache-2.0
// share/include/reachability.h documents the functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CReachability
import POSIX
import ReachabilityKit
import Synchronization

/// An observation behind a handle.
final class Observation: Sendable {
  let observation: ReachabilityObservation
  /// The queue that its values wait in; `nil` for one with a callback.
  let queue: EventQueue?

  init(_ observation: ReachabilityObservation, in queue: EventQueue? = nil) {
    self.observation = observation
    self.queue = queue
  }
}

/// A callback's context, which is released with the closure that calls the callback.
@safe private final class Context: @unchecked Sendable {
  // Only the caller's functions use what it points to, and the header says on which threads they are called.
  private let pointer: UnsafeMutableRawPointer?
  private let release: reachability_release?

  init(_ pointer: UnsafeMutableRawPointer?, _ release: reachability_release?) {
    unsafe self.pointer = pointer
    unsafe self.release = release
  }

  deinit { unsafe release?(pointer) }

  /// Runs a callback, in which nothing may wait.
  func call(_ body: (UnsafeMutableRawPointer?) -> Void) {
    let caller = CallerState.current
    caller.callbackDepth += 1
    defer { caller.callbackDepth -= 1 }
    unsafe body(pointer)
  }
}

/// Reads how long a change must last; more than a day would hide a mistake of units.
private func duration(_ settling: Int64) throws(Failure) -> Duration {
  guard (0...86_400_000).contains(settling) else {
    throw .invalidArgument("'settling' is \(settling); it takes 0 to 86400000 ms")
  }
  return .milliseconds(settling)
}

@c @implementation
public func reachability_observe(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?, _ settling: Int64,
  _ callback: reachability_status_callback?, _ context: UnsafeMutableRawPointer?,
  _ release: reachability_release?
) -> OpaquePointer? {
  let context = unsafe Context(context, release)
  return unsafe about(monitor, target) { monitor, target throws(Failure) in
    guard let callback = unsafe callback else { throw .invalidArgument("'callback' is null") }
    let settling = try duration(settling)
    let observation = monitor.observe(target, settling: settling, on: .monitorThread) { event in
      var status = unsafe reachability_status(event.status)
      unsafe context.call { context in
        guard let before = event.previous else { return unsafe callback(&status, nil, context) }
        var previous = unsafe reachability_status(before)
        unsafe callback(&status, &previous, context)
      }
    }
    return unsafe HandleTable.current.add(Observation(observation))
  } ?? nil
}

@c @implementation
public func reachability_observe_path(
  _ monitor: OpaquePointer?, _ callback: reachability_path_callback?, _ context: UnsafeMutableRawPointer?,
  _ release: reachability_release?
) -> OpaquePointer? {
  let context = unsafe Context(context, release)
  return unsafe about(monitor) { monitor throws(Failure) in
    guard let callback = unsafe callback else { throw .invalidArgument("'callback' is null") }
    let observation = monitor.observePath(on: .monitorThread) { path in
      var path = unsafe reachability_path(path)
      unsafe context.call { unsafe callback(&path, $0) }
    }
    return unsafe HandleTable.current.add(Observation(observation))
  } ?? nil
}

/// Ends the observation of a handle.
private func end(_ handle: OpaquePointer?) throws(Failure) {
  let ended = try unsafe HandleTable.current.remove(handle, as: Observation.self)
  ended.observation.cancel()
  unsafe ended.queue?.forget(handle)
}

@c @implementation
public func reachability_observation_end(_ observation: OpaquePointer?) -> reachability_error {
  code { () throws(Failure) in try unsafe end(observation) }
}

// MARK: - Queues

/// The newest values of observations, and a descriptor that is readable while one waits to be taken.
final class EventQueue: Sendable {
  enum Value {
    case status(ReachabilityStatus)
    case path(ReachabilityPath)

    var status: ReachabilityStatus? { if case .status(let status) = self { status } else { nil } }
    var path: ReachabilityPath? { if case .path(let path) = self { path } else { nil } }
  }

  private struct Entry {
    /// The address of the caller's context.
    var context: UInt
    var newest: Value?
    var taken: ReachabilityStatus?
    /// Whether it waits, or has no handle yet.
    var isWaiting = true
  }

  private struct State {
    /// By the numbers of handles.
    var entries: [UInt: Entry] = [:]
    /// In the order in which they began to wait; also those that have ended since.
    var waiting: ArraySlice<UInt> = []
    var isClosed = false
  }

  private let alarm: Alarm
  private let state = Mutex(State())

  init() throws(Errno) { alarm = try Alarm() }

  var descriptor: CInt { alarm.descriptor }

  /// Adds an observation that a closure begins, and returns its handle.
  func add(
    _ context: UnsafeMutableRawPointer?,
    _ observe: (@escaping @Sendable (Value) -> Void) -> ReachabilityObservation
  ) throws(Failure) -> OpaquePointer? {
    let number = HandleTable.nextNumber()
    let context = UInt(bitPattern: context)
    state.withLock { $0.entries[number] = Entry(context: context) }
    let observation = observe { [self] in receive($0, for: number) }
    let handle = unsafe HandleTable.current.add(Observation(observation, in: self), numbered: number)
    let isClosed = state.withLock { state in
      state.entries[number]?.isWaiting = false
      wait(number, &state)
      return state.isClosed
    }
    // Another thread has destroyed the queue.
    if isClosed { try unsafe end(handle) }
    return unsafe handle
  }

  private func receive(_ value: Value, for number: UInt) {
    state.withLock { state in
      // What is as it was when it was taken is no change.
      let isTaken = value.status != nil && value.status == state.entries[number]?.taken
      state.entries[number]?.newest = isTaken ? nil : value
      wait(number, &state)
    }
  }

  /// Lets an observation wait, unless it does already, or has nothing to take.
  private func wait(_ number: UInt, _ state: inout State) {
    guard let entry = state.entries[number], entry.newest != nil, !entry.isWaiting else { return }
    state.entries[number]?.isWaiting = true
    state.waiting.append(number)
    if state.waiting.count == 1 { alarm.ring() }
  }

  /// Returns the handle and the context of the observation that has waited longest.
  func next() throws(Failure) -> (OpaquePointer?, UnsafeMutableRawPointer?) {
    let found = state.withLock { state -> (UInt, UInt)? in
      defer { if state.waiting.isEmpty { _ = alarm.silence() } }
      while let number = state.waiting.popFirst() {
        state.entries[number]?.isWaiting = false
        if let entry = state.entries[number], entry.newest != nil { return (number, entry.context) }
      }
      return nil
    }
    guard let (number, context) = found else {
      throw Failure(REACHABILITY_ERROR_EMPTY, "no observation waits")
    }
    return unsafe (OpaquePointer(bitPattern: number), UnsafeMutableRawPointer(bitPattern: context))
  }

  /// Takes the newest value, if it is of a kind; with the status that was taken before.
  func take<Taken: Sendable>(
    from handle: OpaquePointer?, _ kind: (Value) -> Taken?
  ) throws(Failure) -> (Taken, previous: ReachabilityStatus?) {
    let number = UInt(bitPattern: handle)
    let (entry, taken) = state.withLock { state in
      let entry = state.entries[number]
      let taken = entry?.newest.flatMap(kind)
      if taken != nil {
        state.entries[number]?.taken = entry?.newest?.status
        state.entries[number]?.newest = nil
      }
      return (entry, taken)
    }
    if entry?.newest == nil { throw Failure(REACHABILITY_ERROR_EMPTY, "the newest value has been taken") }
    guard let taken else { throw .invalidArgument("the observation is not of that kind") }
    return (taken, entry?.taken)
  }

  func forget(_ handle: OpaquePointer?) {
    _ = state.withLock { $0.entries.removeValue(forKey: UInt(bitPattern: handle)) }
  }

  /// Ends all observations.
  func close() {
    let numbers = state.withLock { state in
      state.isClosed = true
      return Array(state.entries.keys)
    }
    // Those that another thread ends meanwhile are gone.
    for number in numbers { try? unsafe end(OpaquePointer(bitPattern: number)) }
  }
}

@c @implementation
public func reachability_queue_create() -> OpaquePointer? {
  unsafe result { () throws(Failure) in
    do throws(Errno) { return unsafe HandleTable.current.add(try EventQueue()) } catch {
      throw Failure(REACHABILITY_ERROR_SYSTEM, "could not create the descriptor of a queue: \(error)")
    }
  } ?? nil
}

@c @implementation
public func reachability_queue_destroy(_ queue: OpaquePointer?) -> reachability_error {
  code { () throws(Failure) in try unsafe HandleTable.current.remove(queue, as: EventQueue.self).close() }
}

@c @implementation
public func reachability_queue_descriptor(_ queue: OpaquePointer?) -> CInt {
  result { () throws(Failure) in
    try unsafe HandleTable.current.object(of: queue, as: EventQueue.self).descriptor
  } ?? -1
}

@c @implementation
public func reachability_queue_observe(
  _ queue: OpaquePointer?, _ monitor: OpaquePointer?, _ target: OpaquePointer?, _ settling: Int64,
  _ context: UnsafeMutableRawPointer?
) -> OpaquePointer? {
  unsafe about(monitor, target) { monitor, target throws(Failure) in
    let queue = try unsafe HandleTable.current.object(of: queue, as: EventQueue.self)
    let settling = try duration(settling)
    return try unsafe queue.add(context) { receive in
      monitor.observe(target, settling: settling, on: .monitorThread) { receive(.status($0.status)) }
    }
  } ?? nil
}

@c @implementation
public func reachability_queue_observe_path(
  _ queue: OpaquePointer?, _ monitor: OpaquePointer?, _ context: UnsafeMutableRawPointer?
) -> OpaquePointer? {
  unsafe about(monitor) { monitor throws(Failure) in
    try unsafe HandleTable.current.object(of: queue, as: EventQueue.self).add(context) { receive in
      monitor.observePath(on: .monitorThread) { receive(.path($0)) }
    }
  } ?? nil
}

@c @implementation
public func reachability_queue_next(
  _ queue: OpaquePointer?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> OpaquePointer? {
  unsafe result { () throws(Failure) in
    let (handle, found) = try unsafe HandleTable.current.object(of: queue, as: EventQueue.self).next()
    unsafe context?.pointee = found
    return unsafe handle
  } ?? nil
}

/// The queue of an observation.
private func queue(of observation: OpaquePointer?) throws(Failure) -> EventQueue {
  guard let queue = try unsafe HandleTable.current.object(of: observation, as: Observation.self).queue else {
    throw .invalidArgument("the observation has a callback, and is in no queue")
  }
  return queue
}

@c @implementation
public func reachability_take_status(
  _ observation: OpaquePointer?, _ status: UnsafeMutablePointer<reachability_status>?,
  _ previous: UnsafeMutablePointer<reachability_status>?
) -> reachability_error {
  code { () throws(Failure) in
    try unsafe reachability_status.check(status, "status")
    if unsafe previous != nil { try unsafe reachability_status.check(previous, "previous") }
    let (taken, before) = try unsafe queue(of: observation).take(from: observation, \.status)
    try unsafe reachability_status(taken).store(in: status, "status")
    guard unsafe previous != nil else { return }
    try unsafe (before.map(reachability_status.init) ?? .init()).store(in: previous, "previous")
  }
}

@c @implementation
public func reachability_take_path(
  _ observation: OpaquePointer?, _ path: UnsafeMutablePointer<reachability_path>?
) -> reachability_error {
  code { () throws(Failure) in
    try unsafe reachability_path.check(path, "path")
    let (taken, _) = try unsafe queue(of: observation).take(from: observation, \.path)
    try unsafe reachability_path(taken).store(in: path, "path")
  }
}
