// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import ClassicReachability
import Dispatch
import Synchronization
import SystemConfiguration

/// The periods that observe each target.
///
/// A target has room for one callback and one queue. All its observers share them here, so that managers of one target
/// do not displace each other.
final class TargetObservers: Sendable {
  static let shared = TargetObservers()

  private struct Entry {
    let target: SystemTarget
    var periods: [Period] = []
    var isOnQueue = false
    /// The last known flags.
    var flags: SCNetworkReachabilityFlags?
    /// Whether the next callback may repeat the answer to the first query.
    var mayRepeat = false
  }

  /// The queue that starts, queries and stops targets, in this order for each, and receives their callbacks.
  private let queue = DispatchQueue(label: "AFNetworkReachability")
  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// Delivers a target's flags to a period, beginning with the current ones.
  ///
  /// Never blocks.
  func add(_ period: Period, to target: SystemTarget) {
    queue.async { [self] in
      let id = ObjectIdentifier(target.reference)
      let isFirst = entries.withLock { entries in
        let isFirst = entries[id] == nil
        entries[id, default: Entry(target: target)].periods.append(period)
        return isFirst
      }
      if isFirst {
        // The handler holds the identity only, so that the target does not keep itself alive.
        target.setHandler { [self] in deliver($0, of: id) }
        // The system refuses the queue if the target's owner has already scheduled it. The callback works all the same.
        let first = target.readAndSchedule(on: queue)
        entries.withLock { entries in
          entries[id]?.isOnQueue = first.isScheduled
          entries[id]?.flags = first.flags
          entries[id]?.mayRepeat = first.isScheduled && first.mayRepeat
        }
      }
      // A second read might cancel the callback that repeats the first.
      if let flags = entries.withLock({ $0[id]?.flags }) ?? target.flags { period.record(flags) }
    }
  }

  /// Ends the delivery to a period.
  ///
  /// Never blocks; a call that has begun may still arrive.
  func remove(_ period: Period, from target: SystemTarget) {
    queue.async { [self] in
      let id = ObjectIdentifier(target.reference)
      let ended = entries.withLock { entries -> Entry? in
        entries[id]?.periods.removeAll { $0 === period }
        guard entries[id]?.periods.isEmpty == true else { return nil }
        return entries.removeValue(forKey: id)
      }
      guard let ended else { return }
      if ended.isOnQueue { target.setQueue(nil) }
      target.setHandler(nil)
    }
  }

  private func deliver(_ flags: SCNetworkReachabilityFlags, of id: ObjectIdentifier) {
    let (periods, mayRepeat) = entries.withLock { entries in
      defer {
        entries[id]?.flags = flags
        entries[id]?.mayRepeat = false
      }
      return (entries[id]?.periods ?? [], entries[id]?.mayRepeat == true)
    }
    for period in periods { period.record(flags, mayRepeat: mayRepeat) }
  }
}
#endif

/// The observation of a manager by a block, which ends when it is cancelled or released.
///
/// It does not keep the manager alive. Safe to use from any thread.
public final class AFNetworkReachabilityObservation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  /// Ends the observation.
  ///
  /// Called on the main queue, it prevents all further calls of the block. Called on another thread, it lets a running
  /// call complete. It may be called from the block, and more than once.
  public func cancel() {
    end()
  }

  deinit {
    end()
  }
}

#if !os(watchOS)
/// The time from a manager's start to its stop.
///
/// Each start creates one. Its identity separates its events from those of earlier and later starts.
final class Period: Sendable {
  private let last = Mutex<AFNetworkReachabilityStatus?>(nil)
  private let handler: @Sendable (Period, AFNetworkReachabilityStatus) -> Void

  /// Begins a period.
  ///
  /// - Parameter handler: Receives the status of each event.
  init(_ handler: @escaping @Sendable (Period, AFNetworkReachabilityStatus) -> Void) {
    self.handler = handler
  }

  /// Takes the target's flags.
  ///
  /// - Parameter mayRepeat: Whether the event may repeat the answer to the first query. It is then discarded if its
  ///   status is equal.
  func record(_ flags: SCNetworkReachabilityFlags, mayRepeat: Bool = false) {
    let status = AFNetworkReachabilityStatus(flags)
    let isRepeated = last.withLock { last in
      defer { last = status }
      return mayRepeat && last == status
    }
    if !isRepeated { handler(self, status) }
  }
}
#endif
