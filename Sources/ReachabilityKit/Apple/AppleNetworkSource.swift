// SPDX-License-Identifier: Apache-2.0
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
  private let changes = PathChanges()

  /// Starts monitoring the path.
  ///
  /// - Parameter limit: The longest wait for the present path, which the system delivers immediately on a queue.
  init(limit: DispatchTimeInterval = .seconds(1)) {
    let changes = changes
    monitor.pathUpdateHandler = { changes.store($0) }
    monitor.start(queue: DispatchQueue(label: "reachability.path", qos: .userInitiated))
    changes.waitForPath(limit)
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

  var capabilities: SourceCapabilities { SourceCapabilities(names: self) }

  func evaluatePath() -> PathEvaluation {
    guard let path = changes.path.map({ ReachabilityPath($0) }) else { return .unknown(for: nil) }
    let loopback = ReachabilityPath.Interface(
      .loopback, addresses: [.init("127.0.0.1", prefixLength: 8), .init("::1", prefixLength: 128)],
      supportsIPv6: true, isExpensive: false)
    return PathEvaluation(path, unusable: path.unusableInterfaces, loopback: loopback)
  }

  func watch(_ subjects: Subscriptions) { changes.setWatching(subjects.contains(.network)) }

  func waitForChange(until deadline: Moment?) -> NetworkChange {
    changes.wakeUp.wait(until: deadline)
  }

  func wake() { changes.wakeUp.send(isChange: false) }
}

// MARK: - Names

extension AppleNetworkSource: NameService {
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
}

extension ReachabilityInterface {
  /// The loopback interface, which has index 1 on all of Apple's systems.
  static var loopback: ReachabilityInterface { ReachabilityInterface(name: "lo0", index: 1, kind: .loopback) }
}
#endif

// watchOS has no reachability functions.
#if (canImport(Darwin) && !os(watchOS)) || APPLE_DOOR
import InternetProtocol

#if !canImport(Darwin)
import ReachabilityKit
#endif

extension AppleNetworkSource {
  /// Queries the system for the status of a target now.
  ///
  /// The system has no query for packets with a mark, nor for packets bound to an interface that is not the zone of their
  /// address. The status of such targets is unknown.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    var remote: ReachabilityAddress?
    switch target.destination {
    // A host is evaluated by its addresses, once these are known.
    case .host: return .unknown(.resolving)
    case .address(let address): remote = address
    case .defaultRoute: break
    }
    let needsZone = remote?.needsZone ?? false
    guard target.mark == nil, needsZone || target.interface == nil else { return .unknown(.systemError) }
    if needsZone, target.interface == nil { return .notReachable(.zoneMissing) }
    let zone = target.interface.map { ReachabilityFunctions.index(of: $0) ?? 0 }
    if zone == 0 { return .notReachable(.interfaceNotFound) }

    if let source = target.source {
      guard let own = ReachabilityFunctions.flags(to: source, zone: zone) else {
        return .unknown(.systemError)
      }
      guard own.contains(.isLocalAddress), source.family == remote?.family ?? source.family else {
        return .notReachable(.sourceAddressMissing)
      }
    }
    // The system ignores a loopback address as the source, or reports all destinations as local.
    let isFromLoopback = target.source?.isLoopback ?? false
    if remote == nil { remote = target.family.map { $0 == .v4 ? "0.0.0.0" : "::" } }
    let flags = ReachabilityFunctions.flags(
      to: remote, from: isFromLoopback ? nil : target.source, zone: zone)
    guard let flags else { return .unknown(.systemError) }
    if isFromLoopback, remote?.isLoopback != true, !flags.contains(.isLocalAddress) {
      return .notReachable(.sourceAddressMissing)
    }
    return ReachabilityStatus(flags, over: interface(for: target, zone, flags))
  }

  /// The outgoing interface, or the one that has the local address, where that is certain.
  private func interface(
    for target: ReachabilityTarget, _ zone: UInt32?, _ flags: ReachabilityStatus.Flags
  ) -> ReachabilityInterface? {
    if case .address(let address) = target.destination, address.isLoopback { return .loopback }
    let interfaces = evaluatePath().path.interfaces.map(\.interface)
    if flags.contains(.isWWAN) { return interfaces.first { $0.kind == .cellular } }
    if let zone { return interfaces.first { $0.index == Int(zone) } }
    return target == .defaultRoute ? interfaces.first : nil
  }
}
#endif

#if canImport(Darwin) || APPLE_DOOR
/// The system's last path, and the signal that announces the next one.
final class PathChanges: Sendable {
  private struct State {
    var path: NWPath?
    var isWatching = false
  }

  let wakeUp = WakeUpSignal()
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  var path: NWPath? { state.withLock { $0.path } }

  /// Stores a path and announces it.
  ///
  /// One that equals the last is announced too: the difference may be one that it does not contain.
  func store(_ path: NWPath) {
    let (isFirst, isWatching) = state.withLock { state in
      defer { state.path = path }
      return (state.path == nil, state.isWatching)
    }
    if isFirst { arrival.signal() }
    if isWatching { wakeUp.send(isChange: true) }
  }

  /// Waits until there is a path, or the time limit is over.
  func waitForPath(_ limit: DispatchTimeInterval) {
    _ = arrival.wait(timeout: .now() + limit)
  }

  func setWatching(_ isWatching: Bool) { state.withLock { $0.isWatching = isWatching } }
}
#endif
