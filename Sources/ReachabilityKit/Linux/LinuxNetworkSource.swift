// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX
import Synchronization

/// The Linux kernel, queried and watched over rtnetlink.
///
/// The kernel's messages keep links and addresses up to date; routes are never copied, but queried. Callers and the
/// engine's thread have separate tables and sockets. So neither waits for the other, and no caller's query wakes the
/// thread.
final class LinuxNetworkSource: NetworkSource {
  let callers: Mutex<NetworkTracker>
  let observers: Mutex<LinuxWatch>
  private let classifier: LinkClassifier
  let waiter: ChangeWaiter
  /// The facts of a path that the kernel does not have.
  let surroundings: PathSurroundings
  private let meteringChanges: MeteringChanges
  private let eventDescriptor: CInt
  let trafficReader: Mutex<TrafficReader>
  /// The threads and files of lookups; `nil` where they are not known.
  private let nameAccess: NameAccess?

  /// Starts threads in the network namespace.
  let threads: ThreadStarter

  /// Opens the sockets in the calling thread's network namespace.
  ///
  /// - Parameters:
  ///   - names: The threads and files of lookups.
  ///   - resolverConfiguration: The file that lists the name servers, if it is not the one of ``names``.
  ///   - metering: Returns a source of metered-connection information, which calls the closure when it has more.
  ///   - folder: Where systemd-networkd keeps the state of links.
  ///   - threads: Starts threads in this network namespace, if ``names`` does not.
  ///   - unrelatedRouteLimit: The number of unrelated routes after which the kernel filters announcements at the latest.
  ///   - waiter: Waits for changes, if not for those of this machine's clock.
  init(
    names: NameAccess? = .here, resolverConfiguration: String? = nil,
    metering: (@escaping @Sendable () -> Void) -> NetworkManagerMetering? = {
      try? NetworkManagerMetering(onChange: $0)
    }, networkd folder: String = NetworkdLinks.machineFolder, threads: ThreadStarter? = nil,
    unrelatedRouteLimit: Int = .max, waiter: ChangeWaiter? = nil
  ) throws(ReachabilityMonitorError) {
    nameAccess = names
    let threads = threads ?? names?.start ?? ThreadAttributes.here.startThread(named:_:)
    self.threads = threads
    trafficReader = Mutex(TrafficReader(threads: threads))
    do throws(NetlinkError) {
      // A system that refuses this socket only hides which links are radios.
      classifier = LinkClassifier(wireless: try? KernelTransport(.generic))
      var callers = NetworkTracker(
        events: try Self.open(), questions: try Self.open(), classifier: classifier,
        sources: try? SourceChooser(threads: threads))
      try callers.start(NetworkTracker.callerGroups)
      self.callers = Mutex(callers)
      let events = try Self.open(receiveBuffer: 1 << 20)
      eventDescriptor = events.pollDescriptor
      let tracker = NetworkTracker(
        events: events, questions: try Self.open(), classifier: classifier,
        sources: try? SourceChooser(threads: threads))
      if let waiter { self.waiter = waiter } else { self.waiter = try ChangeWaiter() }
      let changes = MeteringChanges { [waiter = self.waiter] in waiter.wake() }
      meteringChanges = changes
      let paths = names?.files.paths ?? []
      let resolverFile = resolverConfiguration ?? paths.first
      surroundings = PathSurroundings(
        resolverFile: resolverFile.map(ResolverFile.init), nameFiles: names?.files,
        metering: metering { changes.announce() },
        networkd: NetworkdLinks(folder, ofNetworkOf: eventDescriptor))
      let files = Set(paths + [resolverFile].compactMap(\.self))
      observers = Mutex(
        LinuxWatch(
          tracker, files: WatchedFiles(files.sorted(), folder: folder),
          interest: FilterPolicy(limit: unrelatedRouteLimit)))
    } catch {
      throw ReachabilityMonitorError(error)
    }
  }

