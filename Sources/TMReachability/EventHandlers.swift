// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
public import SystemConfiguration

/// The blocks and observers of an instance, and the decision which of them an event calls.
///
/// Pure.
struct EventHandlers: Sendable {
  /// A status block, and the status of its last call unless another status has followed.
  private struct Slot: Sendable {
    var block: NetworkReachable?
    var lastStatus: NetworkStatus?

    mutating func call(for status: NetworkStatus) -> NetworkReachable? {
      guard lastStatus != status, let block else { return nil }
      lastStatus = status
      return block
    }
  }

  /// The calls that an event makes, in this order.
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

  // A new block has not been called with any status.
  var reachable: NetworkReachable? {
    get { reachableSlot.block }
    set { reachableSlot = Slot(block: newValue) }
  }

  var unreachable: NetworkUnreachable? {
    get { unreachableSlot.block }
    set { unreachableSlot = Slot(block: newValue) }
  }

  mutating func add(_ observer: @escaping TMReachabilityObservation.Block) -> UInt64 {
    lastID += 1
    observers.append((lastID, observer))
    return lastID
  }

  /// Removes an observer and returns it, so that it can be released where no lock is held.
  mutating func remove(_ id: UInt64) -> TMReachabilityObservation.Block? {
    observers.firstIndex { $0.id == id }.map { observers.remove(at: $0).block }
  }

  /// Forgets earlier calls, so that a new start calls the status blocks again.
  mutating func begin() {
    reachableSlot.lastStatus = nil
    unreachableSlot.lastStatus = nil
  }

  /// Returns the calls of an event.
  ///
  /// Of consecutive events with one status, a status block receives only the first that occurs after the block is set.
  mutating func calls(for status: NetworkStatus) -> Calls {
    var block: NetworkReachable?
    if status == .NotReachable {
      block = unreachableSlot.call(for: status)
      reachableSlot.lastStatus = nil
    } else {
      block = reachableSlot.call(for: status)
      unreachableSlot.lastStatus = nil
    }
    return Calls(status: block, general: general, observers: observers.map(\.block))
  }
}

/// An observation of a ``Reachability``, which ends when it is cancelled or released.
///
/// It keeps the instance alive. Safe to use from any thread. Not in the original, which has one block of each kind.
public final class TMReachabilityObservation: Sendable {
  /// A block that receives the instance and the event's flags.
  public typealias Block = @Sendable (Reachability, SCNetworkReachabilityFlags) -> Void

  private let reachability: Reachability
  private let id: UInt64

  init(_ reachability: Reachability, _ id: UInt64) {
    self.reachability = reachability
    self.id = id
  }

  /// Ends the observation; a running call completes.
  public func cancel() {
    reachability.removeObserver(id)
  }

  deinit { cancel() }
}
#endif
