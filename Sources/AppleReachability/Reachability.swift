#if !os(watchOS)
public import Foundation
import Synchronization

/// Tells whether a host, an address or anything at all can be reached, and over what; Apple's sample class.
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
/// A status is read whenever it is asked for. Changes are told by a notification on the thread whose run loop was the
/// current one when ``startNotifier()`` was called, and only there; that thread must run its run loop in the default mode.
/// Whoever wants to know how things stand asks after starting, since nothing need ever change.
///
/// Otherwise than in the original: the instance may go at any time, also while a notification is due; it stops with its
/// last reference. ``stopNotifier()`` stops from any thread, and starting twice is starting once. All of it is safe to use
/// from any thread.
///
/// The original is Apple's sample code "Reachability", version 5.
public final class Reachability: NSObject, Sendable {
  private let target: SystemTarget
  /// Whether the target is a link-local address, which is read in its own way.
  private let isLocalWiFi: Bool
  /// Where changes are told: the run loops of all starts since the last stop.
  private let runLoops = Mutex<[SystemRunLoop]>([])

  init(_ target: SystemTarget, isLocalWiFi: Bool = false) {
    self.target = target
    self.isLocalWiFi = isLocalWiFi
  }

  /// Makes an instance for a host.
  ///
  /// - Parameter hostName: The host's name, not a URL. It is looked up once the notifier runs.
  /// - Returns: `nil` if the name is empty.
  ///
  /// The original is `+reachabilityWithHostName:`.
  public convenience init!(hostName: String) {
    guard let target = SystemTarget(name: hostName) else { return nil }
    self.init(target)
  }

  /// Makes an instance for the default route, by IPv4 or IPv6.
  ///
  /// The original is `+reachabilityForInternetConnection`.
  public static func forInternetConnection() -> Reachability! {
    SystemTarget(ipv4: 0).map { Reachability($0) }
  }

  /// Makes an instance for the local network.
  ///
  /// Its status is never that of a cellular link. The original is `+reachabilityForLocalWiFi`, of version 3.5 and before.
  public static func forLocalWiFi() -> Reachability! {
    SystemTarget(ipv4: 0xa9fe_0000).map { Reachability($0, isLocalWiFi: true) }
  }

  deinit {
    stopNotifier()
  }

  /// Begins to post ``kReachabilityChangedNotification`` on the thread of the current run loop.
  ///
  /// Where it runs on this run loop already, nothing happens. Started on the run loops of two threads, each change is
  /// told on one of them.
  ///
  /// - Returns: Whether it runs; `false` if the kernel can't be asked.
  ///
  /// The original is `-startNotifier`.
  @discardableResult
  public func startNotifier() -> Bool {
    let current = SystemRunLoop.current
    return runLoops.withLock { runLoops in
      if runLoops.contains(current) { return true }
      if runLoops.isEmpty {
        // Held by the system instead of the instance, so that the instance can go.
        let handler = ChangeHandler { [weak self] in self?.postChange() }
        guard target.setHandler(handler) else { return false }
      }
      guard target.schedule(on: current) else {
        if runLoops.isEmpty { _ = target.setHandler(nil) }
        return false
      }
      runLoops.append(current)
      return true
    }
  }

  /// Ceases to post the notification.
  ///
  /// It may be called on any thread. A notification that is just being posted on another one is posted to its end; no
  /// other begins. The original is `-stopNotifier`.
  public func stopNotifier() {
    runLoops.withLock { runLoops in
      guard !runLoops.isEmpty else { return }
      for runLoop in runLoops { target.unschedule(from: runLoop) }
      runLoops = []
      _ = target.setHandler(nil)
    }
  }

  /// Reads how the target can be reached now.
  ///
  /// It never waits for a network. A host whose notifier does not run is as reachable as the default route.
  ///
  /// - Returns: The status; not reachable also if the kernel can't be asked.
  ///
  /// The original is `-currentReachabilityStatus`.
  public func currentReachabilityStatus() -> NetworkStatus {
    let flags = target.flags
    flags.printIfWanted(isLocalWiFi ? "localWiFiStatusForFlags" : "networkStatusForFlags")
    return isLocalWiFi ? NetworkStatus(localWiFi: flags) : NetworkStatus(flags)
  }

  /// Reads whether a connection must be made first, as for a VPN on demand.
  ///
  /// The original is `-connectionRequired`.
  public func connectionRequired() -> Bool {
    target.flags.contains(.connectionRequired)
  }

  private func postChange() {
    NotificationCenter.default.post(name: kReachabilityChangedNotification, object: self)
  }
}
#endif
