public import ReachabilityKit
import Synchronization

/// A network that a test controls, for an app's own tests; it queries no kernel.
///
/// Only the answers are simulated: a monitor of this network delivers events as every monitor does.
///
/// ```swift
/// let network = SimulatedNetwork(.reachable(over: .wifi))
/// let app = Downloader(monitor: ReachabilityMonitor(simulating: network))
/// network.set(.notReachable(.noRoute))
/// ```
///
/// Safe to use from any thread.
public final class SimulatedNetwork: Sendable {
  private struct State {
    var general: ReachabilityStatus
    var statuses: [ReachabilityTarget: ReachabilityStatus] = [:]
    /// The path, unless it follows from the general status.
    var path: ReachabilityPath?
    var sources: [ObjectIdentifier: Bell] = [:]
  }

  private let state: Mutex<State>

  /// Makes a network in which every target has the same status.
  public init(_ status: ReachabilityStatus) {
    state = Mutex(State(general: status))
  }

  /// Sets the status of all targets without an individual one.
  public func set(_ status: ReachabilityStatus) {
    change { $0.general = status }
  }

  /// Sets the individual status of a target, or removes it with `nil`.
  ///
  /// The status of a target without a port also applies to the target with a port, unless that has an individual one.
  public func set(_ status: ReachabilityStatus?, for target: ReachabilityTarget) {
    change { $0.statuses[target] = status }
  }

  /// Returns the present status of a target.
  public func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    state.withLock { $0.statuses[target] ?? $0.statuses[target.withoutPort] ?? $0.general }
  }

  /// Sets the path; with `nil`, as at first, it follows from the general status.
  ///
  /// Statuses stay as they are. Observers with requirements receive the path that remains under them.
  public func set(_ path: ReachabilityPath?) {
    change { $0.path = path }
  }

  /// The present path.
  public var path: ReachabilityPath {
    state.withLock { $0.path ?? ReachabilityPath(simulating: $0.general) }
  }

  private func change(_ body: (inout State) -> Void) {
    let bells = state.withLock { state in
      body(&state)
      return Array(state.sources.values)
    }
    for bell in bells { bell.ring(isChange: true) }
  }

  fileprivate func register(_ source: SimulatedSource, _ bell: Bell) {
    state.withLock { $0.sources[ObjectIdentifier(source)] = bell }
  }

  fileprivate func unregister(_ source: SimulatedSource) {
    state.withLock { $0.sources[ObjectIdentifier(source)] = nil }
  }
}

extension ReachabilityMonitor {
  /// Makes a monitor of a simulated network.
  public convenience init(simulating network: SimulatedNetwork) {
    self.init(source: SimulatedSource(network))
  }
}

extension ReachabilityStatus {
  /// Returns a reachable status like a real one over an interface of a kind.
  public static func reachable(over kind: ReachabilityInterface.Kind) -> ReachabilityStatus {
    let names: [ReachabilityInterface.Kind: String] = [
      .wired: "eth0", .wifi: "wlan0", .cellular: "wwan0", .bluetooth: "bnep0", .loopback: "lo",
    ]
    var flags: Flags = .reachable
    if kind == .cellular { flags.formUnion([.transientConnection, .isWWAN]) }
    if kind == .loopback { flags.formUnion([.isLocalAddress, .isDirect]) }
    let index = (ReachabilityInterface.Kind.allCases.firstIndex(of: kind) ?? 0) + 1
    return ReachabilityStatus(
      .reachable, flags: flags,
      interface: ReachabilityInterface(name: names[kind] ?? "net0", index: index, kind: kind))
  }
}

/// The source of a simulated network.
private final class SimulatedSource: NetworkSource {
  private let network: SimulatedNetwork
  private let bell = Bell()

  init(_ network: SimulatedNetwork) {
    self.network = network
    network.register(self, bell)
  }

  deinit {
    network.unregister(self)
  }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    Evaluation(network.status(of: target))
  }

  func evaluatePath() -> PathEvaluation {
    PathEvaluation(simulating: network.path)
  }

  func watch(_ subjects: WatchedSubjects) {}

  func waitForChange(
    until deadline: SuspendingClock.Instant?, observing addresses: ObservedAddresses
  ) -> NetworkChange {
    bell.wait(until: deadline)
  }

  func wake() {
    bell.ring(isChange: false)
  }
}
