// SPDX-License-Identifier: Apache-2.0
public import CoreFoundation
public import Dispatch
public import Foundation
import ReachabilityKit

/// Schedules a target's callback on a run loop in a mode.
///
/// A target may be scheduled on several run loops, and more than once on the same. Each change is delivered on one of
/// them. The target stays alive until it is unscheduled as often.
///
/// - Returns: `false`, with the status `kSCStatusInvalidArgument`, if the target is on a dispatch queue.
///
/// The Apple symbol is `SCNetworkReachabilityScheduleWithRunLoop`.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
  _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFString
) -> Bool {
  target.schedule(at: RunLoopSource.Place(loop: runLoop, mode: runLoopMode as String))
}

/// Schedules a target's callback on a run loop in a mode that Core Foundation names, such as `kCFRunLoopDefaultMode`.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
  _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
  target.schedule(at: RunLoopSource.Place(loop: runLoop, mode: String(runLoopMode)))
}

/// Undoes one scheduling of a target on a run loop in a mode.
///
/// After the last one no callback starts; a callback that runs on another thread completes.
///
/// - Returns: `false`, with the status `kSCStatusInvalidArgument`, if the target is on no run loop; `true` even if it
///   is on another one.
///
/// The Apple symbol is `SCNetworkReachabilityUnscheduleFromRunLoop`.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
  _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFString
) -> Bool {
  target.unschedule(from: RunLoopSource.Place(loop: runLoop, mode: runLoopMode as String))
}

/// Undoes one scheduling on a run loop in a mode that Core Foundation names, such as `kCFRunLoopDefaultMode`.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
  _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
  target.unschedule(from: RunLoopSource.Place(loop: runLoop, mode: String(runLoopMode)))
}

/// Schedules a target's callback on a dispatch queue; `nil` unschedules it.
///
/// Each change is one call, and calls never overlap. After `nil` is set no callback starts; a callback that runs on
/// another thread completes.
///
/// - Returns: `false`, with the status `kSCStatusInvalidArgument`, if the target is already scheduled, or, for `nil`,
///   if it is on no queue.
///
/// The Apple symbol is `SCNetworkReachabilitySetDispatchQueue`.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(
  _ target: SCNetworkReachability, _ queue: DispatchQueue?
) -> Bool {
  guard let queue else { return target.leaveQueue() }
  return target.schedule(on: queue)
}

// MARK: - On a queue

extension SCNetworkReachability {
  fileprivate func schedule(on queue: DispatchQueue) -> Bool {
    let serial = DispatchQueue(label: "SCNetworkReachability", target: queue)
    guard let monitor = currentMonitor() else { return fail(kSCStatusFailed) }
    let isBegun = begin(monitor, on: serial, schedule: { .queue($0) }) { target, note in
      let call = target.state.withLock { state in
        note(&state.machine) ? state.dueCall : nil
      }
      if let call { target.perform(call) }
    }
    return isBegun || fail(kSCStatusInvalidArgument)
  }

  fileprivate func leaveQueue() -> Bool {
    let subscription = state.withLock { state -> Subscription? in
      guard case .queue(let subscription)? = state.schedule else { return nil }
      state.endSchedule()
      return subscription
    }
    guard let subscription else { return fail(kSCStatusInvalidArgument) }
    subscription.end()
    return true
  }

  // MARK: - On run loops

  /// The queue that receives the changes of targets on run loops.
  private static let eventQueue = DispatchQueue(label: "SCNetworkReachability events")

  fileprivate func schedule(at place: RunLoopSource.Place) -> Bool {
    if let isAdded = addIfScheduled(place) { return isAdded }
    guard let monitor = currentMonitor() else { return fail(kSCStatusFailed) }
    let shared = SharedTarget(self)
    let source = RunLoopSource { shared.target.callFromRunLoop() }
    let isBegun = begin(
      monitor, on: Self.eventQueue,
      schedule: { subscription in
        source.add(to: place)
        return .runLoops(source, [place], subscription)
      }
    ) { target, note in
      let places = target.state.withLock { state -> [RunLoopSource.Place] in
        guard note(&state.machine), case .runLoops(_, let places, _)? = state.schedule else { return [] }
        state.isPending = true
        return places
      }
      if !places.isEmpty { source.signal(at: places) }
    }
    // If another thread has scheduled the target meanwhile, this adds a place to that schedule.
    return isBegun || addIfScheduled(place) ?? schedule(at: place)
  }

  /// Adds a place to the schedule; returns `nil` if the target is not scheduled.
  private func addIfScheduled(_ place: RunLoopSource.Place) -> Bool? {
    let isAdded = state.withLock { state -> Bool? in
      switch state.schedule {
      case nil: return nil
      case .queue: return false
      case .runLoops(let source, let places, let subscription):
        if !places.contains(place) { source.add(to: place) }
        state.schedule = .runLoops(source, places + [place], subscription)
        return true
      }
    }
    return isAdded == false ? fail(kSCStatusInvalidArgument) : isAdded
  }

