// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import SystemConfiguration
import Testing

/// The parts of Core Foundation that this module adds or changes.
@Suite("Core Foundation", .deadline)
struct CoreFoundationTests {
  @Test func `a mode of Foundation and one of Core Foundation are the same text`() {
    #expect(RunLoop.Mode.default as CFString == CFRunLoopMode.defaultMode.rawValue)
    #expect(RunLoop.Mode.common as CFString == CFRunLoopMode.commonModes.rawValue)
    #expect(RunLoop.Mode("own") as CFString == "own" as CFString)
  }

  @Test func `the run loop of an object of Foundation is that of its thread, on any thread`() throws {
    #expect(RunLoop.current.getCFRunLoop() === CFRunLoopGetCurrent())
    #expect(RunLoop.main.getCFRunLoop() === CFRunLoopGetMain())
    let thread = WaitingThread()
    let (object, loop) = try thread.loops()
    defer { thread.end() }
    #expect(object.getCFRunLoop() === loop)
  }

  @Test func `sources, timers and observers take either type of mode`() throws {
    let loop = CFRunLoopGetCurrent()
    var context = unsafe CFRunLoopSourceContext()
    let source = unsafe CFRunLoopSourceCreate(nil, 0, &context)
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 1000, 0, 0, 0) { _ in }
    let observer = CFRunLoopObserverCreateWithHandler(nil, 0, true, 0) { _, _ in }
    CFRunLoopAddSource(loop, source, .defaultMode)
    CFRunLoopAddTimer(loop, timer, .defaultMode)
    CFRunLoopAddObserver(loop, observer, .defaultMode)
    #expect(CFRunLoopGetNextTimerFireDate(loop, .defaultMode) == CFRunLoopTimerGetNextFireDate(timer))
    #expect(CFRunLoopContainsSource(loop, source, kCFRunLoopDefaultMode))
    #expect(CFRunLoopContainsTimer(loop, timer, kCFRunLoopDefaultMode))
    #expect(CFRunLoopContainsObserver(loop, observer, kCFRunLoopDefaultMode))
    CFRunLoopRemoveSource(loop, source, .defaultMode)
    CFRunLoopRemoveTimer(loop, timer, .defaultMode)
    CFRunLoopRemoveObserver(loop, observer, .defaultMode)
    #expect(!CFRunLoopContainsSource(loop, source, .defaultMode))
    #expect(!CFRunLoopContainsTimer(loop, timer, .defaultMode))
    #expect(!CFRunLoopContainsObserver(loop, observer, .defaultMode))
  }

  @Test func `a run loop's current mode has Apple's type, and is nil outside a run`() {
    let loop = CFRunLoopGetCurrent()
    let own = CFRunLoopMode("own" as CFString)
    var mode: CFRunLoopMode?
    CFRunLoopPerformBlock(loop, own.rawValue) { mode = CFRunLoopCopyCurrentMode(loop) }
    CFRunLoopRunInMode(own, 0, false)
    #expect(mode == own)
    mode = CFRunLoopCopyCurrentMode(loop)
    #expect(mode == nil)
  }

  @Test func `functions for any object accept targets`() throws {
    let target: CFTypeRef = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "127.0.0.1"))
    let other: CFTypeRef = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "127.0.0.1"))
    let text: CFTypeRef = "text" as CFString
    #expect(CFGetTypeID(target) == SCNetworkReachabilityGetTypeID())
    #expect(CFGetTypeID(text) == CFStringGetTypeID())
    #expect(CFEqual(target, target) && !CFEqual(target, other) && !CFEqual(text, target))
    #expect(CFEqual(text, "text" as CFString))
    #expect(CFHash(target) == CFHash(target) && CFHash(text) == CFHash("text" as CFString))
  }

  @Test func `the last error has a code, a domain and a text for Core Foundation's functions`() {
    #expect(unsafe SCNetworkReachabilityCreateWithName(nil, "") == nil)
    let error: CFError = SCCopyLastError()
    #expect(CFErrorGetCode(error) == kSCStatusInvalidArgument)
    #expect(CFErrorGetDomain(SCCopyLastError()) == kCFErrorDomainSystemConfiguration)
    #expect(CFErrorCopyDescription(SCCopyLastError()) == "Invalid argument" as CFString)
  }
}

/// A thread that waits, and its run loop.
private final class WaitingThread: Thread {
  private let isKnown = DispatchSemaphore(value: 0)
  private let isDone = DispatchSemaphore(value: 0)
  /// Written before `isKnown` is signalled, and read after.
  private var found: (RunLoop, CFRunLoop)?

  override func main() {
    found = CFRunLoopGetCurrent().map { (RunLoop.current, $0) }
    isKnown.signal()
    isDone.wait()
  }

  /// Starts the thread and returns its run loop, of Foundation and of Core Foundation.
  func loops() throws -> (RunLoop, CFRunLoop) {
    start()
    isKnown.wait()
    return try #require(found)
  }

  func end() { isDone.signal() }
}
