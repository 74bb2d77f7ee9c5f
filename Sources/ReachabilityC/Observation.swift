// SPDX-License-Identifier: Apache-2.0
import CReachability
import POSIX
import ReachabilityKit
import Synchronization

/// An observation behind a handle; if it belongs to a queue, with its newest value until that is taken.
final class Observation: Sendable {
  private struct State {
    var token: ReachabilityObservation?
    var newest: (any Equatable & Sendable)?
    var taken: (any Equatable & Sendable)?
  }

  let queue: EventQueue?
  /// The address of the caller's context.
  let context: UInt
  private let number = HandleTable.nextNumber()
  private let state = Mutex(State())

  init(in queue: EventQueue? = nil, _ context: UnsafeMutableRawPointer? = nil) {
    self.queue = queue
    self.context = UInt(bitPattern: context)
  }

  /// Keeps what has begun to observe, and returns the handle.
  func begin(_ token: ReachabilityObservation) -> Handle? {
    state.withLock { $0.token = token }
    let handle = unsafe HandleTable.current.add(self, numbered: number)
    // Without a handle, another thread could neither take a value nor end the observation.
    if hasValue { queue?.append(number) }
    if queue?.isDestroyed.load(ordering: .sequentiallyConsistent) == true { try? unsafe Self.end(handle) }
    return unsafe handle
  }

  static func end(_ handle: Handle?) throws(Failure) {
    let ended: Observation = try unsafe HandleTable.current.object(of: handle, removing: true)
    ended.state.withLock { $0.token.take() }?.cancel()
  }

  var hasValue: Bool { state.withLock { $0.newest != nil } }

  func receive<Value: Equatable & Sendable>(_ value: Value) {
    state.withLock { state in
      // What is as it was when it was taken is no change.
      state.newest = state.taken as? Value == value ? nil : value
      if state.newest != nil { queue?.append(number) }
    }
  }

  /// Takes the newest value, with the one that was taken before.
  static func take<Value: Equatable & Sendable>(from handle: Handle?) throws -> (Value, previous: Value?) {
    let observation: Observation = try unsafe HandleTable.current.object(of: handle)
    if observation.queue == nil { throw Failure.invalid("an observation with a callback keeps no value") }
    return try observation.state.withLock { state throws(Failure) in
      guard let newest = state.newest else {
        throw Failure(code: REACHABILITY_ERROR_EMPTY, text: "the newest value has been taken")
      }
      guard let value = newest as? Value else { throw .invalid("the observation is not of that kind") }
      defer { (state.newest, state.taken) = (nil, value) }
      return (value, state.taken as? Value)
    }
  }
}

/// The observations that wait to be taken from, and a descriptor that is readable while there is one.
final class EventQueue: Sendable {
  private struct State {
    /// In the order in which they began to wait; also those that have been taken from or ended since.
    var order: ArraySlice<UInt> = []
    var members: Set<UInt> = []
  }

  let alarm: Alarm
  let isDestroyed = Atomic(false)
  private let state = Mutex(State())

  init() throws(Errno) { alarm = try Alarm() }

  func append(_ number: UInt) {
    state.withLock { state in
      guard state.members.insert(number).inserted else { return }
      state.order.append(number)
      if state.order.count == 1 { alarm.ring() }
    }
  }

  func popFirst() -> UInt? {
    state.withLock { state in
      let first = state.order.popFirst()
      if let first { state.members.remove(first) }
      if state.order.isEmpty { _ = alarm.silence() }
      return first
    }
  }
}

/// A callback's context, which is released with the closure that calls the callback.
@safe final class Context: @unchecked Sendable {
  // Only the caller's functions use what it points to, and the header says on which threads they are called.
  private let pointer: UnsafeMutableRawPointer?
  private let release: reachability_release?

  init(_ pointer: UnsafeMutableRawPointer?, _ release: reachability_release?) {
    unsafe self.pointer = pointer
    unsafe self.release = release
  }

  deinit { unsafe release?(pointer) }

  /// Runs a callback, in which nothing may wait.
  func call(_ callback: (UnsafeMutableRawPointer?) -> Void) {
    CallerState.current.isInCallback = true
    defer { CallerState.current.isInCallback = false }
    unsafe callback(pointer)
  }
}
