// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import ClassicReachability
import Dispatch
import Observation
import Synchronization
public import Foundation
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
/// The original is `AFNetworkReachabilityManager`.
// Safe to share: its properties are constants, or in a Mutex. A subclass answers for its own.
open class AFNetworkReachabilityManager: NSObject, @unchecked Sendable {
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

  /// Creates a manager of an existing reference: the designated initializer.
  ///
  /// While the manager monitors, it owns the reference's callback and queue, so set none. Several managers of one
  /// reference share them.
  ///
  /// The original is `-initWithReachability:`, where the manager that starts last displaces the others.
  public init(reachability: SCNetworkReachability) {
    target = reachability === SystemTarget.refused?.reference ? nil : SystemTarget(reachability)
    super.init()
  }

  /// Creates a manager of a target, or one that stays unknown for a target that the system refused.
  private convenience init(of target: SystemTarget?) {
    guard let target = target ?? SystemTarget.refused else {
      preconditionFailure("the system refuses a reference for a name")
    }
    self.init(reachability: target.reference)
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

  /// Returns the shared manager of the default path.
  ///
  /// The original is `+sharedManager`.
  open class func shared() -> AFNetworkReachabilityManager {
    sharedInstance
  }

  private static let sharedInstance = AFNetworkReachabilityManager()

  deinit {
    stop()
  }

  /// Starts monitoring, with the current status as the first event.
  ///
  /// A second start first stops the manager. It never blocks. The first event arrives once the system has answered and
  /// the main queue is free, or not at all if the system cannot determine the status.
  ///
  /// The original is `-startMonitoring`. It schedules on the main run loop, this on a private queue.
  open func startMonitoring() {
    guard let target else { return }
    let period = Period { [weak self] period, status in
      DispatchQueue.main.async { [weak self] in self?.deliver(status, of: period) }
    }
    state.withLock { state in
      // Neither call blocks. The lock keeps them in the order of starts and stops on all threads.
      if let old = state.period { TargetObservers.shared.remove(old, from: target) }
      TargetObservers.shared.add(period, to: target)
      state.period = period
    }
  }

  /// Stops monitoring; the status does not change.
  ///
  /// Called on the main queue, it ends all delivery, even the rest of an event whose block calls it. Called on another
  /// thread, it lets a running block or observer of a notification complete.
  ///
  /// The original is `-stopMonitoring`, after which the answer to the first query may still arrive.
  open func stopMonitoring() {
    stop()
  }

  /// Sets the block that is called on the main queue for each event, after the status is set; `nil` removes it.
  ///
  /// It replaces an earlier block. Setting it does not call it.
  ///
  /// The original is `-setReachabilityStatusChangeBlock:`.
  open func setReachabilityStatusChange(
    _ block: (@MainActor @Sendable (AFNetworkReachabilityStatus) -> Void)?
  ) {
    set(block, at: 0)
  }
}

extension AFNetworkReachabilityManager {
  /// Adds a block that is called on the main queue for each event, after the status is set.
  ///
  /// Blocks are called in the order in which they were added, after the one of ``setReachabilityStatusChange(_:)``.
  /// Adding a block does not call it: ``networkReachabilityStatus`` is the current status.
  ///
  /// - Returns: The observation, which ends when it is cancelled or released.
  ///
  /// The original has no such method.
  public func addReachabilityStatusChangeObserver(
    _ block: @escaping @MainActor @Sendable (AFNetworkReachabilityStatus) -> Void
  ) -> AFNetworkReachabilityObservation {
    let place = state.withLock { state in
      state.lastObserver += 1
      return state.lastObserver
    }
    set(block, at: place)
    return AFNetworkReachabilityObservation { [weak self] in self?.set(nil, at: place) }
  }

  private func stop() {
    guard let target else { return }
    state.withLock { state in
      guard let period = state.period.take() else { return }
      TargetObservers.shared.remove(period, from: target)
    }
  }

  private func set(_ block: Block?, at place: Int) {
    // The old block is released outside the lock, since its release may run the program's own code.
    var block = block
    state.withLock { swap(&$0.blocks[place], &block) }
  }

  /// Delivers an event on the main queue, until a stop or another start intervenes.
  @MainActor private func deliver(_ status: AFNetworkReachabilityStatus, of period: Period) {
    guard isIn(period) else { return }
    setStatus(status)
    for place in state.withLock({ $0.blocks.keys.sorted() }) where isIn(period) {
      // Another block may have removed it meanwhile.
      let block = state.withLock { $0.blocks[place] }
      block?(status)
    }
    guard isIn(period) else { return }
    NotificationCenter.default.post(
      name: .AFNetworkingReachabilityDidChange, object: self,
      userInfo: [AFNetworkingReachabilityNotificationStatusItem: NSNumber(value: status.rawValue)])
  }

  private func isIn(_ period: Period) -> Bool {
    state.withLock { $0.period === period }
  }
}
#endif
