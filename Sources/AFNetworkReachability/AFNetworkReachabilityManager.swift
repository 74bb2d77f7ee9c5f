#if !os(watchOS)
public import Foundation
import Observation
import Synchronization
public import SystemConfiguration

/// Follows the reachability of the default path, a host or an address, and tells of changes on the main queue.
///
/// ```swift
/// let manager = AFNetworkReachabilityManager.shared()
/// manager.setReachabilityStatusChange { status in
///   print(AFStringFromNetworkReachabilityStatus(status))
/// }
/// manager.startMonitoring()
/// ```
///
/// Reachable means that a packet can leave this machine, not that it arrives: use it to try again or to explain a failure,
/// not to decide whether to send.
///
/// Each event is one job of the main queue: the status is set, the blocks are called, the notification is posted. The main
/// queue must be served, by a run loop, by `dispatchMain()` or by an asynchronous `main`. Safe to use from any thread.
///
/// What is better than in the original:
///
/// - A start tells the status once; an equal one is not told again, as it was for domains at each launch. Every start
///   tells it, also one after a stop and that of a domain.
/// - After a stop nothing comes that belongs to the time before it, as the answer to the first query did.
/// - Managers of one reference do not displace each other's callback.
/// - Further listeners have ``addReachabilityStatusChangeObserver(_:)``, so that they need not fight for the one block.
/// - A domain or an address that the system refuses does not end the program.
/// - The status can be observed with Swift's Observation as well as with KVO.
/// - Events need no run loop.
///
/// The original is `AFNetworkReachabilityManager`. It can be subclassed, this can't.
public final class AFNetworkReachabilityManager: NSObject, Sendable {
  typealias Block = @MainActor @Sendable (AFNetworkReachabilityStatus) -> Void

  struct State {
    var status = AFNetworkReachabilityStatus.unknown
    /// From a start to its stop.
    var period: Period?
    /// By the order in which they are called: the one block, then the observers.
    var blocks: [Int: Block] = [:]
    var lastObserver = 0
  }

  let reference: Reference?
  let state = Mutex(State())
  let registrar = ObservationRegistrar()

  private init(following reference: Reference?) {
    self.reference = reference
    super.init()
  }

  /// Makes a manager of the default path, by IPv4 or IPv6.
  ///
  /// The original is `+manager`; there, this initializer throws.
  public override convenience init() {
    self.init(following: .makeDefaultPath())
  }

  /// Makes a manager of a host.
  ///
  /// Until its name has been looked up, a host counts as reachable if there is a default path.
  ///
  /// - Parameter domain: The host's name, such as `example.com`, or its address; not a URL. An empty one makes a manager
  ///   that stays ``AFNetworkReachabilityStatus/unknown``, where the original ends the program.
  ///
  /// The original is `+managerForDomain:`.
  public convenience init(forDomain domain: String) {
    self.init(following: Reference(domain: domain))
  }

  /// Makes a manager of an address.
  ///
  /// - Parameter address: A `sockaddr_in` or `sockaddr_in6`, which is copied; its port does not matter. Any other family
  ///   makes a manager that stays ``AFNetworkReachabilityStatus/unknown``, where the original ends the program.
  ///
  /// The original is `+managerForAddress:`.
  public convenience init(forAddress address: UnsafeRawPointer) {
    self.init(following: unsafe Reference(address: address))
  }

  /// Makes a manager of a reference of the program's own.
  ///
  /// While a manager of it monitors, the reference's callback and queue are the manager's, so set none. Several managers of
  /// one reference share them.
  ///
  /// The original is `-initWithReachability:`, where the manager that starts last displaces the others.
  public convenience init(reachability: SCNetworkReachability) {
    self.init(following: Reference(reachability))
  }

  /// Returns the one manager of the default path that all share.
  ///
  /// The original is `+sharedManager`.
  public class func shared() -> AFNetworkReachabilityManager {
    sharedManager
  }

  private static let sharedManager = AFNetworkReachabilityManager()

  deinit {
    stopMonitoring()
  }
}
#endif