  private static func open(receiveBuffer: CInt? = nil) throws(NetlinkError) -> KernelTransport {
    do throws(Errno) {
      return try KernelTransport(receiveBuffer: receiveBuffer)
    } catch {
      throw NetlinkError(.system, attempt: "open a netlink socket", errno: error)
    }
  }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation { callers.withLock { $0.evaluate(target) } }

  func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try threads(name, body)
  }

  func wake() { waiter.wake() }

  var capabilities: SourceCapabilities {
    SourceCapabilities(names: self, prober: self, traffic: self, tables: self, routeFilter: self)
  }
}

// MARK: - The engine's thread

extension LinuxNetworkSource {
  func watch(_ subjects: Subscriptions) throws(ReachabilityMonitorError) {
    do throws(NetlinkError) {
      guard try observers.withLock({ watch throws(NetlinkError) in try watch.watch(subjects) }) else {
        return
      }
      let portals = callers.withLock { $0.announcedPortals() }
      observers.withLock { $0.add(portals) }
    } catch {
      throw ReachabilityMonitorError(error)
    }
  }

  func waitForChange(until deadline: Moment?) -> NetworkChange {
    // What was evaluated has been delivered.
    surroundings.metering?.queryRequested()
    let wait = observers.withLock { $0.prepareToWait(until: deadline) }
    let reason = waiter.wait(
      for: wait.includesKernel ? eventDescriptor : nil, or: wait.files, or: wait.policies,
      until: wait.deadline)
    if reason == .slept { callers.withLock { $0.requireTables() } }
    var (change, isInProgress) = observers.withLock {
      let change = $0.readChange(isAfterSleep: reason == .slept, isOfPolicies: reason != .attention)
      return (change, $0.isChangeInProgress)
    }
    if meteringChanges.take() { change.linkDetails = true }
    if isInProgress, !change.isQuiet { completeChange(&change) }
    if change.everything { surroundings.metering?.networkDidChange() }
    return consume change
  }

  /// Waits until a change that is in progress is made, and adds what was announced meanwhile.
  ///
  /// The kernel announces some changes before it makes them, and some in several messages. Once it releases the lock
  /// that all of them hold, the announced changes are made and their messages have arrived.
  @inline(never)
  private func completeChange(_ change: inout NetworkChange) {
    var isInProgress = true
    for attempt in 1...Self.attemptLimit where isInProgress && !change.isQuiet {
      waiter.waitForKernel()
      // While changes follow each other, those that were announced since are left to the next turn.
      if attempt == Self.attemptLimit { break }
      let late: NetworkChange
      (late, isInProgress) = observers.withLock { ($0.readLateChange(), $0.isChangeInProgress) }
      change.formUnion(late)
    }
  }

  func evaluateObserved(_ target: ReachabilityTarget) -> Evaluation {
    evaluateBetweenChanges {
      $0.evaluate(target)
    } isSuspect: {
      $0.mayBeOfRemovedRoute
    } isDisturbed: {
      $0.everything
    }
  }

