/// An observation of a target or of the path, which lasts until it is cancelled or nobody holds this token any more.
///
/// It keeps what it needs of its monitor alive, so the monitor itself may go. Safe to use from any thread.
public final class Observation: Sendable {
  /// Ends it; waits for a handler that runs, if that is wanted.
  private let end: @Sendable (_ waits: Bool) -> Void

  init(
    _ handle: EngineHandle, _ key: MonitorEngine.Machine.Key, _ sink: HandlerSink<StatusEvent>
  ) {
    end = { waits in
      sink.cancel(waits: waits)
      handle.engine.remove(sink, for: key)
    }
    handle.engine.add(sink, for: key)
  }

  init(
    _ handle: EngineHandle, _ requirements: NetworkPath.Requirements, _ sink: HandlerSink<NetworkPath>
  ) {
    end = { waits in
      sink.cancel(waits: waits)
      handle.engine.remove(sink, for: requirements)
    }
    handle.engine.add(sink, for: requirements)
  }

  /// Ends the observation: after this returns, its handler is not started any more.
  ///
  /// A handler that runs on another thread is waited for, for 50 milliseconds at most, and then runs on to its end. May
  /// be called from the handler, and more than once.
  public func cancel() {
    end(true)
  }

  /// Ends the observation, and does not wait for a handler that runs on another thread.
  package func cancelWithoutWaiting() {
    end(false)
  }

  deinit {
    cancel()
  }
}
