// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import ClassicReachability
import Dispatch
import Synchronization
public import Foundation
public import SystemConfiguration

/// A block that receives the instance when its target becomes reachable.
///
/// The original is `NetworkReachable`.
public typealias NetworkReachable = @Sendable (Reachability?) -> Void

/// A block that receives the instance when its target becomes unreachable.
///
/// The original is `NetworkUnreachable`.
public typealias NetworkUnreachable = @Sendable (Reachability?) -> Void

/// A block that receives the instance and an event's flags, as a number.
///
/// The original is `NetworkReachability`.
public typealias NetworkReachability = @Sendable (Reachability?, SCNetworkConnectionFlags) -> Void

/// The reachability of a host, an address or the default route, with blocks for its changes, as in tonymillion's class.
///
/// ```swift
/// let reachability = Reachability.forInternetConnection()
/// reachability?.reachableBlock = { _ in print("reachable") }
/// reachability?.unreachableBlock = { _ in print("not reachable") }
/// reachability?.startNotifier()
/// ```
///
/// A started instance keeps itself and its blocks alive until ``stopNotifier()``, as the original does, so a local
/// variable is enough. An instance that is no longer needed must be stopped, for example by its block. All members are
/// safe to use from any thread.
///
/// The original is tonymillion's `Reachability`, version 3.7.7.
public final class Reachability: NSObject, Sendable {
  private struct State: Sendable {
    /// The number of the current period, `nil` while the notifier is stopped.
    var period: UInt64?
    var lastPeriod: UInt64 = 0
    /// The instance itself while the notifier runs.
    var started: Reachability?
    var reachableOnWWAN = true
    var handlers = EventHandlers()
  }

  private let target: SystemTarget
  /// Whether the target is a link-local address, whose flags count only if they show a local network.
  private let isLocalWiFi: Bool
  private let queue = DispatchQueue(label: "com.tonymillion.reachability")
  private let state = Mutex(State())

  init(_ target: SystemTarget, isLocalWiFi: Bool = false) {
    self.target = target
    self.isLocalWiFi = isLocalWiFi
  }

  // MARK: Blocks and observers

  /// The block for a target that becomes reachable, or reachable over a link of the other kind.
  ///
  /// It is called once for each status, on a background queue that belongs to the instance. The original calls it for
  /// every event of the system. The original is `reachableBlock`.
  public var reachableBlock: NetworkReachable? {
    get { state.withLock { $0.handlers.reachable } }
    set { replace(\.reachable, newValue) }
  }

  /// The block for a target that becomes unreachable.
  ///
  /// It is called once until the target is reachable again, on a background queue that belongs to the instance. The
  /// original calls it for every event of the system. The original is `unreachableBlock`.
  public var unreachableBlock: NetworkUnreachable? {
    get { state.withLock { $0.handlers.unreachable } }
    set { replace(\.unreachable, newValue) }
  }

  /// The block for every event of the system, even if only the interface differs.
  ///
  /// It is called after a status block, on a background queue that belongs to the instance. The original is
  /// `reachabilityBlock`.
  public var reachabilityBlock: NetworkReachability? {
    get { state.withLock { $0.handlers.general } }
    set { replace(\.general, newValue) }
  }

