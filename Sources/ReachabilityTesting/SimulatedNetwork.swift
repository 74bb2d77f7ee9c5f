import POSIX
public import ReachabilityKit
import Synchronization

/// A simulated network for the tests of apps; the kernel is not queried.
///
/// Everything else is real: a monitor that simulates this network delivers events as every monitor does.
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
    var evidence: [ReachabilityTarget: TrafficEvidence] = [:]
    var sources: [ObjectIdentifier: Bell] = [:]
  }

  private let state: Mutex<State>

  /// Creates a network in which every target has the same status.
  public init(_ status: ReachabilityStatus) {
    state = Mutex(State(general: status))
  }

  /// Sets the status of every target without a specific status.
  public func set(_ status: ReachabilityStatus) {
    change { $0.general = status }
  }

  /// Sets the status of one target, or removes it with `nil`.
  ///
  /// The status of a target without a port also applies to that target with a port, unless that has a specific status.
  public func set(_ status: ReachabilityStatus?, for target: ReachabilityTarget) {
    change { $0.statuses[target] = status }
  }

  /// Returns the current status of a target.
  public func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    state.withLock { $0.statuses[target] ?? $0.statuses[target.withoutPort] ?? $0.general }
  }

  /// Sets the path of the network.
  ///
  /// With `nil`, as initially, the path follows from the general status. Statuses do not change. Observers with
  /// requirements receive the part of the path that meets them.
  public func set(_ path: ReachabilityPath?) {
    change { $0.path = path }
  }

  /// The current path.
  public var path: ReachabilityPath {
    state.withLock { $0.path ?? ReachabilityPath(simulating: $0.general) }
  }

  /// Sets the evidence about a target, or removes it with `nil`.
  ///
  /// Evidence about the default route is also the evidence on each interface. Other targets without evidence have no
  /// traffic to judge by. As long as no evidence is set, as initially, traffic cannot be read (`unsupported`).
  ///
  /// Evidence and status are independent, as on a real network. Sequences deliver a change within some milliseconds,
  /// whatever their interval.
  public func setEvidence(
    _ evidence: TrafficEvidence?, for target: ReachabilityTarget = .defaultRoute
  ) {
    state.withLock { $0.evidence[target] = evidence }
  }

  fileprivate var hasEvidence: Bool { state.withLock { !$0.evidence.isEmpty } }

  fileprivate func evidence(for target: ReachabilityTarget) -> TrafficEvidence {
    state.withLock { $0.evidence[target] ?? $0.evidence[target.withoutPort] ?? TrafficEvidence(.none) }
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
  /// Creates a monitor of a simulated network.
  public convenience init(simulating network: SimulatedNetwork) {
    self.init(source: SimulatedSource(network))
  }
}

/// A simulated network as the source of a monitor's engine.
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

  func evaluate(_ target: ReachabilityTarget) -> Evaluation { Evaluation(network.status(of: target)) }

  func evaluatePath() -> PathEvaluation { PathEvaluation(simulating: network.path) }

  func watch(_ subjects: WatchedSubjects) {}

  func waitForChange(
    until deadline: Moment?, observing addresses: ObservedAddresses
  ) -> NetworkChange {
    bell.wait(until: deadline)
  }

  func wake() { bell.ring(isChange: false) }

  var traffic: (any TrafficSource)? { network.hasEvidence ? self : nil }
}

extension SimulatedSource: TrafficSource {
  func readTraffic() -> TrafficReading { TrafficReading() }

  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool { true }

  func readingInterval(wanted: Duration) -> Duration { .milliseconds(10) }

  func index(of interface: ReachabilityTarget.Interface) -> Int32? { nil }

  func evidence(about question: EvidenceQuestion) -> TrafficEvidence? {
    switch question {
    case .target(let target): network.evidence(for: target)
    // A simulated network has one path.
    case .path, .interface: network.evidence(for: .defaultRoute)
    }
  }
}
