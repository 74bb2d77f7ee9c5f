// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// Adds a source and a timer in a mode of `CFRunLoopMode`, runs the loop, and returns what ran.
func runSourceAndTimer() -> [String] {
  final class Ran { var names: [String] = [] }
  let ran = Ran()
  var context = CFRunLoopSourceContext()
  context.info = Unmanaged.passUnretained(ran).toOpaque()
  context.perform = { info in
    if let info = info { Unmanaged<Ran>.fromOpaque(info).takeUnretainedValue().names.append("source") }
  }
  let loop = CFRunLoopGetCurrent()
  let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
  CFRunLoopAddSource(loop, source, CFRunLoopMode.defaultMode)
  CFRunLoopAddSource(loop, source, .commonModes)
  CFRunLoopSourceSignal(source)

  var timerContext = CFRunLoopTimerContext()
  timerContext.info = Unmanaged.passUnretained(ran).toOpaque()
  let timer = CFRunLoopTimerCreate(
    kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 0.05, 0, 0, 0,
    { _, info in
      if let info = info { Unmanaged<Ran>.fromOpaque(info).takeUnretainedValue().names.append("timer") }
    }, &timerContext)
  CFRunLoopAddTimer(loop, timer, .defaultMode)
  print(
    "added:", CFRunLoopContainsSource(loop, source, CFRunLoopMode.commonModes),
    CFRunLoopContainsTimer(loop, timer, .defaultMode))
  let limit = CFAbsoluteTimeGetCurrent() + 20
  while ran.names.count < 2, CFAbsoluteTimeGetCurrent() < limit {
    CFRunLoopRunInMode(.defaultMode, 0.1, true)
  }
  CFRunLoopRemoveSource(loop, source, .commonModes)
  CFRunLoopRemoveSource(loop, source, CFRunLoopMode.defaultMode)
  CFRunLoopRemoveTimer(loop, timer, CFRunLoopMode.defaultMode)
  // The constants of older code, which Core Foundation's own functions take on Linux.
  CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode)
  print("again:", CFRunLoopContainsSource(loop, source, kCFRunLoopDefaultMode))
  CFRunLoopRemoveSource(loop, source, kCFRunLoopDefaultMode)
  return ran.names
}
