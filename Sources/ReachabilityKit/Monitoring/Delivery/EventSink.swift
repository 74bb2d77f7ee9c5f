/// Wakes a reader that waits for an event.
///
/// To be called under no lock. It runs foreign code, and takes the lock of the reader's task. A task that is being
/// cancelled holds that lock while it ends the stream.
typealias WakeUp = @Sendable () -> Void

/// The destination of an observation's events.
///
/// Delivery only queues, so the engine delivers under its lock, which gives events one order.
// Safe to share: it has no state. (Unchecked only because it has subclasses.)
class EventSink: @unchecked Sendable {
  /// Delivers an event; returns a closure to call once no lock is held.
  func deliver(_ news: News) -> WakeUp? { nil }
}
