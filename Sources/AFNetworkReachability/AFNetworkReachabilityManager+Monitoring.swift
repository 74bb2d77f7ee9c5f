#if !os(watchOS)
import Dispatch
import Foundation

extension AFNetworkReachabilityManager {
  /// Begins to follow the network, and tells how it is now as the first event.
  ///
  /// If it is followed already, that ends before. It never waits; the first event comes as soon as the system has answered
  /// and the main queue is free, and does not come if the system cannot tell.
  ///
  /// The original is `-startMonitoring`. It schedules on the main run loop, this on a queue of its own.
  public func startMonitoring() {
    guard let reference else { return }
    let period = Period { [weak self] period, status in
      DispatchQueue.main.async { [weak self] in self?.deliver(status, of: period) }
    }
    state.withLock { state in
      // Nothing waits here. Under the lock the two come in the order of the calls, whichever threads make them.
      if let old = state.period { Followers.shared.remove(old, from: reference) }
      Followers.shared.add(period, to: reference)
      state.period = period
    }
  }

  /// Ceases to follow the network; the status stays.
  ///
  /// After a call on the main queue nothing more is told, not even the rest of an event whose block called this. After a
  /// call on another thread, a block or an observer of a notification that runs already runs to its end.
  ///
  /// The original is `-stopMonitoring`, after which the answer to the first query may still come.
  public func stopMonitoring() {
    guard let reference else { return }
    state.withLock { state in
      guard let period = state.period.take() else { return }
      Followers.shared.remove(period, from: reference)
    }
  }

  /// Sets the block that is called on the main queue at each event, after the status was set; `nil` for none.
  ///
  /// There is room for one: it takes the place of the block before. It is not called at once.
  ///
  /// The original is `-setReachabilityStatusChangeBlock:`.
  public func setReachabilityStatusChange(
    _ block: (@MainActor @Sendable (AFNetworkReachabilityStatus) -> Void)?
  ) {
    set(block, at: 0)
  }

  /// Adds a block that is called on the main queue at each event, after the status was set.
  ///
  /// Any number of them may be added; they are called in this order, after the one of
  /// ``setReachabilityStatusChange(_:)``. It is not called at once: ``networkReachabilityStatus`` tells how it is.
  ///
  /// - Returns: A token; the observation ends when it is cancelled, or when nobody holds it any more.
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
    // The old block goes outside of the lock, since the end of what it holds is the program's own code.
    var block = block
    state.withLock { swap(&$0.blocks[place], &block) }
  }

  /// Tells all that an event is about, on the main queue, until a stop or another start comes between.
  @MainActor private func deliver(_ status: AFNetworkReachabilityStatus, of period: Period) {
    guard isIn(period) else { return }
    setStatus(status)
    for place in state.withLock({ $0.blocks.keys.sorted() }) where isIn(period) {
      // It may have been taken away meanwhile, by another block.
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
