// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization
import SystemConfiguration
import Testing

/// A recorder of a callback's calls and their threads.
final class CallRecorder: Sendable {
  struct Call: Equatable {
    var flags: UInt32
    var thread: ObjectIdentifier
  }

  private let calls = Mutex<[Call]>([])
  private let news = DispatchSemaphore(value: 0)
  /// The closure that each call runs before it is recorded.
  private let reaction: Mutex<Reaction?>

  /// A closure in a box.
  struct Reaction: Sendable {
    let call: @Sendable (SharedReference, UInt32) -> Void
  }

  init(reaction: (@Sendable (SharedReference, UInt32) -> Void)? = nil) {
    self.reaction = Mutex(reaction.map(Reaction.init))
  }

  /// Becomes a target's callback, with an info that is not retained.
  func record(_ target: SCNetworkReachability) {
    var context = unsafe SCNetworkReachabilityContext()
    unsafe context.info = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe SCNetworkReachabilitySetCallback(target, Self.callout, &context)
  }

  static let callout:
    @Sendable (SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?) -> Void =
      { target, flags, info in
        guard let info = unsafe info else { return }
        unsafe Unmanaged<CallRecorder>.fromOpaque(info).takeUnretainedValue().note(target, flags)
      }

  private func note(_ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags) {
    let shared = SharedReference(target)
    reaction.withLock { $0 }?.call(shared, flags.rawValue)
    let call = Call(flags: flags.rawValue, thread: ObjectIdentifier(Thread.current))
    calls.withLock { $0.append(call) }
    news.signal()
  }

  var flags: [UInt32] { calls.withLock { $0.map(\.flags) } }

  var all: [Call] { calls.withLock { $0 } }

  /// Waits for a number of calls; records an issue after the limit.
  func wait(for count: Int, seconds: Int = 10) {
    let deadline = DispatchTime.now() + .seconds(seconds)
    while flags.count < count {
      guard news.wait(timeout: deadline) == .success else {
        Issue.record("called \(flags.count) times, not \(count): \(flags)")
        return
      }
    }
  }

  /// Waits until the last call had these flags; records an issue after the limit.
  func wait(forLast flags: UInt32, seconds: Int = 10) {
    let deadline = DispatchTime.now() + .seconds(seconds)
    while self.flags.last != flags {
      guard news.wait(timeout: deadline) == .success else {
        Issue.record("called with \(self.flags), not with \(flags)")
        return
      }
    }
  }

  /// Runs the current thread's run loop until a number of calls.
  func run(until count: Int, mode: RunLoop.Mode = .default, seconds: TimeInterval = 10) {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while flags.count < count, Date() < deadline {
      _ = RunLoop.current.run(mode: mode, before: deadline)
    }
    if flags.count < count { Issue.record("called \(flags.count) times, not \(count): \(flags)") }
  }
}