  fileprivate func unschedule(from place: RunLoopSource.Place) -> Bool {
    let (isOnRunLoop, ended) = state.withLock { state -> (Bool, Schedule?) in
      guard case .runLoops(let source, var places, let subscription)? = state.schedule else {
        return (false, nil)
      }
      guard let index = places.lastIndex(of: place) else { return (true, nil) }
      places.remove(at: index)
      if !places.contains(place) { source.remove(from: place) }
      guard places.isEmpty else {
        state.schedule = .runLoops(source, places, subscription)
        return (true, nil)
      }
      defer { state.endSchedule() }
      return (true, state.schedule)
    }
    guard isOnRunLoop else { return fail(kSCStatusInvalidArgument) }
    if case .runLoops(_, _, let subscription)? = ended { subscription.end() }
    return true
  }

  /// Performs the pending call on a run loop's thread, one for all changes since the last.
  private func callFromRunLoop() {
    let call = state.withLock { state -> Call? in
      guard case .runLoops? = state.schedule, state.isPending else { return nil }
      state.isPending = false
      return state.dueCall
    }
    if let call { perform(call) }
  }
}

// MARK: - Both

extension SCNetworkReachability.State {
  /// The call with the current flags.
  fileprivate var dueCall: SCNetworkReachability.Call? {
    machine.reading?.flags.map { SCNetworkReachability.Call(callback: callback, flags: $0) }
  }

  fileprivate mutating func endSchedule() {
    schedule = nil
    isPending = false
    machine.end()
  }
}

extension SCNetworkReachability {
  /// Passes an event to the machine and returns whether the callback is due.
  fileprivate typealias Note = @Sendable (inout CallbackMachine) -> Bool

  /// Begins a period, whose first event follows the schedule.
  ///
  /// - Parameters:
  ///   - queue: The serial queue that receives events.
  ///   - makeSchedule: Creates the schedule, under the lock.
  /// - Returns: `false` if the target is already scheduled.
  private func begin(
    _ monitor: ReachabilityMonitor, on queue: DispatchQueue,
    schedule makeSchedule: (Subscription) -> Schedule,
    _ handle: @escaping @Sendable (SCNetworkReachability, Note) -> Void
  ) -> Bool {
    let status = subject.unscheduledStatus(in: monitor)
    let subscription = Subscription()
    let begun = state.withLock { state -> CallbackMachine.PeriodID? in
      guard state.schedule == nil else { return nil }
      state.schedule = makeSchedule(subscription)
      return state.machine.begin(status)
    }
    guard let period = begun else { return false }

    // These handlers keep a scheduled target alive.
    let shared = SharedTarget(self)
    switch subject.kind {
    case .address(let target) where subject.isLocalNetwork:
      // Either event may change the status, which is read anew.
      let note: @Sendable () -> Void = {
        let status = shared.target.subject.unscheduledStatus(in: monitor)
        handle(shared.target) { $0.record(own: status, in: period) }
      }
      subscription.add(monitor.observe(target, on: queue) { _ in note() })
      subscription.add(monitor.observePath(Subject.localInterfaces, on: queue) { _ in note() })
    case .address(let target):
      subscription.add(
        monitor.observe(target, on: queue) { event in
          handle(shared.target) { $0.record(own: event.status, in: period) }
        })
    case .host(let host):
      subscription.add(
        monitor.observe(.defaultRoute, on: queue) { event in
          handle(shared.target) { $0.record(general: event.status, in: period) }
        })
      subscription.add(
        monitor.observe(host, on: queue) { event in
          handle(shared.target) { $0.record(own: event.status, in: period) }
        })
      let weak = WeakTarget(target: self)
      queue.asyncAfter(deadline: .now() + CallbackMachine.answerLimit) {
        if let target = weak.target { handle(target) { $0.recordSilence(in: period) } }
      }
    case .impossibleName:
      queue.async {
        handle(shared.target) { $0.record(own: .notReachable(.nameNotFound), in: period) }
      }
    }
    return true
  }
}

extension RunLoop {
  /// Returns the run loop of Core Foundation that this object stands for.
  ///
  /// Foundation on Linux has this method for itself only.
  public func getCFRunLoop() -> CFRunLoop {
    if self === RunLoop.current { return CFRunLoopGetCurrent() }
    if self === RunLoop.main { return CFRunLoopGetMain() }
    return runLoopOfAnotherThread
  }

  /// The run loop of neither this thread nor the main one, which Foundation keeps in an internal property.
  private var runLoopOfAnotherThread: CFRunLoop {
    let storage = Mirror(reflecting: self).children.first { $0.label == "_cfRunLoopStorage" }
    guard let object = storage?.value as AnyObject?, CFGetTypeID(object) == CFRunLoopGetTypeID() else {
      preconditionFailure("this version of Foundation keeps no run loop of Core Foundation in its own")
    }
    // A cast fails: Swift sees an object of Core Foundation as one class for all of its types.
    let pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
    return unsafe Unmanaged<CFRunLoop>.fromOpaque(pointer).takeUnretainedValue()
  }
}
