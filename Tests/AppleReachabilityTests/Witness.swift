import AppleReachability
import ClassicSupport
import Foundation

/// Observes the notifications of one instance.
final class Witness: Sendable {
  struct Told: Sendable {
    var status: NetworkStatus?
    /// The thread that posted.
    var thread: ObjectIdentifier
  }

  let told = Log<Told>()
  // Safe to share: nothing but to be given back is ever done with it.
  private nonisolated(unsafe) let token: any NSObjectProtocol

  init(_ reachability: Reachability) {
    unsafe token = NotificationCenter.default.addObserver(
      forName: .reachabilityChanged, object: reachability, queue: nil
    ) { [told] note in
      let status = (note.object as? Reachability)?.currentReachabilityStatus()
      told.append(Told(status: status, thread: ObjectIdentifier(Thread.current)))
    }
  }

  deinit {
    unsafe NotificationCenter.default.removeObserver(token)
  }
}
