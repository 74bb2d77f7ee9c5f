// SPDX-License-Identifier: Apache-2.0
import POSIX
@_exported public import ReachabilityKit
import Synchronization

/// A simulated network for the tests of apps; the kernel is not queried.
///
/// Everything else is real: a monitor that simulates this network delivers events as every monitor does.
///
/// ```swift
/// let network = SimulatedNetwork(.reachable(over: .wifi))
/// let monitor = ReachabilityMonitor(simulating: network)
/// network.setStatus(.notReachable(.noRoute))
/// print(monitor.currentStatus(of: .defaultRoute))  // not reachable: no route
/// ```
///
/// Time passes as usual, and ``advance(by:)`` lets it jump, so that a test need not wait for a settling time.
///
/// Safe to use from any thread.
public final class SimulatedNetwork: Sendable {
  private struct State {
    var general: ReachabilityStatus
    var statuses: [ReachabilityTarget: ReachabilityStatus] = [:]
    /// The path, unless it follows from the general status.
    var path: ReachabilityPath?
    var evidence: [ReachabilityTarget: TrafficEvidence] = [:]
    /// Those of the monitors.
    var timelines: [ObjectIdentifier: SimulatedTimeline] = [:]
  }

  private let state: Mutex<State>

  /// Creates a network in which every target has the same status.
  public init(_ status: ReachabilityStatus) {
    state = Mutex(State(general: status))
  }

  /// Sets the status of every target without a specific status.
  public func setStatus(_ status: ReachabilityStatus) {
    change { $0.general = status }
  }

  /// Sets the status of one target, or removes it with `nil`.
  ///
  /// The status of a target without a port also applies to that target with a port, unless that has a specific status.
  public func setStatus(_ status: ReachabilityStatus?, of target: ReachabilityTarget) {
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
  public func setPath(_ path: ReachabilityPath?) {
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

  /// Lets time jump for all monitors of this network.
  ///
  /// Whatever is due by then happens at once: changes that had to settle are delivered, and waits with a time limit end.
  /// Retries have no random delay in a simulated network.
  ///
  /// ```swift
  /// func testLossIsDelivered() async throws {
  ///   let network = SimulatedNetwork(.reachable(over: .wifi))
  ///   let monitor = ReachabilityMonitor(simulating: network)
  ///   var events = monitor.events(of: .defaultRoute, settling: .seconds(5)).makeAsyncIterator()
  ///   _ = try await events.next()
  ///   network.setStatus(.notReachable(.noCarrier))
  ///   network.advance(by: .seconds(5))
  ///   let event = try await events.next()
  ///   assert(event?.status.reason == .noCarrier)
  /// }
  /// ```
  ///
  /// - Parameter duration: How far time jumps; negative durations count as zero.
  public func advance(by duration: Duration) {
    send(.jump(max(duration, .zero))) { _ in }
  }

  fileprivate var hasEvidence: Bool { state.withLock { !$0.evidence.isEmpty } }

  fileprivate func evidence(for target: ReachabilityTarget) -> TrafficEvidence {
    state.withLock { $0.evidence[target] ?? $0.evidence[target.withoutPort] ?? TrafficEvidence(.none) }
  }

  private func change(_ body: (inout State) -> Void) {
    send(.change, body)
  }

  private func send(_ step: SimulatedTimeline.Step, _ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      // Under the lock, so that all monitors have the same order.
      for timeline in state.timelines.values { timeline.add(step) }
    }
  }

  fileprivate func register(_ timeline: SimulatedTimeline) {
    state.withLock { $0.timelines[ObjectIdentifier(timeline)] = timeline }
  }

  fileprivate func unregister(_ timeline: SimulatedTimeline) {
    state.withLock { $0.timelines[ObjectIdentifier(timeline)] = nil }
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
  private let timeline = SimulatedTimeline()

  init(_ network: SimulatedNetwork) {
    self.network = network
    network.register(timeline)
  }

  deinit {
    network.unregister(timeline)
  }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation { Evaluation(network.status(of: target)) }

  func evaluatePath() -> PathEvaluation { PathEvaluation(simulating: network.path) }

  func watch(_ subjects: Subscriptions) {}

  func waitForChange(until deadline: Moment?) -> NetworkChange { timeline.waitForStep(until: deadline) }

  func wake() { timeline.wake() }

  var capabilities: SourceCapabilities {
    var capabilities = SourceCapabilities(traffic: network.hasEvidence ? self : nil)
    capabilities.time = timeline
    return capabilities
  }
}

/// What one monitor of a simulated network has to take in, in the order in which it happened, and the time of the monitor.
private final class SimulatedTimeline: SimulatedTime {
  enum Step {
    case change
    case jump(Duration)
  }

  private struct State {
    var steps: [Step] = []
    var lead = Duration.zero
    /// Wakes the tasks that sleep until an instant of this time.
    var sleepers: [Int: AsyncStream<Void>.Continuation] = [:]
    var sleeperCount = 0
  }

  private let wakeUp = WakeUpSignal()
  private let state = Mutex(State())

  func add(_ step: Step) {
    state.withLock { state in
      switch (state.steps.last, step) {
      case (.change, .change): break
      case (.jump(let one), .jump(let other)): state.steps[state.steps.count - 1] = .jump(one + other)
      default: state.steps.append(step)
      }
    }
    wake()
  }

  func wake() { wakeUp.send(isChange: false) }

  /// Takes one step, so that a change begins to settle before time jumps.
  func waitForStep(until deadline: Moment?) -> NetworkChange {
    if let change = dequeueStep() { return change }
    _ = wakeUp.wait(until: deadline?.advanced(by: .zero - lead))
    return dequeueStep() ?? .none
  }

  private func dequeueStep() -> NetworkChange? {
    state.withLock { state in
      guard !state.steps.isEmpty else { return nil }
      guard case .jump(let duration) = state.steps.removeFirst() else { return .all }
      state.lead += duration
      for sleeper in state.sleepers.values { sleeper.yield() }
      return NetworkChange.none
    }
  }

  var lead: Duration { state.withLock { $0.lead } }

  func sleep(until deadline: ContinuousClock.Instant) async throws {
    let (jumps, sleeper) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.sleeperCount += 1
      state.sleepers[state.sleeperCount] = sleeper
      return state.sleeperCount
    }
    defer { state.withLock { $0.sleepers[number] = nil } }
    while true {
      let end = deadline - lead
      if end <= .now { return }
      try await withThrowingTaskGroup { group in
        group.addTask { try await Task.sleep(until: end, clock: .continuous) }
        group.addTask { for await _ in jumps { break } }
        defer { group.cancelAll() }
        try await group.next()
      }
      try Task.checkCancellation()
    }
  }
}

extension SimulatedSource: TrafficSource {
  func readTraffic() -> TrafficReading { .empty }

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

extension ReachabilityPath {
  /// Creates the path of a network in which every target has the same status.
  init(simulating status: ReachabilityStatus) {
    switch status.state {
    case .unknown:
      let reason = status.reason ?? .systemError
      self.init(.unknown, reason: reason, reasonAgainstIPv4: reason, reasonAgainstIPv6: reason)
    case .notReachable:
      self.init(simulating: status.reason ?? .noRoute, over: status.interface)
    case .reachable where status.interface?.kind == .loopback:
      self.init(simulating: .noRoute, over: nil)
    case .reachable:
      self.init(simulatingReachable: status)
    }
  }

