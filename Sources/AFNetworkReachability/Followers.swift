#if !os(watchOS)
import Dispatch
import Synchronization
import SystemConfiguration

/// Who follows which references.
///
/// A reference has room for one callback and one queue. Here they are shared by all who follow it, so that managers of one
/// reference do not displace each other.
final class Followers: Sendable {
  static let shared = Followers()

  private struct Entry {
    let reference: Reference
    var periods: [Period] = []
    var isOnQueue = false
  }

  /// Where references are begun, asked and ended, in this order for each, and where their callbacks come.
  private let queue = DispatchQueue(label: "AFNetworkReachability")
  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// Begins to tell a period of a reference's flags, first of those that it has now.
  ///
  /// Returns at once.
  func add(_ period: Period, to reference: Reference) {
    queue.async { [self] in
      let isFirst = entries.withLock { entries in
        let isFirst = entries[reference.id] == nil
        entries[reference.id, default: Entry(reference: reference)].periods.append(period)
        return isFirst
      }
      if isFirst {
        let isOnQueue = reference.beginTelling(on: queue)
        entries.withLock { $0[reference.id]?.isOnQueue = isOnQueue }
      }
      if let flags = reference.flags { period.note(flags) }
    }
  }

  /// Ceases to tell a period.
  ///
  /// Returns at once; a call that is on its way may still come.
  func remove(_ period: Period, from reference: Reference) {
    queue.async { [self] in
      let ended = entries.withLock { entries -> Entry? in
        entries[reference.id]?.periods.removeAll { $0 === period }
        guard entries[reference.id]?.periods.isEmpty == true else { return nil }
        return entries.removeValue(forKey: reference.id)
      }
      ended?.reference.endTelling(isOnQueue: ended?.isOnQueue == true)
    }
  }

  /// Passes on what the system tells; of a reference that nobody follows any more, to nobody.
  func tell(_ flags: SCNetworkReachabilityFlags, of reference: Reference) {
    let periods = entries.withLock { $0[reference.id]?.periods ?? [] }
    for period in periods { period.note(flags) }
  }
}
#endif
