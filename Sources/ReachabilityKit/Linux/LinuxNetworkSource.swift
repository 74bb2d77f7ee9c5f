#if os(Linux)
import Netlink
import POSIX
import Synchronization

/// The Linux kernel, asked and heard over rtnetlink.
///
/// Links and addresses are kept up to date from the kernel's messages; routes are never copied, but asked for.
/// Callers and the engine's thread have tables and sockets of their own, so that neither waits for the other, and no
/// caller's question wakes the thread.
final class LinuxNetworkSource: NetworkSource {
  let callers: Mutex<NetworkTracker>
  let watched: Mutex<NetworkTracker>
  private let census: DeviceCensus
  let waiter: ChangeWaiter
  /// What the kernel does not know of a path.
  let surroundings: PathSurroundings
  private let meteringNews: MeteringNews
  /// What the system's resolver reads.
  private let nameFiles: Mutex<NameFiles>
  private let eventDescriptor: CInt

  /// How names are looked up; `nil` where nobody knows how.
  private let nameAccess: NameAccess?

  /// Starts threads in the network namespace.
  let threads: ThreadStarter

  /// Opens the sockets in the calling thread's network namespace.
  ///
  /// - Parameters:
  ///   - names: How names are looked up.
  ///   - resolverConfiguration: The file that names the name servers, if it is another one than ``names`` knows.
  ///   - metering: Finds somebody who may know what costs money, and who tells when more is known.
  ///   - threads: Starts threads in this network namespace, if it is not ``names`` that does so.
  init(
    names: NameAccess? = .here, resolverConfiguration: String? = nil,
    metering: (@escaping @Sendable () -> Void) -> (any MeteringSource)? = {
      try? NetworkManagerMetering(onChange: $0)
    }, threads: ThreadStarter? = nil
  ) throws(ReachabilityMonitorError) {
    nameAccess = names
    let threads = threads ?? names?.start ?? ThreadHome.here.startThread(named:_:)
    self.threads = threads
    do throws(NetlinkError) {
      // A system that refuses this socket only keeps to itself which links are radios.
      census = DeviceCensus(wireless: try? KernelTransport(.generic))
      var callers = NetworkTracker(
        events: try Self.open(), questions: try Self.open(), census: census,
        sources: try? SourceChooser(threads: threads))
      try callers.start(NetworkTracker.tableGroups)
      self.callers = Mutex(callers)
      let events = try Self.open(receiveBuffer: 1 << 20)
      eventDescriptor = events.pollDescriptor
      watched = Mutex(
        NetworkTracker(
          events: events, questions: try Self.open(), census: census,
          sources: try? SourceChooser(threads: threads)))
      waiter = try ChangeWaiter()
      let news = MeteringNews { [waiter] in waiter.wake() }
      meteringNews = news
      let resolverFile = resolverConfiguration ?? names?.files.first
      surroundings = PathSurroundings(
        resolverFile: resolverFile.map(ResolverFile.init), metering: metering { news.announce() })
      let files = Set((names?.files ?? []) + [resolverFile].compactMap(\.self))
      nameFiles = Mutex(NameFiles(files.sorted()))
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

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    callers.withLock { $0.evaluate(target) }
  }

  func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try threads(name, body)
  }

  func wake() {
    waiter.wake()
  }

  var diagnostics: ReachabilityDiagnostics {
    callers.withLock { $0.diagnostics } + watched.withLock { $0.diagnostics }
      + ReachabilityDiagnostics(foreignMessages: census.foreignDatagrams)
  }
}

// MARK: - The engine's thread

extension LinuxNetworkSource {
  func startWatching() throws(ReachabilityMonitorError) {
    let error = watched.withLock { tracker -> NetlinkError? in
      do throws(NetlinkError) {
        try tracker.start(NetworkTracker.allGroups)
        return nil
      } catch {
        return error
      }
    }
    if let error { throw ReachabilityMonitorError(error) }
  }

  func stopWatching() {
    watched.withLock { $0.stop() }
  }

  func limitRoutes(to addresses: [IPAddress]?) -> Bool {
    watched.withLock { $0.limitRoutes(to: addresses) }
  }

