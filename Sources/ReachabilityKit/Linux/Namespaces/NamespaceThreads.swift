#if os(Linux)
import Dispatch
import Synchronization

/// Threads in another network namespace.
///
/// One thread enters it and waits there, asleep, until it is handed work or its owner goes. A thread inherits the
/// namespaces of the one that starts it, so only the entry needs rights.
final class NamespaceThreads: Sendable {
  /// The files by which names are resolved on these threads as in the namespace, where these are known: it has a
  /// name, and files of its own, which stand in the place of the machine's for these threads and for no others.
  let nameFiles: [String]?
  private let work: Work

  /// Stays in the calling thread's namespaces.
  init() throws(ReachabilityMonitorError) {
    let work = Work()
    try startThread(named: "netns") { work.perform() }
    nameFiles = ResolverConfiguration.files
    self.work = work
  }

  /// Enters the namespace.
  init(in namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    let work = Work()
    try startThread(named: "netns") { work.perform() }
    do throws(ReachabilityMonitorError) {
      nameFiles = try work.call { () throws(ReachabilityMonitorError) -> [String]? in
        guard try NamespaceFile(of: namespace).enter() else { return ResolverConfiguration.files }
        let files = NamespaceResolverFiles(of: namespace)
        return files?.takeEffect() == true ? files?.paths : nil
      }
    } catch {
      work.end()
      throw error
    }
    self.work = work
  }

  deinit {
    work.end()
  }

  /// Runs a closure in the namespace, while the caller waits.
  func call<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ReachabilityMonitorError) -> Value
  ) throws(ReachabilityMonitorError) -> Value {
    try work.call(body)
  }

  /// Starts a thread in the namespace.
  func start(named name: String, _ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError) {
    try work.call { () throws(ReachabilityMonitorError) in try startThread(named: name, body) }
  }
}

/// What a thread has to do until it is told to end.
///
/// The thread holds this and not its owner, so nothing retains itself.
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

  /// Lets the thread end, after the jobs that it has.
  func end() {
    state.withLock { $0.isEnded = true }
    wakeUps.signal()
  }

  /// Does the jobs one after the other, on the calling thread.
  func perform() {
    while true {
      wakeUps.wait()
      let (job, isEnded) = state.withLock { state in
        (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isEnded)
      }
      if let job { job() } else if isEnded { return }
    }
  }

  /// Has the thread run a closure, and waits for its result.
  func call<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ReachabilityMonitorError) -> Value
  ) throws(ReachabilityMonitorError) -> Value {
    let slot = Slot<Value>()
    let isDone = DispatchSemaphore(value: 0)
    add {
      let result = Result(catching: body)
      slot.result.withLock { $0 = result }
      isDone.signal()
    }
    while true {
      isDone.wait()
      if let result = slot.result.withLock({ $0 }) { return try result.get() }
    }
  }
}

/// The place for a result that another thread works out.
private final class Slot<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, ReachabilityMonitorError>?>(nil)
}
#endif
