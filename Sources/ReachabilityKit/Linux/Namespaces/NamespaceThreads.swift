// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import Dispatch
import Netlink
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

/// The network and mount namespaces of a thread.
///
/// A thread inherits those of the thread that starts it. A caller may have moved (`setns`, `unshare`), so a monitor's
/// threads return to the namespaces of the thread that created the monitor.
struct ThreadAttributes: Equatable, Sendable {
  private var network: NamespaceFile.Identity?
  private var mounts: NamespaceFile.Identity?

  /// The namespaces of the calling thread.
  static var here: ThreadAttributes { ThreadAttributes(of: "thread-self") }

  private init(of task: String) {
    network = NamespaceFile.identity(of: "/proc/\(task)/ns/net")
    mounts = NamespaceFile.identity(of: "/proc/\(task)/ns/mnt")
  }

  /// Whether this network differs from that of the process's main thread.
  var isApart: Bool { network != NamespaceFile.identity(of: "/proc/self/ns/net") }

  /// Starts a thread in these namespaces.
  ///
  /// From other namespaces the new thread has to enter them, which requires `CAP_SYS_ADMIN` and a thread that is still there.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if that fails; the body did not run then.
  func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    guard ThreadAttributes.here != self else { return try ReachabilityKit.startThread(named: name, body) }
    let arrival = Handover<Errno?>()
    try ReachabilityKit.startThread(named: name) {
      let error = self.enter()
      arrival.fulfil(error)
      if error == nil { body() }
    }
    guard let error = arrival.wait() else { return }
    throw ReachabilityMonitorError(
      error.rawValue == EPERM ? .notPermitted : .systemUnavailable, errorNumber: error.rawValue,
      description:
        "could not start a thread in the namespaces of the thread that created the monitor: \(error)")
  }

  /// Moves the calling thread, which must be new.
  private func enter() -> Errno? {
    let here = ThreadAttributes.here
    do throws(Errno) {
      if here.network != network {
        let file = try Self.open("net", \.network, wanted: network)
        guard setns(file.rawValue, CloneFlags.network.rawValue) == 0 else { throw .last }
      }
      if here.mounts != mounts {
        let file = try Self.open("mnt", \.mounts, wanted: mounts)
        // Threads share a working directory, and setns refuses while it is shared.
        guard unshare(CloneFlags.directories.rawValue) == 0,
          setns(file.rawValue, CloneFlags.mounts.rawValue) == 0
        else { throw .last }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Opens the file of a namespace through a thread of this process that is in it.
  private static func open(
    _ kind: String, _ part: KeyPath<ThreadAttributes, NamespaceFile.Identity?>,
    wanted: NamespaceFile.Identity?
  ) throws(Errno) -> FileDescriptor {
    let tasks = SystemFile.entries(of: "/proc/self/task", upTo: 1 << 20).map { "self/task/\($0)" }
    for task in ["self"] + tasks where ThreadAttributes(of: task)[keyPath: part] == wanted {
      return try FileDescriptor(
        owning: unsafe CLibrary.open("/proc/\(task)/ns/\(kind)", O_RDONLY | O_CLOEXEC))
    }
    throw Errno(rawValue: ENOENT)
  }
}
#endif
