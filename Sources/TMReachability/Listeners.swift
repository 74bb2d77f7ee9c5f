#if !os(watchOS)
import SystemConfiguration

/// Whom an event is told, and what the two status blocks were told already: pure decisions.
struct Listeners: Sendable {
  /// One of the two blocks, and the last status that it was told of while that lasted.
  private struct Slot: Sendable {
    var block: NetworkReachable?
    var told: NetworkStatus?

    mutating func call(for status: NetworkStatus) -> NetworkReachable? {
      guard told != status, let block else { return nil }
      told = status
      return block
    }
  }

  /// What an event calls, in this order.
  struct Calls: Sendable {
    var status: NetworkReachable?
    var general: NetworkReachability?
    var observers: [TMReachabilityObservation.Block]
  }

  private var reachableSlot = Slot()
  private var unreachableSlot = Slot()
  var general: NetworkReachability?
  private var observers: [(id: UInt64, block: TMReachabilityObservation.Block)] = []
  private var lastID: UInt64 = 0

  // A new block was told nothing yet.
  var reachable: NetworkReachable? {
    get { reachableSlot.block }
    set { reachableSlot = Slot(block: newValue) }
  }

  var unreachable: NetworkReachable? {
    get { unreachableSlot.block }
    set { unreachableSlot = Slot(block: newValue) }
  }

  mutating func add(_ observer: @escaping TMReachabilityObservation.Block) -> UInt64 {
    lastID += 1
    observers.append((lastID, observer))
    return lastID
  }

  /// Takes an observer out and returns it, so that it can end where no lock is held.
  mutating func remove(_ id: UInt64) -> TMReachabilityObservation.Block? {
    observers.firstIndex { $0.id == id }.map { observers.remove(at: $0).block }
  }

  /// Forgets what was told: a start tells everything anew.
  mutating func begin() {
    reachableSlot.told = nil
    unreachableSlot.told = nil
  }

  /// Decides whom an event calls.
  ///
  /// Of several events with one status in a row only the first is for the status blocks, though not if nobody was there
  /// to be told.
  mutating func calls(for status: NetworkStatus) -> Calls {
    var block: NetworkReachable?
    if status == .NotReachable {
      block = unreachableSlot.call(for: status)
      reachableSlot.told = nil
    } else {
      block = reachableSlot.call(for: status)
      unreachableSlot.told = nil
    }
    return Calls(status: block, general: general, observers: observers.map(\.block))
  }
}
#endif
