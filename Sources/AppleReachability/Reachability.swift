#if !os(watchOS)
import ClassicReachability
public import Foundation
import Synchronization

/// The reachability of a host, an address or the default route, as in Apple's sample code.
///
/// ```swift
/// let reachability = Reachability.forInternetConnection()
/// NotificationCenter.default.addObserver(forName: .reachabilityChanged, object: reachability, queue: nil) { note in
///   let reachability = note.object as? Reachability
///   show(reachability?.currentReachabilityStatus())
/// }
/// reachability?.startNotifier()
/// show(reachability?.currentReachabilityStatus())
/// ```
///
/// ``currentReachabilityStatus()`` reads the status at the time of the call. Changes are posted as a notification on
/// the thread whose run loop was current in ``startNotifier()``, and only there. That thread must run its run loop in
/// the default mode. Starting posts nothing for the default route or an address, so read the status after starting.
///
/// Differences from the original: an instance may be released at any time, even while a notification is due, and stops
/// with its last reference. ``stopNotifier()`` works from any thread, and a second start has no effect. All members are
/// safe to use from any thread.
///
/// The original is Apple's sample code "Reachability", version 5.
public final class Reachability: NSObject, Sendable {
  private let target: SystemTarget
  /// Whether the target is a link-local address, whose flags are read by their own rule.
  private let isLocalWiFi: Bool
  /// The run loops of all starts since the last stop.
  private let runLoops = Mutex<[SystemRunLoop]>([])

  init(_ target: SystemTarget, isLocalWiFi: Bool = false) {
    self.target = target
    self.isLocalWiFi = isLocalWiFi
  }

  /// Creates an instance for a host.
  ///
  /// - Parameter hostName: The host's name, not a URL. It is looked up while the notifier runs.
  /// - Returns: `nil` if the name is empty.
  ///
  /// The original is `+reachabilityWithHostName:`.
  public convenience init!(hostName: String) {
    guard let target = SystemTarget(name: hostName) else { return nil }
    self.init(target)
  }

  /// Creates an instance for the default route, over IPv4 or IPv6.
  ///
  /// The original is `+reachabilityForInternetConnection`.
  public static func forInternetConnection() -> Reachability! {
    SystemTarget(ipv4: 0).map { Reachability($0) }
  }

  /// Creates an instance for the local network, over Wi-Fi or a cable.
  ///
  /// Its status is ``NetworkStatus/reachableViaWiFi`` or ``NetworkStatus/notReachable``; a tunnel or a cellular link
  /// alone is no local network. The original is `+reachabilityForLocalWiFi`, of version
  /// 3.5 and earlier.
  public static func forLocalWiFi() -> Reachability! {
    SystemTarget(ipv4: 0xa9fe_0000).map { Reachability($0, isLocalWiFi: true) }
  }

  deinit {
    stopNotifier()
  }

  /// Starts posting ``kReachabilityChangedNotification`` on the thread of the current run loop.
  ///
  /// Has no effect if the notifier already runs on this run loop. If it was started on several threads, each change is
  /// posted on one of them.
  ///
  /// - Returns: Whether the notifier runs; `false` if the system cannot be queried.
  ///
  /// The original is `-startNotifier`.
  @discardableResult
  public func startNotifier() -> Bool {
    let current = SystemRunLoop.current
    return runLoops.withLock { runLoops in
      if runLoops.contains(current) { return true }
      if runLoops.isEmpty {
        // The handler does not keep the instance alive.
        guard target.setHandler({ [weak self] _ in self?.postChange() }) else { return false }
      }
      guard current.schedule(target) else {
        if runLoops.isEmpty { target.setHandler(nil) }
        return false
      }
      runLoops.append(current)
      return true
    }
  }

  /// Stops posting the notification.
  ///
  /// It may be called on any thread. A notification that another thread is posting completes; no further one begins.
  ///
  /// The original is `-stopNotifier`.
  public func stopNotifier() {
    runLoops.withLock { runLoops in
      guard !runLoops.isEmpty else { return }
      for runLoop in runLoops { runLoop.unschedule(target) }
      runLoops = []
      target.setHandler(nil)
    }
  }

  /// Returns the current status of the target.
  ///
  /// It never waits for a network. While the notifier does not run, a host has the status of the default route.
  ///
  /// - Returns: The status; ``NetworkStatus/notReachable`` also if the system cannot be queried.
  ///
  /// The original is `-currentReachabilityStatus`.
  public func currentReachabilityStatus() -> NetworkStatus {
    let flags = target.flags ?? []
    flags.printIfWanted(isLocalWiFi ? "localWiFiStatusForFlags" : "networkStatusForFlags")
    return isLocalWiFi ? NetworkStatus(localWiFi: flags) : NetworkStatus(flags)
  }

  /// Returns whether a connection must be established first, such as an on-demand VPN.
  ///
  /// The original is `-connectionRequired`.
  public func connectionRequired() -> Bool {
    target.flags?.contains(.connectionRequired) == true
  }

  private func postChange() {
    NotificationCenter.default.post(name: kReachabilityChangedNotification, object: self)
  }
}
#endif