  func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    evaluateBetweenChanges {
      $0.evaluate(targets)
    } isSuspect: {
      $0.contains(where: \.mayBeOfRemovedRoute)
    } isDisturbed: {
      $0.everything
    }
  }

  /// Evaluates, and evaluates again where the kernel was in the middle of a change: such an answer was never true.
  ///
  /// Another program may hold the kernel's lock for many seconds. After a change of neighbours' states alone, there is no wait for it.
  ///
  /// - Parameters:
  ///   - attempts: The number of evaluations at most.
  ///   - isSuspect: Whether an answer may come from the middle of a change.
  ///   - isDisturbed: Whether a change that arrived during the evaluation is a reason to evaluate again.
  func evaluateBetweenChanges<Answer: Sendable>(
    attempts: Int = attemptLimit, _ evaluate: (inout LinuxWatch) -> Answer, isSuspect: (Answer) -> Bool,
    isDisturbed: (NetworkChange) -> Bool
  ) -> Answer {
    var (answer, isStale) = observers.withLock { (evaluate(&$0), $0.clearDoubtfulLinks()) }
    for attempt in 1...attempts {
      guard isStale || isSuspect(answer) else { break }
      // What arrived since may show that there is more than neighbours' states.
      var change = observers.withLock {
        $0.isChangeOfNeighboursAlone ? $0.readChangeDuringEvaluation() : NetworkChange()
      }
      if !observers.withLock({ $0.isChangeOfNeighboursAlone }) {
        waiter.waitForKernel()
        change.formUnion(observers.withLock { $0.readChangeDuringEvaluation() })
      }
      guard isStale || isDisturbed(change), attempt < attempts else { break }
      // A change may have begun after the wait.
      if observers.withLock({ $0.isNextChangeInProgress }) { waiter.waitForKernel() }
      (answer, isStale) = observers.withLock { (evaluate(&$0), $0.clearDoubtfulLinks()) }
    }
    return answer
  }

  /// The number of evaluations in a row while the network keeps changing.
  private static var attemptLimit: Int { 3 }
}

extension Evaluation {
  /// Whether the route may have gone with its link: a link that goes down removes many before it is announced itself.
  fileprivate var mayBeOfRemovedRoute: Bool { !status.isReachable && !status.isRefused }
}

// MARK: - Tables, the filter and names

extension LinuxNetworkSource: TableReader {
  var diagnostics: ReachabilityDiagnostics {
    callers.withLock { $0.diagnostics } + observers.withLock { $0.tracker.diagnostics }
      + ReachabilityDiagnostics(foreignMessages: classifier.foreignDatagrams)
  }

  func facts(about targets: [ReachabilityTarget], _ whole: ReachabilityTarget) -> ExplanationFacts {
    let nameServers = surroundings.nameServers
    var facts = callers.withLock { $0.facts(about: targets, nameServers?.list) }
    facts.areNameServersConfigured = nameServers?.isConfigured ?? true
    if case .host = whole.destination { facts.overlongSearchDomain = surroundings.overlongSearchDomain }
    return facts
  }
}

extension LinuxNetworkSource {
  var limits: MachineLimits {
    let reading = Handover<MachineLimits>()
    // The files are those of a thread's network namespace.
    do throws(ReachabilityMonitorError) {
      try threads("limits") { reading.fulfil(MachineLimits.current) }
    } catch {
      return MachineLimits()
    }
    return reading.wait()
  }
}

