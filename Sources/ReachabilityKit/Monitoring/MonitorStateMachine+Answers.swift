import POSIX

/// Decides which observers receive a status now, and which once it has lasted.
///
/// An observer that joins while a change is held back receives the present status, not the one delivered to the others.
/// From then on a change is held back from all alike, until it has lasted and all have the same status.
extension MonitorStateMachine {
  /// Takes the evaluation of an entry, and adds the deliveries that follow from it.
  ///
  /// - Parameter now: Only taken for entries that remember times.
  mutating func accept(
    _ evaluation: Evaluation, for id: EntryID, now: @autoclosure () -> Moment, _ deliveries: inout [Delivery]
  ) {
    guard let slot = entries.slot(of: id) else { return }
    let status = evaluation.status
    // The case of most entries, which need to remember nothing.
    if evaluation.lifetime == nil, entries.isPlain(at: slot) {
      if !entries.hasStatus(status, at: slot) { deliver(statuses.shared(status), at: slot, &deliveries) }
      return
    }
    let now = now()
    var extras = entries[slot].extras
    if extras.expiry.renew(for: evaluation.lifetime, now: now) {
      extras.rechecks = NetworkChange.rechecks(after: now)
    }
    entries[slot].extras = extras
    let isHeldBack = deliverUnlessHeldBack(status, at: slot, &deliveries)
    if !isHeldBack {
      entries[slot].extras.pending = nil
    } else if entries[slot].extras.pending?.status != status {
      let until = now.advanced(by: entries[slot].settling)
      entries[slot].extras.pending = (statuses.shared(status), until)
    }
    schedule(slot)
  }

  /// Delivers a status to the observers that need not wait; returns whether it is held back from others.
  private mutating func deliverUnlessHeldBack(
    _ status: ReachabilityStatus, at slot: Int, _ deliveries: inout [Delivery]
  ) -> Bool {
    // The resolution of a name is no change of the network, which might not last.
    let settling = entries[slot].settling
    func mayWait(_ previous: ReachabilityStatus) -> Bool { settling > .zero && previous.reason != .resolving }
    var isHeldBack = false
    let known = entries[slot].status.flatMap { $0 == status ? $0 : nil }
    let shared = known ?? statuses.shared(status)
    if let previous = entries[slot].status, previous == status || mayWait(previous) {
      isHeldBack = previous != status
    } else {
      deliver(shared, at: slot, &deliveries)
    }
    if settling > .zero {
      for (place, (observer, previous)) in entries[slot].extras.early.enumerated() where previous != status {
        if mayWait(previous) {
          isHeldBack = true
        } else {
          deliveries.append(delivery(of: shared, at: slot, after: previous, to: [observer]))
          entries[slot].extras.early[place].status = shared
        }
      }
    }
    let newcomers = entries[slot].takeAwaiting()
    guard !newcomers.isEmpty else { return isHeldBack }
    deliveries.append(delivery(of: shared, at: slot, after: nil, to: newcomers))
    if entries[slot].status == status {
      entries[slot].append(newcomers)
    } else {
      entries[slot].extras.early += newcomers.map { ($0, shared) }
    }
    return isHeldBack
  }

  /// Delivers a status that has lasted long enough to all observers that have another one.
  mutating func settle(on status: ReachabilityStatus, at slot: Int, _ deliveries: inout [Delivery]) {
    if entries[slot].status != status { deliver(status, at: slot, &deliveries) }
    let early = entries[slot].extras.early
    guard !early.isEmpty else { return }
    for (observer, previous) in early where previous != status {
      deliveries.append(delivery(of: status, at: slot, after: previous, to: [observer]))
    }
    entries[slot].extras.early = []
    entries[slot].append(early.map(\.observer))
  }

  /// Delivers a status, which becomes the last one of the observers.
  private mutating func deliver(_ status: ReachabilityStatus, at slot: Int, _ deliveries: inout [Delivery]) {
    let previous = entries[slot].status
    deliveries.add(delivery(of: status, at: slot, after: previous, to: entries[slot].observers))
    entries[slot].status = status
  }

  private func delivery(
    of status: ReachabilityStatus, at slot: Int, after previous: ReachabilityStatus?, to observers: [Observer]
  ) -> Delivery {
    let event = ReachabilityEvent(target: entries[slot].target, status: status, previous: previous)
    return Delivery(event: event, observers: observers)
  }
}
