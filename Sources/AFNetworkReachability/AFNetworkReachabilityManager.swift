#if !os(watchOS)
import ClassicReachability
public import Foundation
import Observation
import Synchronization
public import SystemConfiguration

/// A monitor of the default path, a host or an address, which delivers changes on the main queue.
///
/// ```swift
/// let manager = AFNetworkReachabilityManager.shared()
/// manager.setReachabilityStatusChange { status in
///   print(AFStringFromNetworkReachabilityStatus(status))
/// }
/// manager.startMonitoring()
/// ```
///
/// Reachable means that a packet can leave this machine, not that it arrives. Use the status to retry or to explain a
/// failure, not to decide whether to send.
///
/// Every event of the system calls the blocks and is posted, even if the status is equal: after a move from one network
/// to another of the same kind, for example, old connections are dead and an app may reconnect.
///
/// Each event is one job of the main queue: it sets the status, calls the blocks and posts the notification. A run
/// loop, `dispatchMain()` or an asynchronous `main` must serve the main queue. Safe to use from any thread.
///
/// Improvements over the original:
///
/// - A start delivers the status once. The original delivers it twice at a launch, as the answer to its own query and
///   as the system's first callback. Every start delivers it, also after a stop.
/// - A stopped manager delivers nothing from before the stop. The original may deliver the answer to its first query.
/// - Managers of one reference do not displace each other's callback.
/// - ``addReachabilityStatusChangeObserver(_:)`` takes further blocks, so that callers need not share a single one.
/// - A domain or an address that the system refuses does not end the program.
/// - Swift's Observation observes the status as KVO does.
/// - Events need no run loop.
///
/// The original is `AFNetworkReachabilityManager`, which can be subclassed; this class cannot.
public final class AFNetworkReachabilityManager: NSObject, Sendable {
  typealias Block = @MainActor @Sendable (AFNetworkReachabilityStatus) -> Void

  struct State {
    var status = AFNetworkReachabilityStatus.unknown
    /// The current period, `nil` while the manager is stopped.
    var period: Period?
    /// The blocks by their place in the order of calls: 0 for the single block, then the observers.
    var blocks: [Int: Block] = [:]
    var lastObserver = 0
  }

  /// The target, `nil` if the system refused it.
  let target: SystemTarget?
  let state = Mutex(State())
  let registrar = ObservationRegistrar()

  private init(of target: SystemTarget?) {
    self.target = target
    super.init()
  }

  /// Creates a manager of the default path, over IPv4 or IPv6.
  ///
  /// The original is `+manager`; its own `-init` throws.
  public override convenience init() {
    self.init(of: .makeDefaultPath())
  }

  /// Creates a manager of a host.
  ///
  /// Until its name is resolved, a host has the status of the default path.
  ///
  /// - Parameter domain: The host's name, such as `example.com`, or its address; not a URL. An empty one creates a
  ///   manager that stays ``AFNetworkReachabilityStatus/unknown``; the original ends the program.
  ///
  /// The original is `+managerForDomain:`.
  public convenience init(forDomain domain: String) {
    self.init(of: SystemTarget(name: domain))
  }

  /// Creates a manager of an address.
  ///
  /// - Parameter address: A `sockaddr_in` or `sockaddr_in6`, which is copied; its port is ignored. Any other family
  ///   creates a manager that stays ``AFNetworkReachabilityStatus/unknown``; the original ends the program.
  ///
  /// The original is `+managerForAddress:`.
  public convenience init(forAddress address: UnsafeRawPointer) {
    self.init(of: unsafe SystemTarget(address.assumingMemoryBound(to: sockaddr.self)))
  }

  /// Creates a manager of an existing reference.
  ///
  /// While the manager monitors, it owns the reference's callback and queue, so set none. Several managers of one
  /// reference share them.
  ///
  /// The original is `-initWithReachability:`, where the manager that starts last displaces the others.
  public convenience init(reachability: SCNetworkReachability) {
    self.init(of: SystemTarget(reachability))
  }

  /// Returns the shared manager of the default path.
  ///
  /// The original is `+sharedManager`.
  public class func shared() -> AFNetworkReachabilityManager {
    sharedInstance
  }

  private static let sharedInstance = AFNetworkReachabilityManager()

  deinit {
    stopMonitoring()
  }
}
#endif
