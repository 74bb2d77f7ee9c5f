// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Core Foundation's functions around a scheduled target, with modes as Apple platforms have them.
func runWithModes(_ target: SCNetworkReachability) -> [Bool] {
  let loop: CFRunLoop = CFRunLoopGetCurrent()
  let isScheduled = [
    SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.commonModes.rawValue),
    SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopCommonModes),
    SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode!),
  ]
  final class Seen {
    var modes: [CFRunLoopMode?] = []
    var isDefault = false
    var isEmptyElsewhere = false
    var performed = 0
    var timer: CFAbsoluteTime = 0
  }
  let seen = Seen()
  let own = CFRunLoopMode("own" as CFString)
  let observer = CFRunLoopObserverCreateWithHandler(
    kCFAllocatorDefault, CFRunLoopActivity.beforeWaiting.rawValue, true, 0
  ) { _, _ in
    let mode: CFRunLoopMode = CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent())
    seen.modes.append(mode)
    seen.isDefault = CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) == .defaultMode
    seen.modes.append(CFRunLoopMode(rawValue: CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()).rawValue))
    CFRunLoopStop(CFRunLoopGetCurrent())
  }
  CFRunLoopAddCommonMode(loop, own)
  CFRunLoopAddObserver(loop, observer, .commonModes)
  CFRunLoopPerformBlock(loop, CFRunLoopMode.defaultMode.rawValue) { seen.performed += 1 }
  CFRunLoopPerformBlock(loop, CFRunLoopMode.commonModes.rawValue) { seen.performed += 1 }
  let timer = CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 1000, 0, 0, 0) { _ in }
  CFRunLoopAddTimer(loop, timer, CFRunLoopMode.defaultMode)
  seen.timer = CFRunLoopGetNextTimerFireDate(loop, CFRunLoopMode.defaultMode)
  CFRunLoopWakeUp(loop)
  let results: [CFRunLoopRunResult] = [
    CFRunLoopRunInMode(.defaultMode, 20, false), CFRunLoopRunInMode(own, 20, false),
    CFRunLoopRunInMode(CFRunLoopMode("nothing" as CFString), 0, false),
  ]
  CFRunLoopRemoveTimer(loop, timer, .defaultMode)
  CFRunLoopRemoveObserver(loop, observer, .commonModes)
  let outside: CFRunLoopMode? = CFRunLoopCopyCurrentMode(loop)
  let isUndone = [
    SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.commonModes.rawValue),
    SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopCommonModes),
    SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode),
  ]
  return isScheduled + isUndone + [
    results == [.stopped, .stopped, .finished], seen.modes == [.defaultMode, .defaultMode, own, own], !seen.isDefault,
    outside == nil, seen.performed == 2, seen.timer > CFAbsoluteTimeGetCurrent(),
  ]
}

/// A thread whose run loop lives as long as its target is scheduled.
final class ReachabilityThread: Thread {
  let called = DispatchSemaphore(value: 0)
  nonisolated(unsafe) private(set) var isUnscheduled = false

  override func main() {
    guard let target = SCNetworkReachabilityCreateWithName(nil, "listed.test") else { return }
    var context = SCNetworkReachabilityContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    SCNetworkReachabilitySetCallback(
      target,
      { target, _, info in
        guard let info = info else { return }
        let thread = Unmanaged<ReachabilityThread>.fromOpaque(info).takeUnretainedValue()
        thread.isUnscheduled = SCNetworkReachabilityUnscheduleFromRunLoop(
          target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
        CFRunLoopStop(CFRunLoopGetCurrent())
      }, &context)
    SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
    CFRunLoopRun()
    called.signal()
  }

  func isCalled() -> Bool {
    start()
    return called.wait(timeout: .now() + 20) == .success && isUnscheduled
  }
}
