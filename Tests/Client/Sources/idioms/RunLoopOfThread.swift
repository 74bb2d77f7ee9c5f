// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Schedules a target on the run loops that Foundation's objects stand for; returns whether all accepted it.
func scheduleOnFoundationsRunLoops(_ target: SCNetworkReachability) -> Bool {
  let mode = CFRunLoopMode.defaultMode.rawValue
  let loops = [RunLoop.current.getCFRunLoop(), RunLoop.main.getCFRunLoop()]
  return loops.allSatisfy { loop in
    SCNetworkReachabilityScheduleWithRunLoop(target, loop, mode)
      && SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, mode)
  }
}

/// The run loop of a thread, handed to another one.
final class LoopThread: Thread {
  private let ready = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)
  nonisolated(unsafe) private var loop: RunLoop?
  nonisolated(unsafe) private var own: CFRunLoop?

  override func main() {
    loop = RunLoop.current
    own = CFRunLoopGetCurrent()
    ready.signal()
    done.wait()
  }

  /// Whether Foundation's object leads to the thread's own run loop.
  func isOwn() -> Bool {
    start()
    ready.wait()
    defer { done.signal() }
    return loop?.getCFRunLoop() === own
  }
}
