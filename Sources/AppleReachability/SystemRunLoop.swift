#if !os(watchOS)
import ClassicReachability
import Foundation
import SystemConfiguration

/// A thread's run loop, in its default mode.
// Safe to share: any thread may add sources to a run loop and remove them.
struct SystemRunLoop: Equatable, @unchecked Sendable {
  private let loop: CFRunLoop

  /// The run loop of the current thread.
  static var current: SystemRunLoop { SystemRunLoop(loop: CFRunLoopGetCurrent()) }

  static func == (one: SystemRunLoop, other: SystemRunLoop) -> Bool { one.loop === other.loop }

  /// Delivers the target's changes on this run loop.
  func schedule(_ target: SystemTarget) -> Bool {
    SCNetworkReachabilityScheduleWithRunLoop(target.reference, loop, CFRunLoopMode.defaultMode.rawValue)
  }

  /// Ends the delivery on this run loop.
  func unschedule(_ target: SystemTarget) {
    _ = SCNetworkReachabilityUnscheduleFromRunLoop(
      target.reference, loop, CFRunLoopMode.defaultMode.rawValue)
  }
}
#endif
