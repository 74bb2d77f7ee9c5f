#if canImport(Darwin) || APPLE_DOOR
import Dispatch
import Synchronization

#if canImport(Darwin)
import Network
#else
import ReachabilityKit
#endif

/// The system's last path, and the bell that announces the next one.
final class PathNews: Sendable {
  private struct State {
    var path: NWPath?
    var isWatching = false
  }

  let bell = Bell()
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  var path: NWPath? { state.withLock { $0.path } }

  /// Stores a path and announces it.
  ///
  /// One that equals the last is news too: the difference may be one that it does not contain.
  func store(_ path: NWPath) {
    let (isFirst, isWatching) = state.withLock { state in
      defer { state.path = path }
      return (state.path == nil, state.isWatching)
    }
    if isFirst { arrival.signal() }
    if isWatching { bell.ring(isChange: true) }
  }

  /// Waits until there is a path, or the time limit is over.
  func waitForPath(_ limit: DispatchTimeInterval) {
    _ = arrival.wait(timeout: .now() + limit)
  }

  func setWatching(_ isWatching: Bool) { state.withLock { $0.isWatching = isWatching } }
}
#endif
