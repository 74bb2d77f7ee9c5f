// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityKit
import Synchronization
import SystemConfiguration
import Testing

/// The queues and run loops that deliver callbacks, and the rules of scheduling.
@Suite("Scheduling", .deadline)
struct SchedulingTests {
  private let simulation = Simulation()
  private let queue = DispatchQueue(label: "scheduling")
  private let mode = RunLoop.Mode.default.rawValue as CFString
  private let otherMode = "org.example.mode" as CFString

  // MARK: Exclusion

  @Test func `unscheduling fails for a target that is not scheduled`() throws {
    let target = try simulation.address("10.9.0.1")
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
    #expect(SCError() == kSCStatusInvalidArgument)
    #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), mode))
    #expect(SCError() == kSCStatusInvalidArgument)
  }

  @Test func `a target on a queue is refused by other queues and run loops`() throws {
    let target = try simulation.address("10.9.0.1")
    #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, .main))
    let shared = SharedReference(target)
    // A new thread has no earlier error.
    for schedule in [SCNetworkReachabilityScheduleWithRunLoop, SCNetworkReachabilityUnscheduleFromRunLoop]
      as [@Sendable (SCNetworkReachability, CFRunLoop, SystemConfiguration.CFString) -> Bool]
    {
      try onThread {
        #expect(SCError() == kSCStatusOK)
        #expect(!schedule(shared.target, CFRunLoopGetCurrent(), "org.example.mode" as CFString))
        #expect(SCError() == kSCStatusInvalidArgument)
      }
    }
    #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
  }

  @Test func `a target on a run loop is refused by queues and only leaves by its loop`() throws {
    let target = try simulation.address("10.9.0.1")
    #expect(SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), mode))
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
    #expect(SCError() == kSCStatusInvalidArgument)
    #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), mode))
    #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
    #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
  }

