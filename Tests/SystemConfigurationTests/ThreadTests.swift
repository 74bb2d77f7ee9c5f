// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityKit
import Synchronization
import SystemConfiguration
import Testing

/// Concurrent use of all functions, without faults that the sanitizers detect.
@Suite("Threads", .deadline)
struct ThreadTests {
  private let simulation = Simulation()

  /// Counts an info's retains and releases.
  private static let balance = Mutex(0)

  private static let callout:
    @Sendable (SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?) -> Void = {
      target, _, info in
      guard let info = unsafe info else { return }
      // Valid only while the info lives.
      _ = unsafe Unmanaged<Payload>.fromOpaque(info).takeUnretainedValue().text.count
      _ = SystemConfigurationTests.flags(of: target)
    }

  private final class Payload: Sendable {
    let text = "alive"

    init() { ThreadTests.balance.withLock { $0 += 1 } }
    deinit { ThreadTests.balance.withLock { $0 -= 1 } }
  }

  /// Returns a context that owns a new payload.
  private static func context() -> SCNetworkReachabilityContext {
    unsafe SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passRetained(Payload()).toOpaque(),
      retain: { unsafe UnsafeRawPointer(Unmanaged<Payload>.fromOpaque($0).retain().toOpaque()) },
      release: { unsafe Unmanaged<Payload>.fromOpaque($0).release() }, copyDescription: nil)
  }

  private static func setCallback(_ target: SCNetworkReachability) {
    var context = unsafe context()
    unsafe SCNetworkReachabilitySetCallback(target, callout, &context)
    // The target has retained its own reference.
    if let info = unsafe context.info { unsafe context.release?(info) }
  }

  /// Runs a closure on several new threads concurrently.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        body(number)
        group.leave()
      }
    }
    #expect(group.wait(timeout: .now() + 60) == .success)
  }

  /// Runs a closure while another thread changes the network.
  private func whileChanging(_ body: () -> Void) {
    let isOver = Mutex(false)
    let network = simulation.network
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var round = 0
      while !isOver.withLock({ $0 }) {
        network.setStatus(round.isMultiple(of: 2) ? .routed : .noRoute)
        round += 1
        sched_yield()
      }
      ended.signal()
    }
    body()
    isOver.withLock { $0 = true }
    ended.wait()
  }

  @Test func `several threads create, schedule and release targets concurrently`() throws {
    let simulation = simulation
    whileChanging {
      onThreads(4) { number in
        let queue = DispatchQueue(label: "cycle")
        for cycle in 0..<100 {
          let name = cycle.isMultiple(of: 2) ? "10.9.0.1" : "example.com"
          guard let target = try? simulation.name(name) else { continue }
          Self.setCallback(target)
          if number.isMultiple(of: 2) {
            SCNetworkReachabilitySetDispatchQueue(target, queue)
            SCNetworkReachabilitySetDispatchQueue(target, nil)
          } else {
            let mode = CFRunLoopMode.defaultMode.rawValue
            SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), mode)
            CFRunLoopRunInMode(CFRunLoopMode.defaultMode, 0, true)
            SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), mode)
          }
        }
        queue.sync {}
      }
    }
    Deadline.wait("all infos are released", seconds: 30) { Self.balance.withLock { $0 } == 0 }
  }

  @Test func `several threads use one target concurrently`() throws {
    let shared = SharedReference(try simulation.name("example.com"))
    whileChanging {
      onThreads(4) { number in
        let target = shared.target
        let queue = DispatchQueue(label: "shared")
        for _ in 0..<100 {
          Self.setCallback(target)
          switch number {
          case 0:
            SCNetworkReachabilitySetDispatchQueue(target, queue)
            SCNetworkReachabilitySetDispatchQueue(target, nil)
          case 1, 2:
            let mode = CFRunLoopMode.defaultMode.rawValue
            // Refused while another thread has it on a queue.
            Deadline.wait("a place on the run loop") {
              SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), mode)
            }
            CFRunLoopRunInMode(CFRunLoopMode.defaultMode, 0, true)
            SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), mode)
          default:
            _ = flags(of: target)
            _ = target.description
          }
        }
        queue.sync {}
      }
    }
    // No schedule is left, so a queue accepts the target.
    #expect(SCNetworkReachabilitySetDispatchQueue(shared.target, DispatchQueue(label: "after")))
    #expect(SCNetworkReachabilitySetDispatchQueue(shared.target, nil))
    SCNetworkReachabilitySetCallback(shared.target, nil, nil)
  }
}
