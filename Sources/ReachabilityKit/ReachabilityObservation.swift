/// An observation of a target or of the path, which lasts until it is cancelled or this token is released.
///
/// The observation keeps the parts of its monitor that it needs; the monitor itself may be released. Safe to use from
/// any thread.
public final class ReachabilityObservation: Sendable {
  /// A thread of the monitor, on which handlers can be called.
  public struct DeliveryThread: Hashable, Sendable {
    /// The thread that receives the system's announcements and evaluates them.
    ///
    /// No other thread wakes up for an event, so a handler is called as early as possible. All observations of the
    /// monitor wait while it runs: return quickly, and never wait there for this monitor, for example for another event
    /// of it. The handler may call the monitor, and cancel observations. If the system can start no thread, the handler
    /// is called with unknown statuses on another thread.
    public static let monitorThread = DeliveryThread()
  }

  private let handle: EngineHandle
  private let sink: HandlerSink
  private let entry: MonitorEngine.Machine.EntryID

  init(_ handle: EngineHandle, _ key: MonitorEngine.Machine.Key, _ sink: HandlerSink) {
    self.handle = handle
    self.sink = sink
    entry = handle.engine.add(sink, for: key)
  }

  init(_ handle: EngineHandle, _ requirements: ReachabilityPath.Requirements, _ sink: HandlerSink) {
    self.handle = handle
    self.sink = sink
    entry = MonitorEngine.path
    handle.engine.add(sink, for: requirements)
  }

  /// Ends the observation: after this returns, the handler is not started again.
  ///
  /// If the handler is running on another thread, this waits for it for at most 50 milliseconds; the handler then
  /// runs to its end. The wait is longer only while the system does not schedule that thread, since the handler may
  /// not have started yet. May be called from the handler, and more than once.
  public func cancel() {
    end(waits: true)
  }

  /// Ends the observation without waiting for a handler that runs on another thread.
  package func cancelWithoutWaiting() {
    end(waits: false)
  }

  private func end(waits: Bool) {
    sink.cancel(waits: waits)
    handle.engine.remove(sink, from: entry)
  }

  deinit {
    cancel()
  }
}
