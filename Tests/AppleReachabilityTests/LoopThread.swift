// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import Dispatch
import Foundation
import Synchronization
import SystemConfiguration

/// A thread that runs its run loop in the default mode.
final class LoopThread: Sendable {
  /// The thread did not finish its work within the limit.
  struct Stuck: Error {}

  /// The state that the thread and its owner share.
  // Safe to share: other threads use the run loop only to enqueue work, which run loops allow.
  private final class Link: @unchecked Sendable {
    let loop = Mutex<CFRunLoop?>(nil)
    let isOver = Atomic(false)
    let isThere = DispatchSemaphore(value: 0)
  }

  private let link = Link()

  init() throws {
    let thread = Thread { [link] in
      link.loop.withLock { $0 = CFRunLoopGetCurrent() }
      // A run loop without sources does not wait.
      var context = unsafe CFRunLoopSourceContext()
      let source = unsafe CFRunLoopSourceCreate(nil, 0, &context)
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
      link.isThere.signal()
      while !link.isOver.load(ordering: .acquiring) {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
      }
      CFRunLoopSourceInvalidate(source)
    }
    thread.start()
    guard link.isThere.wait(timeout: .now() + 10) == .success else { throw Stuck() }
  }

  deinit {
    link.isOver.store(true, ordering: .releasing)
    link.loop.withLock { CFRunLoopStop($0) }
  }

  /// Returns the result of a closure on the thread.
  func run<T: Sendable>(_ body: @escaping @Sendable () -> T) throws -> T {
    let result = Log<T>()
    let isDone = DispatchSemaphore(value: 0)
    wake {
      result.append(body())
      isDone.signal()
    }
    guard isDone.wait(timeout: .now() + 10) == .success else { throw Stuck() }
    return result.elements[0]
  }

  private func wake(_ body: @escaping @Sendable () -> Void) {
    link.loop.withLock { loop in
      guard let loop else { return }
      CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, body)
      CFRunLoopWakeUp(loop)
    }
  }
}
