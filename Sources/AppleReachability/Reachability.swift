// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import ClassicReachability
import Synchronization
import SystemConfiguration
public import Foundation

/// The reachability of a host, an address or the default route, as in Apple's sample code.
///
/// ```swift
/// let reachability = Reachability.forInternetConnection()
/// let token = NotificationCenter.default.addObserver(
///   forName: .reachabilityChanged, object: reachability, queue: nil
/// ) { notification in
///   guard let reachability = notification.object as? Reachability else { return }
///   if reachability.currentReachabilityStatus() == NotReachable { print("no connection") }
/// }
/// reachability?.startNotifier()
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

extension Reachability {
  /// Creates an instance for an address.
  ///
  /// The address is copied; its port is ignored.
  ///
  /// - Returns: `nil` if the address is neither IPv4 nor IPv6.
  ///
  /// The original is `+reachabilityWithAddress:`, under the name of its argument.
  public convenience init!(hostAddress: UnsafePointer<sockaddr>) {
    guard let target = unsafe SystemTarget(hostAddress) else { return nil }
    self.init(target)
  }

  /// Creates an instance for an address; the same as ``init(hostAddress:)``.
  ///
  /// The original is `+reachabilityWithAddress:`, under the name that Swift imports.
  public convenience init!(address: UnsafePointer<sockaddr>) {
    unsafe self.init(hostAddress: address)
  }
}

extension NetworkStatus {
  /// Creates a status from flags, by the rules of the sample.
  ///
  /// A target is reachable without a connection, or with one that needs no user intervention. A cellular link counts
  /// even if its connection is still required.
  init(_ flags: SCNetworkReachabilityFlags) {
    let connectsItself = !flags.isDisjoint(with: [.connectionOnDemand, .connectionOnTraffic])
    let needsUser = flags.contains(.interventionRequired)
    self = .notReachable
    guard flags.contains(.reachable) else { return }
    if !flags.contains(.connectionRequired) || (connectsItself && !needsUser) { self = .reachableViaWiFi }
    if flags.isOverWWAN { self = .reachableViaWWAN }
  }

  /// Creates a status from the flags of a link-local address, which show whether there is a local network.
  init(localWiFi flags: SCNetworkReachabilityFlags) {
    self = flags.showLocalNetwork ? .reachableViaWiFi : .notReachable
  }
}

// The spellings of Objective-C, so that the compiler names their replacements in code that was translated word by word.
extension Reachability {
  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostName:)")
  public static func reachabilityWithHostName(_ hostName: String) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostAddress:)")
  public static func reachabilityWithAddress(_ hostAddress: UnsafePointer<sockaddr>) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forInternetConnection()")
  public static func reachabilityForInternetConnection() -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forLocalWiFi()")
  public static func reachabilityForLocalWiFi() -> Reachability! { nil }
}

/// Whether each read of a status prints its flags; `false` by default.
///
/// Safe to use from any thread. The original is `kShouldPrintReachabilityFlags`, a constant at the top of the sample's
/// file.
public var kShouldPrintReachabilityFlags: Bool {
  get { shouldPrint.load(ordering: .relaxed) }
  set { shouldPrint.store(newValue, ordering: .relaxed) }
}

private let shouldPrint = Atomic(false)

extension SCNetworkReachabilityFlags {
  /// One character for each flag, `-` where it is not set, such as `-R -----l-`.
  var text: String { text("WR tcCiDld") }

  /// Prints the flags with a comment if ``kShouldPrintReachabilityFlags`` is set.
  func printIfWanted(_ comment: String) {
    guard kShouldPrintReachabilityFlags else { return }
    NSLog("%@", "Reachability Flag Status: \(text) \(comment)")
  }
}

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
