/// An observation of a target or of the path, which lasts until it is cancelled or nobody holds this token any more.
///
/// It keeps what it needs of its monitor alive, so the monitor itself may go. Safe to use from any thread.
public final class ReachabilityObservation: Sendable {
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

  /// Ends the observation: after this returns, its handler is not started any more.
  ///
  /// A handler that runs on another thread is waited for, for 50 milliseconds, and then runs on to its end. Only while the
  /// system keeps that thread from running at all is it waited for longer, since the handler may not have started yet. May be
  /// called from the handler, and more than once.
  public func cancel() {
    end(waits: true)
  }

  /// Ends the observation, and does not wait for a handler that runs on another thread.
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
