#if !os(watchOS)
import Dispatch
public import Foundation
import Synchronization
public import SystemConfiguration

/// What is called with an instance when its target becomes reachable.
///
/// The original is `NetworkReachable`.
public typealias NetworkReachable = @Sendable (Reachability?) -> Void

/// What is called with an instance when its target ceases to be reachable.
///
/// The original is `NetworkUnreachable`.
public typealias NetworkUnreachable = @Sendable (Reachability?) -> Void

/// What is called with an instance and an event's flags, as a number.
///
/// The original is `NetworkReachability`.
public typealias NetworkReachability = @Sendable (Reachability?, SCNetworkConnectionFlags) -> Void

/// Tells whether a host, an address or anything at all can be reached, and calls blocks when that changes; tonymillion's
/// class.
///
/// ```swift
/// let reachability = Reachability.forInternetConnection()
/// reachability?.reachableBlock = { _ in print("reachable") }
/// reachability?.unreachableBlock = { _ in print("not reachable") }
/// reachability?.startNotifier()
/// ```
///
/// Keep the instance: it stops with its last reference, while the original's kept itself for ever once it was started.
/// All of it is safe to use from any thread.
///
/// The original is tonymillion's `Reachability`, version 3.7.7.
public final class Reachability: NSObject, Sendable {
  private struct State: Sendable {
    /// The number of the period that lasts now, `nil` while it is stopped.
    var period: UInt64?
    var lastPeriod: UInt64 = 0
    var reachableOnWWAN = true
    var listeners = Listeners()
  }

  private let target: SystemTarget
  private let queue = DispatchQueue(label: "com.tonymillion.reachability")
  private let state = Mutex(State())

  init(_ target: SystemTarget) {
    self.target = target
  }

  deinit {
    stopNotifier()
  }

  // MARK: What is told

  /// What is called when the target becomes reachable, or reachable over a link of the other kind.
  ///
  /// It is called on a queue of the instance's own, in the background, once for each status: the original calls it for
  /// every event of the system. The original is `reachableBlock`.
  public var reachableBlock: NetworkReachable? {
    get { state.withLock { $0.listeners.reachable } }
    set { replace(\.reachable, newValue) }
  }

  /// What is called when the target ceases to be reachable.
  ///
  /// It is called on a queue of the instance's own, in the background, once until the target is reachable again: the
  /// original calls it for every event of the system. The original is `unreachableBlock`.
  public var unreachableBlock: NetworkUnreachable? {
    get { state.withLock { $0.listeners.unreachable } }
    set { replace(\.unreachable, newValue) }
  }

  /// What is called for every event of the system, after one of the other two: also if only the interface is another.
  ///
  /// It is called on a queue of the instance's own, in the background. The original is `reachabilityBlock`.
  public var reachabilityBlock: NetworkReachability? {
    get { state.withLock { $0.listeners.general } }
    set { replace(\.general, newValue) }
  }

  /// Adds an observer that is called for every event of the system, after the blocks; there may be any number.
  ///
  /// It is called on a queue of the instance's own, in the background. Not in the original.
  ///
  /// - Parameter block: What to call, with the instance and the event's flags.
  /// - Returns: The observation, which ends when it is cancelled or let go.
  public func addReachabilityObserver(
    _ block: @escaping @Sendable (Reachability, SCNetworkReachabilityFlags) -> Void
  ) -> TMReachabilityObservation {
    TMReachabilityObservation(self, state.withLock { $0.listeners.add(block) })
  }

  func removeObserver(_ id: UInt64) {
    let old = state.withLock { $0.listeners.remove(id) }
    _ = consume old
  }

  /// Sets a block; the old one goes where no lock is held, since its end may be the program's own code.
  private func replace<Block: Sendable>(_ slot: WritableKeyPath<Listeners, Block> & Sendable, _ block: Block)
  {
    let old = state.withLock { state in
      defer { state.listeners[keyPath: slot] = block }
      return state.listeners[keyPath: slot]
    }
    _ = consume old
  }

  /// Whether a cellular link is good enough; `true` at first.
  ///
  /// It matters to ``isReachable()``, ``currentReachabilityStatus()`` and the two status blocks only. The original is
  /// `reachableOnWWAN`.
  public var reachableOnWWAN: Bool {
    get { state.withLock { $0.reachableOnWWAN } }
    set { state.withLock { $0.reachableOnWWAN = newValue } }
  }

  // MARK: Starting and stopping

  /// Begins to call the blocks and to post ``kReachabilityChangedNotification``.
  ///
  /// How things stand now is told by the system for hosts only; for others, ask. Where it runs already, nothing happens.
  ///
  /// - Returns: Whether it runs; `false` if the kernel can't be asked, or if somebody else has scheduled the target that
  ///   this instance was made of, who then is told as before.
  ///
  /// The original is `-startNotifier`.
  @discardableResult
  public func startNotifier() -> Bool {
    state.withLock { state in
      guard state.period == nil else { return true }
      let period = state.lastPeriod + 1
      // Held by the system instead of the instance, so that the instance can go.
      let handler = EventHandler { [weak self] flags in self?.tell(flags, in: period) }
      guard target.start(on: queue, handler) else { return false }
      state.lastPeriod = period
      state.period = period
      state.listeners.begin()
      return true
    }
  }

  /// Ceases to call the blocks and to post the notification.
  ///
  /// A block that runs just now runs to its end, and the notification after it comes. The original is `-stopNotifier`.
  public func stopNotifier() {
    state.withLock { state in
      guard state.period.take() != nil else { return }
      target.stop()
    }
  }

  /// Tells an event; what it means follows from its own flags.
  private func tell(_ flags: SCNetworkReachabilityFlags, in period: UInt64) {
    let calls = state.withLock { state -> Listeners.Calls? in
      guard state.period == period else { return nil }
      return state.listeners.calls(for: flags.status(onWWAN: state.reachableOnWWAN))
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

  /// Reads the flags now; none if the kernel can't be asked.
  ///
  /// It never waits for a network. The original is `-reachabilityFlags`.
  public func reachabilityFlags() -> SCNetworkReachabilityFlags {
    target.flags
  }

  /// The instance with its flags, such as `<Reachability: 0x… (-R ------d)>`.
  ///
  /// The original is `-description`.
  public override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<Reachability: 0x\(address) (\(currentReachabilityFlags()))>"
  }
}
#endif
