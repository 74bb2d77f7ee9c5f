// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityKit
import Synchronization
import SystemConfiguration
import Testing

/// The lifetimes of contexts and targets.
@Suite("Lifetimes", .deadline)
struct LifetimeTests {
  private let simulation = Simulation()
  private let queue = DispatchQueue(label: "lifetimes")

  /// An info that counts the calls of its functions.
  private final class Info: Sendable {
    let counts = Mutex(Counts())

    struct Counts: Equatable {
      var retained = 0
      var released = 0
      var called = 0
      var described = 0
    }

    /// Returns a context whose functions count their calls.
    func context(retains: Bool = true, releases: Bool = true) -> SCNetworkReachabilityContext {
      unsafe SCNetworkReachabilityContext(
        version: 0, info: Unmanaged.passUnretained(self).toOpaque(),
        retain: retains
          ? { info in
            unsafe Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().counts.withLock { $0.retained += 1 }
            return unsafe info
          } : nil,
        release: releases
          ? { info in
            unsafe Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().counts.withLock { $0.released += 1 }
          } : nil,
        copyDescription: { info in
          unsafe Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().counts.withLock { $0.described += 1 }
          return unsafe Unmanaged.passRetained("info" as CFString)
        })
    }

    static let callout:
      @Sendable (SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?) -> Void = {
        _, _, info in
        guard let info = unsafe info else { return }
        unsafe Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().counts.withLock { $0.called += 1 }
      }

    func waitForCalls(_ count: Int) {
      Deadline.wait("\(count) calls") { counts.withLock { $0.called } == count }
    }

    var now: Counts { counts.withLock { $0 } }
  }

  /// An info whose retain returns another one.
  private final class Original: Sendable {
    let copy = Info()
  }

  private func set(_ info: Info, _ target: SCNetworkReachability, retains: Bool = true, releases: Bool = true)
  {
    var context = unsafe info.context(retains: retains, releases: releases)
    unsafe SCNetworkReachabilitySetCallback(target, Info.callout, &context)
  }

  @Test func `an info is retained when set and around each call, and released as often`() throws {
    let info = Info()
    var target: SCNetworkReachability? = try simulation.address("10.9.0.1")
    if let target {
      set(info, target)
      #expect(info.now == Info.Counts(retained: 1))
      SCNetworkReachabilitySetDispatchQueue(target, queue)
      simulation.network.setStatus(.routed)
      info.waitForCalls(1)
      simulation.network.setStatus(.noRoute)
      info.waitForCalls(2)
      SCNetworkReachabilitySetDispatchQueue(target, nil)
      queue.sync {}
    }
    #expect(info.now == Info.Counts(retained: 3, released: 2, called: 2))
    target = nil
    Deadline.wait("the last release") { info.now == Info.Counts(retained: 3, released: 3, called: 2) }
  }

  @Test func `a context without retain has one release, with its target`() throws {
    let info = Info()
    var target: SCNetworkReachability? = try simulation.address("10.9.0.1")
    if let target {
      set(info, target, retains: false)
      SCNetworkReachabilitySetDispatchQueue(target, queue)
      simulation.network.setStatus(.routed)
      info.waitForCalls(1)
      SCNetworkReachabilitySetDispatchQueue(target, nil)
      queue.sync {}
    }
    #expect(info.now == Info.Counts(called: 1))
    target = nil
    Deadline.wait("the release") { info.now == Info.Counts(released: 1, called: 1) }
  }

  @Test func `a context without release is never released`() throws {
    let info = Info()
    set(info, try simulation.address("10.9.0.1"), releases: false)
    #expect(info.now == Info.Counts(retained: 1))
  }

  @Test func `a new context releases the one it replaces`() throws {
    let (first, second) = (Info(), Info())
    let target = try simulation.address("10.9.0.1")
    set(first, target)
    set(second, target)
    #expect(first.now == Info.Counts(retained: 1, released: 1))
    #expect(second.now == Info.Counts(retained: 1))
    SCNetworkReachabilitySetCallback(target, nil, nil)
    #expect(second.now == Info.Counts(retained: 1, released: 1))
  }