  private init(simulating reason: ReachabilityStatus.Reason, over interface: ReachabilityInterface?) {
    self.init(
      reason == .linkDormant ? .requiresConnection : .unsatisfied, reason: reason,
      unusableInterfaces: interface.map { [UnusableInterface($0, reason: reason)] } ?? [],
      reasonAgainstIPv4: reason, reasonAgainstIPv6: reason)
  }

  private init(simulatingReachable status: ReachabilityStatus) {
    let interface = status.interface ?? ReachabilityInterface(name: "eth0", index: 1, kind: .wired)
    let isIPv6 = (status.source ?? status.gateway)?.bitWidth == 128
    let isExpensive: Bool? = interface.kind == .cellular ? true : nil
    let addresses = status.source.map { [Address($0, prefixLength: isIPv6 ? 64 : 24)] } ?? []
    self.init(
      .satisfied,
      interfaces: [
        Interface(
          interface, addresses: addresses, mtu: 1500, gateways: status.gateway.map { [$0] } ?? [],
          supportsIPv4: !isIPv6, supportsIPv6: isIPv6, isExpensive: isExpensive)
      ],
      reasonAgainstIPv4: isIPv6 ? .noRoute : nil, reasonAgainstIPv6: isIPv6 ? nil : .noRoute,
      // Without a gateway in the status, an address reserved for documentation (RFC 5737, RFC 3849).
      nameServers: [NameServer(status.gateway ?? (isIPv6 ? "2001:db8::53" : "192.0.2.53"))],
      isExpensive: isExpensive)
  }
}

extension PathEvaluation {
  /// Creates the evaluation of a simulated network, which has a loopback interface as every machine has.
  init(simulating path: ReachabilityPath) {
    let loopback = ReachabilityPath.Interface(
      ReachabilityInterface(name: "lo", index: 1, kind: .loopback),
      addresses: [.init("127.0.0.1", prefixLength: 8), .init("::1", prefixLength: 128)], mtu: 65536,
      supportsIPv6: true, isExpensive: false)
    self.init(path, unusable: path.unusableInterfaces, loopback: loopback)
  }
}

extension ReachabilityStatus {
  /// Returns a reachable status as a real interface of this kind would have.
  public static func reachable(over kind: ReachabilityInterface.Kind) -> ReachabilityStatus {
    var flags: Flags = .reachable
    if kind == .cellular { flags.formUnion([.transientConnection, .isWWAN]) }
    if kind == .loopback { flags.formUnion([.isLocalAddress, .isDirect]) }
    return ReachabilityStatus(.reachable, flags: flags, interface: ReachabilityInterface(simulating: kind))
  }

  /// Returns the status of a link that waits for its connection, such as a modem that has to dial.
  ///
  /// Its reason is `linkDormant`, its flags require a connection.
  public static func requiresConnection(over kind: ReachabilityInterface.Kind) -> ReachabilityStatus {
    .notReachable(.linkDormant, over: ReachabilityInterface(simulating: kind))
  }
}

extension ReachabilityInterface {
  /// Creates an interface with the name that a real one of this kind often has.
  fileprivate init(simulating kind: Kind) {
    let names: [Kind: String] = [
      .wired: "eth0", .wifi: "wlan0", .cellular: "wwan0", .bluetooth: "bnep0", .loopback: "lo",
    ]
    let index = (Kind.allCases.firstIndex(of: kind) ?? 0) + 1
    self.init(name: names[kind] ?? "net0", index: index, kind: kind)
  }
}