  /// Adds an observer of every event of the system, in any number.
  ///
  /// It is called after the blocks, on a background queue that belongs to the instance. Not in the original.
  ///
  /// - Parameter block: The block, which receives the instance and the event's flags.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func addReachabilityObserver(
    _ block: @escaping @Sendable (Reachability, SCNetworkReachabilityFlags) -> Void
  ) -> TMReachabilityObservation {
    TMReachabilityObservation(self, state.withLock { $0.handlers.add(block) })
  }

  func removeObserver(_ id: UInt64) {
    let old = state.withLock { $0.handlers.remove(id) }
    _ = consume old
  }

  /// Sets a block.
  ///
  /// The old one is released outside the lock, since its release may run the program's own code.
  private func replace<Block: Sendable>(
    _ slot: WritableKeyPath<EventHandlers, Block> & Sendable, _ block: Block
  ) {
    let old = state.withLock { state in
      defer { state.handlers[keyPath: slot] = block }
      return state.handlers[keyPath: slot]
    }
    _ = consume old
  }

  /// Whether a target over a cellular link counts as reachable; `true` by default.
  ///
  /// Affects ``isReachable()``, ``currentReachabilityStatus()`` and the two status blocks only. The original is
  /// `reachableOnWWAN`.
  public var reachableOnWWAN: Bool {
    get { state.withLock { $0.reachableOnWWAN } }
    set { state.withLock { $0.reachableOnWWAN = newValue } }
  }

  // MARK: Starting and stopping

  /// Starts calling the blocks and posting ``kReachabilityChangedNotification``.
  ///
  /// The instance stays alive until ``stopNotifier()``, even without a reference to it. Only a host receives an event
  /// for its current status; read the status of other targets. Has no effect if the notifier already runs.
  ///
  /// - Returns: Whether the notifier runs; `false` if the system cannot be queried, or if the target passed to
  ///   ``init(reachabilityRef:)`` is already scheduled. Its earlier owner then keeps receiving events.
  ///
  /// The original is `-startNotifier`.
  @discardableResult
  public func startNotifier() -> Bool {
    state.withLock { state in
      guard state.period == nil else { return true }
      let period = state.lastPeriod + 1
      guard
        target.start(
          on: queue,
          { [weak self] flags in
            guard let self else { return }
            deliver(counted(flags), in: period)
          })
      else { return false }
      state.lastPeriod = period
      state.period = period
      state.started = self
      state.handlers.begin()
      return true
    }
  }

  /// Stops calling the blocks and posting the notification.
  ///
  /// A running block completes, and the notification after it is posted. The instance is then released with its last
  /// reference. The original is `-stopNotifier`.
  public func stopNotifier() {
    let started = state.withLock { state -> Reachability? in
      guard state.period.take() != nil else { return nil }
      target.stop()
      return state.started.take()
    }
    // Released outside the lock, which belongs to the instance.
    _ = consume started
  }

  /// Delivers an event, whose own flags give its status.
  private func deliver(_ flags: SCNetworkReachabilityFlags, in period: UInt64) {
    let calls = state.withLock { state -> EventHandlers.Calls? in
      guard state.period == period else { return nil }
      return state.handlers.calls(for: flags.status(onWWAN: state.reachableOnWWAN))
    }
    guard let calls else { return }
    calls.status?(self)
    calls.general?(self, flags.rawValue)
    for observer in calls.observers { observer(self, flags) }
    DispatchQueue.main.async {
      NotificationCenter.default.post(name: kReachabilityChangedNotification, object: self)
    }
  }

  // MARK: Reading

  /// Returns the current flags; none if the system cannot be queried.
  ///
  /// It never waits for a network. The original is `-reachabilityFlags`.
  public func reachabilityFlags() -> SCNetworkReachabilityFlags {
    counted(target.flags ?? [])
  }

  private func counted(_ flags: SCNetworkReachabilityFlags) -> SCNetworkReachabilityFlags {
    isLocalWiFi && !flags.showLocalNetwork ? [] : flags
  }

  /// The instance with its flags, such as `<Reachability: 0x… (-R ------d)>`.
  ///
  /// The original is `-description`.
  public override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<Reachability: 0x\(address) (\(currentReachabilityFlags()))>"
  }
}

extension Reachability {
  /// Creates an instance for a host.
  ///
  /// - Parameter hostname: The host's name, not a URL. It is looked up while the notifier runs.
  /// - Returns: `nil` if the name is empty.
  ///
  /// The original is `+reachabilityWithHostname:`.
  public convenience init!(hostname: String) {
    guard let target = SystemTarget(name: hostname) else { return nil }
    self.init(target)
  }

  /// Creates an instance for a host; the same as ``init(hostname:)``.
  ///
  /// The original is `+reachabilityWithHostName:`.
  public convenience init!(hostName: String) {
    self.init(hostname: hostName)
  }

  /// Creates an instance for a URL's host: a name, an IPv4 address or an IPv6 address.
  ///
  /// The original treats an IPv6 address as a name.
  ///
  /// - Returns: `nil` if the URL has no host.
  ///
  /// The original is `+reachabilityWithURL:`.
  public convenience init!(url: URL) {
    guard let host = url.host(percentEncoded: false) else { return nil }
    self.init(hostname: host)
  }

  /// Creates an instance for an address.
  ///
  /// - Parameter hostAddress: A `sockaddr_in` or `sockaddr_in6`. It is copied; its port is ignored.
  /// - Returns: `nil` if the address is neither IPv4 nor IPv6.
  ///
  /// The original is `+reachabilityWithAddress:`.
  public convenience init!(address hostAddress: UnsafeMutableRawPointer) {
    let address = unsafe UnsafePointer(hostAddress.assumingMemoryBound(to: sockaddr.self))
    guard let target = unsafe SystemTarget(address) else { return nil }
    self.init(target)
  }

  /// Creates an instance for an existing `SCNetworkReachability`.
  ///
  /// Only one of several instances with the same target runs at a time. The original is `-initWithReachabilityRef:`.
  public convenience init!(reachabilityRef: SCNetworkReachability) {
    self.init(SystemTarget(reachabilityRef))
  }

  /// Creates an instance for the default route, over IPv4 or IPv6.
  ///
  /// The original is `+reachabilityForInternetConnection`.
  public static func forInternetConnection() -> Reachability! {
    SystemTarget(ipv4: 0).map { Reachability($0) }
  }

  /// Creates an instance for the local network, over Wi-Fi or a cable.
  ///
  /// It has no flags while there is none: a tunnel or a cellular link alone is no local network. The original is `+reachabilityForLocalWiFi`.
  public static func forLocalWiFi() -> Reachability! {
    SystemTarget(ipv4: 0xa9fe_0000).map { Reachability($0, isLocalWiFi: true) }
  }
}
#endif
