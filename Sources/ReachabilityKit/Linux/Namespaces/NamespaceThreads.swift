#if os(Linux)
import Dispatch
import POSIX
import Synchronization

/// Threads in another network namespace.
///
/// One thread enters the namespace and sleeps there until it receives work or its owner is released. A thread inherits the
/// namespaces of the thread that starts it, so only the entry requires privileges. For a namespace with a name, a second one
/// does the same for lookups: other threads see the machine's files and sockets, among them the bus of NetworkManager.
final class NamespaceThreads: Sendable {
  /// The resolver's files on threads of lookups; `nil` if it is unknown how names are resolved in the namespace.
  let nameFiles: NameFileSource?
  private let work: Work
  /// The jobs of the thread that starts those of lookups; `nil` if that is the same one.
  private let lookups: Work?

  /// Starts a thread that stays in the calling thread's namespaces.
  init() throws(ReachabilityMonitorError) {
    let work = Work()
    try startThread(named: "netns") { work.perform() }
    nameFiles = .machine
    self.work = work
    lookups = nil
  }

  /// Starts a thread that enters a namespace.
  init(in namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    let work = Work()
    try startThread(named: "netns") { work.perform() }
    self.work = work
    let lookups = Work()
    do throws(ReachabilityMonitorError) {
      let isElsewhere = try work.call { () throws(ReachabilityMonitorError) in
        try NamespaceFile(of: namespace).enter()
      }
      guard isElsewhere else {
        (nameFiles, self.lookups) = (.machine, nil)
        return
      }
      try work.call { () throws(ReachabilityMonitorError) in
        try startThread(named: "netns-names") { lookups.perform() }
      }
      nameFiles = try lookups.call { () throws(ReachabilityMonitorError) -> NameFileSource? in
        NamespaceResolverFiles(of: namespace).map(NameFileSource.namespace)
      }
      self.lookups = lookups
    } catch {
      work.end()
      lookups.end()
      throw error
    }
  }

  deinit {
    work.end()
    lookups?.end()
  }

  /// Runs a closure in the namespace and waits for its result.
  func call<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ReachabilityMonitorError) -> Value
  ) throws(ReachabilityMonitorError) -> Value {
    try work.call(body)
  }

  /// Starts a thread in the namespace.
  func start(named name: String, _ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError) {
    try work.call { () throws(ReachabilityMonitorError) in try startThread(named: name, body) }
  }

  /// Starts a thread in the namespace that sees the resolver's files of it.
  func startLookup(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try (lookups ?? work).call { () throws(ReachabilityMonitorError) in try startThread(named: name, body) }
  }
}

/// The jobs of a thread.
///
/// The thread retains this object instead of its owner, which avoids a cycle.
private final class Work: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isEnded = false
  }

  private let state = Mutex(State())
  /// Counts the jobs, and one more for the end.
  private let wakeUps = DispatchSemaphore(value: 0)

  func add(_ job: @escaping @Sendable () -> Void) {
    state.withLock { $0.jobs.append(job) }
    wakeUps.signal()
  }

  /// Ends the thread after its remaining jobs.
  func end() {
    state.withLock { $0.isEnded = true }
    wakeUps.signal()
  }

  /// Runs the jobs in order on the calling thread, until the end.
  func perform() {
    while true {
      wakeUps.wait()
      let (job, isEnded) = state.withLock { state in
        (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isEnded)
      }
      if let job { job() } else if isEnded { return }
    }
  }

  /// Runs a closure on the thread and waits for its result.
  func call<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ReachabilityMonitorError) -> Value
  ) throws(ReachabilityMonitorError) -> Value {
    let result = Handover<Result<Value, ReachabilityMonitorError>>()
    add { result.fulfil(Result(catching: body)) }
    return try result.wait().get()
  }
}
#endif