  @Test func `a target must be unscheduled as often as it was scheduled`() throws {
    let target = try simulation.address("10.9.0.1")
    for _ in 0..<3 { #expect(SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), mode)) }
    for _ in 0..<3 {
      // The target is still on the run loop, so queues refuse it.
      #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
      #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), mode))
    }
    #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), mode))
  }

  @Test func `unscheduling from another run loop or mode succeeds without effect`() throws {
    let target = try simulation.address("10.9.0.1")
    SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), mode)
    #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), otherMode))
    let shared = SharedReference(target)
    try onThread {
      let mode = RunLoop.Mode.default.rawValue as CFString
      #expect(SCNetworkReachabilityUnscheduleFromRunLoop(shared.target, CFRunLoopGetCurrent(), mode))
    }
    #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), otherMode))
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
    #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), mode))
  }

  @Test func `both string types name the same mode`() throws {
    let target = try simulation.address("10.9.0.1")
    #expect(SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), kCFRunLoopCommonModes))
    let common = CFRunLoopMode.commonModes.rawValue
    #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), common))
    #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), kCFRunLoopCommonModes))
  }

  // MARK: On a run loop

  /// Runs a test on a new thread, whose run loop has no other sources.
  private func onThread(_ body: @escaping @Sendable () throws -> Void) throws {
    let result = Thread.value { Result(catching: body) }
    try #require(result).get()
  }

  @Test(arguments: [RunLoop.Mode.default, RunLoop.Mode("org.example.mode")])
  func `a callback runs on the run loop's thread and ends one run of the loop`(mode: RunLoop.Mode) throws {
    let simulation = simulation
    try onThread {
      let recorder = CallRecorder()
      let target = try simulation.address("10.9.0.1")
      recorder.record(target)
      SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), mode.rawValue as CFString)
      simulation.network.setStatus(.routed)
      // The run returns because a source is handled, long before its limit.
      #expect(RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 30)))
      #expect(recorder.all.map(\.thread) == [ObjectIdentifier(Thread.current)])
      #expect(recorder.flags == [0x2])
      SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), mode.rawValue as CFString)
      // The mode has no sources, so the run returns immediately.
      #expect(!RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 30)))
    }
  }

  @Test func `a run loop that was added later is called too`() throws {
    let simulation = simulation
    try onThread {
      let recorder = CallRecorder()
      let target = try simulation.address("10.9.0.1")
      recorder.record(target)
      let mode = CFRunLoopMode.defaultMode.rawValue
      // The main run loop does not run.
      SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), mode)
      SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), mode)
      let loop = SharedLoop(loop: CFRunLoopGetCurrent())
      DispatchQueue.global().async {
        Deadline.wait("the run loop waits") { CFRunLoopIsWaiting(loop.loop) }
        simulation.network.setStatus(.routed)
      }
      recorder.run(until: 1)
      #expect(recorder.flags == [0x2])
      SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), mode)
      SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), mode)
    }
  }

  @Test func `a run loop that runs in another mode is not interrupted`() throws {
    let simulation = simulation
    try onThread {
      let recorder = CallRecorder()
      let target = try simulation.address("10.9.0.1")
      recorder.record(target)
      SCNetworkReachabilityScheduleWithRunLoop(
        target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
      // Another target's callback ends the run in the other mode.
      let other = CallRecorder()
      let second = try simulation.address("10.9.0.2")
      other.record(second)
      SCNetworkReachabilityScheduleWithRunLoop(
        second, CFRunLoopGetCurrent(), "org.example.mode" as CFString)
      simulation.network.setStatus(.routed)
      other.run(until: 1, mode: RunLoop.Mode("org.example.mode"))
      #expect(recorder.flags == [])
      recorder.run(until: 1)
      #expect(recorder.flags == [0x2])
      SCNetworkReachabilityUnscheduleFromRunLoop(
        target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
      SCNetworkReachabilityUnscheduleFromRunLoop(
        second, CFRunLoopGetCurrent(), "org.example.mode" as CFString)
    }
  }

  @Test func `changes between two runs of a loop are one call with the last flags`() throws {
    let simulation = simulation
    try onThread {
      let recorder = CallRecorder()
      let target = try simulation.address("10.9.0.1")
      recorder.record(target)
      let mode = CFRunLoopMode.defaultMode.rawValue
      SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), mode)
      for (status, expected) in [(ReachabilityStatus.routed, 0x2 as UInt32), (.link, 0x20002), (.noRoute, 0)]
      {
        simulation.network.setStatus(status)
        Deadline.wait("the change is known") { flags(of: target) == expected }
      }
      recorder.run(until: 1)
      // The flags are those of the scheduling, and are delivered all the same.
      #expect(recorder.flags == [0])
      #expect(CFRunLoopRunInMode(CFRunLoopMode.defaultMode, 0, true) == .timedOut)
      #expect(recorder.flags == [0])
      SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), mode)
    }
  }

  @Test func `one of several run loops delivers each change once`() throws {
    let simulation = simulation
    let recorder = CallRecorder()
    let target = SharedReference(try simulation.address("10.9.0.1"))
    recorder.record(target.target)
    let isOver = Mutex(false)
    let ready = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    for _ in 0..<3 {
      ended.enter()
      Thread.detachNewThread {
        let mode = CFRunLoopMode.defaultMode.rawValue
        SCNetworkReachabilityScheduleWithRunLoop(target.target, CFRunLoopGetCurrent(), mode)
        ready.signal()
        while !isOver.withLock({ $0 }) {
          _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
        }
        SCNetworkReachabilityUnscheduleFromRunLoop(target.target, CFRunLoopGetCurrent(), mode)
        ended.leave()
      }
    }
    for _ in 0..<3 { ready.wait() }
    for (round, status) in [ReachabilityStatus.routed, .link, .noRoute, .cellular].enumerated() {
      simulation.network.setStatus(status)
      recorder.wait(for: round + 1)
    }
    isOver.withLock { $0 = true }
    #expect(ended.wait(timeout: .now() + 20) == .success)
    #expect(recorder.flags == [0x2, 0x20002, 0, 0x40003])
    #expect(!SCNetworkReachabilitySetDispatchQueue(target.target, nil))
  }

  @Test func `a run loop of an ended thread holds no call back from a live one`() throws {
    let simulation = simulation
    let recorder = CallRecorder()
    let target = SharedReference(try simulation.address("10.9.0.1"))
    recorder.record(target.target)
    @Sendable func schedule(_ target: SharedReference) {
      SCNetworkReachabilityScheduleWithRunLoop(
        target.target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
    }
    try onThread { schedule(target) }
    try onThread {
      schedule(target)
      // This observer runs between the loop's check of its sources and its wait.
      let observer = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, CFRunLoopActivity.beforeWaiting.rawValue, true, 0
      ) { _, _ in
        let before = flags(of: target.target)
        simulation.network.setStatus(before == 0 ? .routed : .noRoute)
        Deadline.wait("the change is known") { flags(of: target.target) != before }
      }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      recorder.run(until: 200, seconds: 20)
      CFRunLoopRemoveObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
    }
  }

  @Test func `a target in the common modes is called in the default mode`() async throws {
    let recorder = CallRecorder()
    let target = try simulation.address("10.9.0.1")
    recorder.record(target)
    let shared = SharedReference(target)
    let simulation = simulation
    try onThread {
      let common = CFRunLoopMode.commonModes.rawValue
      SCNetworkReachabilityScheduleWithRunLoop(shared.target, CFRunLoopGetCurrent(), common)
      simulation.network.setStatus(.routed)
      recorder.run(until: 1)
      SCNetworkReachabilityUnscheduleFromRunLoop(shared.target, CFRunLoopGetCurrent(), common)
    }
    #expect(recorder.flags == [0x2])
  }

  // MARK: On a queue

  @Test func `each change is one call, in order, even on a concurrent queue`() throws {
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let key = DispatchSpecificKey<Bool>()
    concurrent.setSpecific(key: key, value: true)
    let isOnQueue = Mutex(true)
    let recorder = CallRecorder { _, _ in
      if DispatchQueue.getSpecific(key: key) != true { isOnQueue.withLock { $0 = false } }
    }
    let target = try simulation.address("10.9.0.1")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, concurrent)
    var expected: [UInt32] = []
    for round in 1...50 {
      simulation.network.setStatus(round.isMultiple(of: 2) ? .noRoute : .routed)
      expected.append(round.isMultiple(of: 2) ? 0 : 2)
      recorder.wait(for: round)
    }
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(recorder.flags == expected)
    #expect(isOnQueue.withLock { $0 })
  }

  @Test func `the main queue delivers callbacks like any other`() throws {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let isOnMainQueue = Box<Bool>()
    let recorder = CallRecorder { _, _ in isOnMainQueue.fill(DispatchQueue.getSpecific(key: key) == true) }
    let target = try simulation.address("10.9.0.1")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, .main)
    simulation.network.setStatus(.routed)
    #expect(isOnMainQueue.value() == true)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
  }

  @Test func `no callback starts after the target leaves its queue`() throws {
    let target = try simulation.address("10.9.0.1")
    let recorder = CallRecorder()
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    let isBlocked = DispatchSemaphore(value: 0)
    queue.async { isBlocked.wait() }
    simulation.network.setStatus(.routed)
    #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    isBlocked.signal()
    queue.sync {}
    #expect(recorder.flags == [])
  }

  @Test func `leaving the queue does not wait for a running callback`() throws {
    var quickest = Duration.seconds(3600)
    for _ in 0..<10 {
      let simulation = Simulation()
      let isRunning = DispatchSemaphore(value: 0)
      let mayEnd = DispatchSemaphore(value: 0)
      let recorder = CallRecorder { _, _ in
        isRunning.signal()
        mayEnd.wait()
      }
      let target = try simulation.address("10.9.0.1")
      recorder.record(target)
      SCNetworkReachabilitySetDispatchQueue(target, queue)
      simulation.network.setStatus(.routed)
      try #require(isRunning.wait(timeout: .now() + .seconds(10)) == .success)
      let duration = ContinuousClock().measure {
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
      }
      quickest = min(quickest, duration)
      #expect(recorder.flags == [])
      mayEnd.signal()
      recorder.wait(for: 1)
      #expect(recorder.flags == [0x2])
    }
    // An observation that waits for its handler does so for 50 milliseconds, each time.
    #expect(quickest < .milliseconds(40))
  }
}

/// A run loop that a test shares with another thread.
// Safe to share: any thread may query whether it waits.
private struct SharedLoop: @unchecked Sendable {
  let loop: CFRunLoop
}
