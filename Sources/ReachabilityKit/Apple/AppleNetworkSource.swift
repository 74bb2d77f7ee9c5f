#if canImport(Darwin) || APPLE_DOOR
import Dispatch
import POSIX
import Synchronization

#if canImport(Darwin)
import Network
#else
import ReachabilityKit
#endif

/// Apple's systems: their reachability functions evaluate targets, `NWPathMonitor` reports changes and the path.
///
/// A target's flags are current. Its next hop, its source address and mostly its interface stay unknown; the reason of an
/// unreachable target is known only where the target itself implies it. A change that does not touch the path, for
/// example of a route over a second interface, is not announced, and noticed with the next change.
///
/// The files of this source compile on Linux too, in a test target that declares the used parts of Apple's framework, and
/// are tested there. The Apple symbols are `SCNetworkReachability` and `NWPathMonitor`.
final class AppleNetworkSource: NetworkSource {
  /// Runs as long as this source exists: a cancelled monitor can't be started again.
  private let monitor = NWPathMonitor()
  private let news = PathNews()

  /// Starts monitoring the path.
  ///
  /// - Parameter limit: The longest wait for the present path, which the system delivers immediately on a queue.
  init(limit: DispatchTimeInterval = .seconds(1)) {
    let news = news
    monitor.pathUpdateHandler = { news.store($0) }
    monitor.start(queue: DispatchQueue(label: "reachability.path", qos: .userInitiated))
    news.waitForPath(limit)
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

  func evaluatePath() -> PathEvaluation {
    guard let path = news.path.map({ ReachabilityPath($0) }) else { return .unknown(for: nil) }
    let loopback = ReachabilityPath.Interface(
      .loopback, addresses: [.init("127.0.0.1", prefixLength: 8), .init("::1", prefixLength: 128)],
      supportsIPv6: true, isExpensive: false)
    return PathEvaluation(path, unusable: path.unusableInterfaces, loopback: loopback)
  }

  func watch(_ subjects: WatchedSubjects) { news.setWatching(subjects.contains(.network)) }

  func waitForChange(
    until deadline: Moment?, observing addresses: ObservedAddresses
  ) -> NetworkChange {
    news.bell.wait(until: deadline)
  }

  func wake() { news.bell.ring(isChange: false) }
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

  /// Returns the reason why a name has no address, as far as it is known.
  ///
  /// The resolver reports the same failure for a name that does not exist and for one that no name server was asked for.
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

extension ReachabilityInterface {
  /// The loopback interface, which has index 1 on all of Apple's systems.
  static var loopback: ReachabilityInterface { ReachabilityInterface(name: "lo0", index: 1, kind: .loopback) }
}
#endif
