public import ReachabilityKit
import Synchronization

/// A network that a test writes the script of, for an app's own tests; no kernel is asked.
///
/// All else is real: a monitor that simulates this network delivers events as every monitor does.
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

  /// Makes a network in which every target has one status.
  public init(_ status: ReachabilityStatus) {
    state = Mutex(State(general: status))
  }

  /// Gives a status to every target that has none of its own.
  public func set(_ status: ReachabilityStatus) {
    change { $0.general = status }
  }

  /// Gives a status to one target, or takes it away with `nil`.
  ///
  /// The status of a target without a port is also that of the target with a port that has no status of its own.
  public func set(_ status: ReachabilityStatus?, for target: ReachabilityTarget) {
    change { $0.statuses[target] = status }
  }

  /// The status that a target has now.
  public func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    state.withLock { $0.statuses[target] ?? $0.statuses[target.withoutPort] ?? $0.general }
  }

  /// Gives the network a path, or with `nil` the one that follows from the general status, which it has at first.
  ///
  /// Statuses stay as they are. Observers with requirements are told what is left of the path under them.
  public func set(_ path: ReachabilityPath?) {
    change { $0.path = path }
  }

  /// The path now.
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
  /// A reachable status as a real one would be over an interface of a kind.
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

/// A simulated network as an engine sees it.
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

  func evaluate(watched targets: [ReachabilityTarget]) -> [Evaluation] {
    targets.map(evaluate)
  }

  func evaluatePath() -> PathEvaluation {
    PathEvaluation(simulating: network.path)
  }

  func evaluateWatchedPath() -> PathEvaluation {
    evaluatePath()
  }

  func startWatching() {}

  func stopWatching() {}

  func waitForChange(until deadline: SuspendingClock.Instant?) -> NetworkChange {
    bell.wait(until: deadline)
  }

  func wake() {
    bell.ring(isChange: false)
  }
}
