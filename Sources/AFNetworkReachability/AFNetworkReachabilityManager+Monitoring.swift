#if !os(watchOS)
import ClassicReachability
import Dispatch
import Foundation

extension AFNetworkReachabilityManager {
  /// Starts monitoring, with the current status as the first event.
  ///
  /// A second start first stops the manager. It never blocks. The first event arrives once the system has answered and
  /// the main queue is free, or not at all if the system cannot determine the status.
  ///
  /// The original is `-startMonitoring`. It schedules on the main run loop, this on a private queue.
  public func startMonitoring() {
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
  public func stopMonitoring() {
    guard let target else { return }
    state.withLock { state in
      guard let period = state.period.take() else { return }
      TargetObservers.shared.remove(period, from: target)
    }
  }

  /// Sets the block that is called on the main queue for each event, after the status is set; `nil` removes it.
  ///
  /// It replaces an earlier block. Setting it does not call it.
  ///
  /// The original is `-setReachabilityStatusChangeBlock:`.
  public func setReachabilityStatusChange(
    _ block: (@MainActor @Sendable (AFNetworkReachabilityStatus) -> Void)?
  ) {
    set(block, at: 0)
  }

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