  @Test func `a context without a callback is retained`() throws {
    let info = Info()
    let target = try simulation.address("10.9.0.1")
    var context = unsafe info.context()
    unsafe SCNetworkReachabilitySetCallback(target, nil, &context)
    #expect(info.now == Info.Counts(retained: 1))
    SCNetworkReachabilitySetCallback(target, nil, nil)
    #expect(info.now == Info.Counts(retained: 1, released: 1))
  }

  @Test func `the result of retain is the argument of calls and releases`() throws {
    let original = Original()
    var context = unsafe SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(original).toOpaque(),
      retain: { info in
        // The first argument is the original, later ones are the result of the first retain.
        let object = unsafe Unmanaged<AnyObject>.fromOpaque(info).takeUnretainedValue()
        guard let copy = (object as? Original)?.copy ?? object as? Info else { return unsafe info }
        copy.counts.withLock { $0.retained += 1 }
        return unsafe UnsafeRawPointer(Unmanaged.passUnretained(copy).toOpaque())
      },
      release: { info in
        unsafe Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().counts.withLock { $0.released += 1 }
      }, copyDescription: nil)
    let target = try simulation.address("10.9.0.1")
    unsafe SCNetworkReachabilitySetCallback(target, Info.callout, &context)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.setStatus(.routed)
    original.copy.waitForCalls(1)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    queue.sync {}
    SCNetworkReachabilitySetCallback(target, nil, nil)
    #expect(original.copy.now == Info.Counts(retained: 2, released: 2, called: 1))
  }

  @Test func `an info outlives the call that removes it`() throws {
    let info = Info()
    let releasedInCall = Box<Int>()
    let target = try simulation.address("10.9.0.1")
    var context = unsafe info.context(retains: false)
    unsafe SCNetworkReachabilitySetCallback(
      target,
      { target, _, info in
        guard let info = unsafe info else { return }
        SCNetworkReachabilitySetCallback(target, nil, nil)
        releasedInCall.fill(unsafe Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().now.released)
      }, &context)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.setStatus(.routed)
    #expect(releasedInCall.value() == 0)
    Deadline.wait("the release") { info.now.released == 1 }
    SCNetworkReachabilitySetDispatchQueue(target, nil)
  }

  @Test func `a scheduled target without references lives until it is unscheduled`() throws {
    let recorder = CallRecorder { shared, flags in
      if flags == 0 { SCNetworkReachabilitySetDispatchQueue(shared.target, nil) }
    }
    weak var alive: SCNetworkReachability?
    do {
      let target = try simulation.address("10.9.0.1")
      recorder.record(target)
      SCNetworkReachabilitySetDispatchQueue(target, queue)
      alive = target
    }
    simulation.network.setStatus(.routed)
    recorder.wait(for: 1)
    #expect(alive != nil)
    simulation.network.setStatus(.noRoute)
    recorder.wait(for: 2)
    Deadline.wait("the target is released") { alive == nil }
  }

  @Test func `unscheduling from a run loop releases the target and its source`() throws {
    let simulation = simulation
    let isGone = Thread.value { () -> Bool in
      weak var alive: SCNetworkReachability?
      do {
        guard let target = try? simulation.address("10.9.0.1") else { return false }
        let mode = CFRunLoopMode.defaultMode.rawValue
        SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), mode)
        alive = target
        SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), mode)
      }
      Deadline.wait("the target is released") { alive == nil }
      return alive == nil
    }
    #expect(isGone == true)
  }

  @Test func `a target that is never scheduled has no hidden references`() throws {
    weak var alive: SCNetworkReachability?
    do { alive = try simulation.name("example.com") }
    #expect(alive == nil)
  }
}