extension MachineLimits {
  /// Those of the calling thread's network namespace; a file that can't be read leaves its part unknown.
  fileprivate static var current: MachineLimits {
    func text(_ path: String) -> [UInt8] { (try? SystemFile.contents(of: path, upTo: 1 << 16)) ?? [] }
    func number(_ path: String) -> Int? {
      Int(String(decoding: text(path).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
    var limits = MachineLimits(
      trackedConnections: number("/proc/sys/net/netfilter/nf_conntrack_count"),
      trackingLimit: number("/proc/sys/net/netfilter/nf_conntrack_max"))
    limits.read(netstat: text("/proc/thread-self/net/netstat"))
    // Only the initial network has these files, of tables that all share.
    limits.read(neighbours: text("/proc/thread-self/net/stat/arp_cache"), .v4)
    limits.read(neighbours: text("/proc/thread-self/net/stat/ndisc_cache"), .v6)
    limits.read(portRange: text("/proc/sys/net/ipv4/ip_local_port_range"))
    return limits
  }
}

extension LinuxNetworkSource: RouteFilter {
  func setObserved(_ addresses: ObservedAddresses) { observers.withLock { $0.setObserved(addresses) } }
}

extension LinuxNetworkSource: NameService {
  var canLookUp: Bool { nameAccess?.files.canLookUp ?? false }

  var canReachServer: Bool {
    guard canLookUp, let servers = surroundings.nameServers?.list, !servers.isEmpty else { return true }
    // Unknown is no reason to say that none is.
    return servers.contains { evaluate($0.target).status.state != .notReachable }
  }

  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer {
    guard let nameAccess, nameAccess.files.canLookUp else { return .failure(.namesNotResolved) }
    nameAccess.files.update()
    let path = ResolverConfiguration.files[0]
    // What can't be read now, the C library could not read either.
    guard let settings = try? ResolverConfiguration(ofSearchesIn: path) else {
      return .failure(.systemError)
    }
    // The C library would end the process.
    if settings.overlongSearchDomain(of: path) != nil { return .failure(.systemError) }
    let start = Moment.now
    switch SystemResolver.addresses(of: name) {
    case .success(let addresses): return .addresses(addresses)
    case .failure(let failure):
      let elapsed = start.duration(to: .now)
      // Without descriptors the resolver can read neither its files nor query servers. A lookup may hold four. Some
      // lookups close theirs before the failure of another is examined.
      if DescriptorLimit.isNear(reserve: 4 * NameLookups.limit) { return .failure(.systemError) }
      return .failure(
        failure.reason(after: elapsed, settings) {
          self.evaluate(ReachabilityPath.NameServer($0, zone: $1).target).status.isReachable
        })
    }
  }

  func startLookupThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try (nameAccess?.start ?? threads)(name, body)
  }
}

extension LinuxNetworkSource {
  func evaluatePath() -> PathEvaluation {
    guard let nameServers = surroundings.nameServers?.list else { return .unknown(for: nil) }
    var evaluation = callers.withLock { $0.evaluatePath(nameServers) }
    // Metering is queried without the lock, for which other callers would wait.
    surroundings.networkd?.addPortals(to: &evaluation)
    if let metering = surroundings.metering { evaluation.addMetering(metering.findOut) }
    return evaluation
  }

  func evaluateObservedPath() -> PathEvaluation {
    guard let nameServers = surroundings.nameServers else {
      return .unknown(for: NetworkTracker.retryInterval)
    }
    // A path takes so many answers that any change may fall between two of them, and a link that comes up has a dozen.
    var evaluation = evaluateBetweenChanges(attempts: 10) {
      $0.evaluatePath(nameServers.list)
    } isSuspect: { _ in
      true
    } isDisturbed: {
      !$0.isEmpty
    }
    surroundings.networkd?.addPortals(to: &evaluation)
    if let metering = surroundings.metering { evaluation.addMetering(metering.knownAnswers) }
    if !nameServers.isCurrent {
      evaluation.lifetime = min(evaluation.lifetime ?? .seconds(60), NetworkTracker.retryInterval)
    }
    return evaluation
  }
}

/// The parts of a path that the kernel does not know.
struct PathSurroundings: Sendable {
  /// The file that lists the name servers; `nil` if none is known.
  var resolverFile: ResolverFile?
  /// The files of lookups; `nil` if there are none.
  var nameFiles: NameFileSource?
  /// The source of metered-connection information.
  var metering: NetworkManagerMetering?
  /// systemd-networkd's files about links.
  var networkd: NetworkdLinks?

  /// The search domain that prevents lookups; `nil` if there is none, or the file can't be read.
  var overlongSearchDomain: ExplanationFacts.OverlongSearchDomain? {
    try? resolverFile.flatMap { try ExplanationFacts.OverlongSearchDomain.find(in: $0.path) }
  }

  /// The name servers; `nil` if they can't be read.
  ///
  /// Without a configured one, the system's resolver queries this machine.
  var nameServers: (list: [ReachabilityPath.NameServer], isCurrent: Bool, isConfigured: Bool)? {
    guard let resolverFile, nameFiles?.canLookUp ?? true else { return ([], true, false) }
    return resolverFile.read().map {
      ($0.configuration.nameServers, $0.isCurrent, $0.configuration.isConfigured)
    }
  }
}
#endif
