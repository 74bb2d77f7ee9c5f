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
      if let flags = entries.withLock({ $0[id]?.flags }) ?? target.flags { period.note(flags) }
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
    for period in periods { period.note(flags, mayRepeat: mayRepeat) }
  }
}
#endif
