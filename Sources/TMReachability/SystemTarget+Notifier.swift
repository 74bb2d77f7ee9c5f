// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import ClassicReachability
import Dispatch
import SystemConfiguration

extension SystemTarget {
  /// Starts delivering events to a handler on a queue.
  ///
  /// - Returns: `false` if the system refuses, as it does for a target that is already scheduled. Its earlier owner
  ///   then keeps receiving events.
  func start(
    on queue: DispatchQueue, _ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void
  ) -> Bool {
    // The queue claims the target, so it is set before the callback, which would replace another owner's. The queue is
    // suspended meanwhile, since an event without a callback is lost.
    queue.suspend()
    defer { queue.resume() }
    guard setQueue(queue) else { return false }
    guard setHandler(handler) else {
      setQueue(nil)
      return false
    }
    return true
  }

  /// Stops delivering events.
  func stop() {
    setQueue(nil)
    setHandler(nil)
  }
}
#endif
