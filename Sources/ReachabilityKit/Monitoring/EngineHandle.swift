/// Keeps an engine's thread alive while a monitor or an observation holds it.
///
/// The thread holds the engine, not this handle, so there is no retain cycle.
final class EngineHandle: Sendable {
  let engine: MonitorEngine

  init(source: any NetworkSource) { engine = MonitorEngine(source: source) }

  deinit { engine.stop() }
}
