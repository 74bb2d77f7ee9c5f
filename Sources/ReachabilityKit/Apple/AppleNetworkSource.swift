#if canImport(Darwin) || APPLE_DOOR
import Dispatch
import Synchronization

#if canImport(Darwin)
import Network
#else
import ReachabilityKit
#endif

/// Apple's systems: targets are asked of their reachability functions, changes and the path are heard of `NWPathMonitor`.
///
/// A target's flags are as the system has them now; the next hop, the source and in most cases the interface stay
/// unknown, and why nothing leaves is told only where the question itself tells. What does not touch the path, such as
/// a route for some addresses over a second interface, comes unannounced, and is noticed with the next change.
///
/// The files of this source compile on Linux too, in a test target with declarations of what Apple's framework has, and
/// are tested there. The Apple symbols are `SCNetworkReachability` and `NWPathMonitor`.
final class AppleNetworkSource: NetworkSource {
  /// Tells the path from the beginning to the end of this source: one that was cancelled can't be started again.
  private let monitor = NWPathMonitor()
  private let news = PathNews()

  /// Begins to hear of the path.
  ///
  /// - Parameter patience: How long to wait at most for the present path, which the system tells on a queue at once.
  init(patience: DispatchTimeInterval = .seconds(1)) {
    let news = news
    monitor.pathUpdateHandler = { news.take($0) }
    monitor.start(queue: DispatchQueue(label: "reachability.path", qos: .userInitiated))
    news.waitForPath(patience)
  }

  deinit {
    monitor.cancel()
  }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    #if os(watchOS)
    Evaluation(evaluatePath().path.status(of: target))
    #else
    Evaluation(status(of: target))
    #endif
  }

  func evaluate(watched targets: [ReachabilityTarget]) -> [Evaluation] {
    targets.map(evaluate)
  }

  func evaluatePath() -> PathEvaluation {
    news.path.map { PathEvaluation($0) } ?? .unknown(for: nil)
  }

  func evaluateWatchedPath() -> PathEvaluation {
    evaluatePath()
  }

  func startWatching() {
    news.setWatching(true)
  }

  func stopWatching() {
    news.setWatching(false)
  }

  func waitForChange(until deadline: SuspendingClock.Instant?) -> NetworkChange {
    news.bell.wait(until: deadline)
  }

  func wake() {
    news.bell.ring(isChange: false)
  }
}

// MARK: - Names

extension AppleNetworkSource: NameService {
  var names: (any NameService)? { self }

  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer {
    switch SystemResolver.addresses(of: name) {
    case .success(let addresses): .addresses(addresses)
    case .failure(let failure): .failure(reason(for: failure))
    }
  }

  /// Says why a name has no address, as far as that can be told.
  ///
  /// The resolver has the same word for a name that does not exist and for one that nobody could be asked about.
  func reason(for failure: SystemResolver.Failure) -> ReachabilityStatus.Reason {
    let path = evaluatePath().path
    switch failure {
    case .noName, .noData, .noAddressOfFamily, .again, .failed: break
    default: return .systemError
    }
    guard path.supportsDNS || path.status == .unknown else {
      return path.isSatisfied ? .nameServerNotConfigured : .nameServerUnreachable
    }
    switch failure {
    case .noName: return .nameNotFound
    case .noData, .noAddressOfFamily: return .noAddressRecords
    default: return .nameServerFailed
    }
  }

  func startThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError) {
    try ReachabilityKit.startThread(named: "names", body)
  }
}

// MARK: - News

/// What the system has told of the path, and who waits for more.
private final class PathNews: Sendable {
  private struct State {
    var path: NWPath?
    var isWatching = false
  }

  let bell = Bell()
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  var path: NWPath? { state.withLock { $0.path } }

  /// Takes a path in.
  ///
  /// One that is equal to the last is news too: what is different may not show in it.
  func take(_ path: NWPath) {
    let (isFirst, isWatching) = state.withLock { state in
      defer { state.path = path }
      return (state.path == nil, state.isWatching)
    }
    if isFirst { arrival.signal() }
    if isWatching { bell.ring(isChange: true) }
  }

  /// Waits until there is a path, for some time at most.
  func waitForPath(_ patience: DispatchTimeInterval) {
    _ = arrival.wait(timeout: .now() + patience)
  }

  func setWatching(_ isWatching: Bool) {
    state.withLock { $0.isWatching = isWatching }
  }
}
#endif
