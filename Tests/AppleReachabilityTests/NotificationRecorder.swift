// SPDX-License-Identifier: Apache-2.0
import AppleReachability
import ClassicSupport
import Foundation

/// A recorder of the notifications of one instance.
final class NotificationRecorder: Sendable {
  struct Post: Sendable {
    var status: NetworkStatus?
    /// The thread that posted.
    var thread: ObjectIdentifier
  }

  let posts = Log<Post>()
  // Safe to share: it is only passed back to the notification center.
  private nonisolated(unsafe) let token: any NSObjectProtocol

  init(_ reachability: Reachability) {
    unsafe token = NotificationCenter.default.addObserver(
      forName: .reachabilityChanged, object: reachability, queue: nil
    ) { [posts] note in
      let status = (note.object as? Reachability)?.currentReachabilityStatus()
      posts.append(Post(status: status, thread: ObjectIdentifier(Thread.current)))
    }
  }

  deinit {
    unsafe NotificationCenter.default.removeObserver(token)
  }
}
