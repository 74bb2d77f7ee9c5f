// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Schedules a target with each way to write a mode; returns how many were accepted, and undone.
func scheduleInModes(_ target: SCNetworkReachability) -> (scheduled: Int, undone: Int) {
  let main = CFRunLoopGetMain()!
  let scheduled = [
    SCNetworkReachabilityScheduleWithRunLoop(target, main, RunLoop.Mode.common as CFString),
    SCNetworkReachabilityScheduleWithRunLoop(target, main, RunLoop.Mode.default as CFString),
    SCNetworkReachabilityScheduleWithRunLoop(target, main, RunLoop.Mode.common.rawValue as CFString),
    SCNetworkReachabilityScheduleWithRunLoop(target, main, CFRunLoopMode.commonModes.rawValue),
    SCNetworkReachabilityScheduleWithRunLoop(target, main, CFRunLoopMode.defaultMode!.rawValue),
    SCNetworkReachabilityScheduleWithRunLoop(target, main, "own" as CFString),
  ]
  let undone = [
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, RunLoop.Mode.common as CFString),
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, RunLoop.Mode.common as CFString),
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, RunLoop.Mode.default as CFString),
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, CFRunLoopMode.commonModes.rawValue),
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, CFRunLoopMode.defaultMode.rawValue),
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, "own" as CFString),
    // Nothing is left to undo.
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, "own" as CFString),
  ]
  return (scheduled.filter { $0 }.count, undone.filter { $0 }.count)
}