  func waitForChange(until deadline: SuspendingClock.Instant?) -> NetworkChange {
    let (files, nextTry) = nameFiles.withLock { ($0.descriptor, $0.nextTry) }
    // A socket that fails would end every wait at once. So it is left alone for a moment, then tried again.
    let isFailing = watched.withLock { $0.failure != nil }
    let retry = isFailing ? SuspendingClock().now.advanced(by: NetworkTracker.retryInterval) : nil
    let reason = waiter.wait(
      for: isFailing ? nil : eventDescriptor, or: files,
      until: earliest(earliest(deadline, retry), nextTry))
    // After a sleep the world may be another one.
    if reason == .clockJumped { watched.withLock { $0.refresh() } }
    var change = watched.withLock { $0.takeChange() }
    change.names = nameFiles.withLock { $0.takeChange() }
    if meteringNews.take() { change.linkDetails = true }
    guard !change.isQuiet else { return change }
    if change.everything { surroundings.metering?.networkDidChange() }
    // The kernel announces some changes before it makes them, and some in several messages. When it lets go of
    // the lock that all of them hold, what was announced is done and its messages have arrived.
    waiter.waitForKernel()
    change.formUnion(watched.withLock { $0.takeChange() })
    return change
  }

  func evaluate(watched targets: [ReachabilityTarget]) -> [Evaluation] {
    // Routes come and go one by one; a link that goes down takes many along before it says so.
    askBetweenChanges {
      $0.evaluate(watched: targets)
    } isSuspect: {
      $0.contains { !$0.status.isReachable }
    } isDisturbed: {
      $0.everything
    }
  }

  /// Asks, and asks again where the kernel was in the middle of a change: what comes of that was never so.
  ///
  /// - Parameters:
  ///   - isSuspect: Whether an answer may come from the middle of a change.
  ///   - isDisturbed: Whether a change that was heard while asking is reason enough to ask again.
  func askBetweenChanges<Answer: Sendable>(
    _ ask: (inout NetworkTracker) -> Answer, isSuspect: (Answer) -> Bool, isDisturbed: (NetworkChange) -> Bool
  ) -> Answer {
    var answer = watched.withLock { ask(&$0) }
    var news = NetworkChange()
    for attempt in 0..<Self.attemptLimit where isSuspect(answer) {
      waiter.waitForKernel()
      let change = watched.withLock { $0.takeChange() }
      news.formUnion(change)
      guard isDisturbed(change), attempt < Self.attemptLimit - 1 else { break }
      answer = watched.withLock { ask(&$0) }
    }
    // What was heard while asking, no input tells of any more. What could not be heard is no news.
    if !news.isEmpty { watched.withLock { $0.putBack(news) } }
    if watched.withLock({ $0.hasNews && $0.failure == nil }) { waiter.wake() }
    return answer
  }

  /// How many times in a row is asked while the network keeps changing.
  private static var attemptLimit: Int { 3 }
}

// MARK: - Names

extension LinuxNetworkSource: NameService {
  var names: (any NameService)? { self }

  var canLookUp: Bool { nameAccess != nil }

  func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer {
    guard nameAccess != nil else { return .failure(.namesNotResolved) }
    let clock = SuspendingClock()
    let start = clock.now
    switch SystemResolver.addresses(of: name) {
    case .success(let addresses): return .addresses(addresses)
    case .failure(let failure):
      let elapsed = start.duration(to: clock.now)
      // Without descriptors the resolver knows no names, nor where to ask.
      // Each lookup may hold four, and some close theirs before the failure of another one is looked into.
      if DescriptorLimit.isNear(reserve: 4 * NameLookups.limit) { return .failure(.systemError) }
      guard let settings = try? ResolverConfiguration(contentsOf: ResolverConfiguration.files[0]) else {
        return .failure(.systemError)
      }
      return .failure(
        failure.reason(after: elapsed, settings) {
          self.evaluate(ReachabilityPath.NameServer($0, zone: $1).target).status.isReachable
        })
    }
  }

  func startThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError) {
    // Where nothing is looked up, there is nothing to wait for either.
    if let nameAccess { try nameAccess.start("names", body) } else { body() }
  }

  func setWatchingNames(_ isWatching: Bool) {
    nameFiles.withLock { $0.setWatching(isWatching) }
  }
}

extension ReachabilityMonitorError {
  init(_ error: NetlinkError) {
    self.init(
      .systemUnavailable, errorNumber: error.errno?.rawValue,
      description: "the kernel's network tables can't be read: \(error)")
  }
}
#endif
