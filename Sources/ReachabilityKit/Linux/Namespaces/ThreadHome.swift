#if os(Linux)
import CPOSIX
import Dispatch
import Netlink
import POSIX
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The namespaces that a thread is in: which network its sockets reach, and which files it sees.
///
/// A thread is in those of the thread that starts it. A caller may have moved (`setns`, `unshare`), so a monitor's threads
/// are started with regard to where it was made.
struct ThreadHome: Hashable, Sendable {
  private var network: NamespaceFile.Identity?
  private var mounts: NamespaceFile.Identity?

  /// Those of the calling thread.
  static var here: ThreadHome { ThreadHome(of: "thread-self") }

  private init(of task: String) {
    network = NamespaceFile.identity(of: "/proc/\(task)/ns/net")
    mounts = NamespaceFile.identity(of: "/proc/\(task)/ns/mnt")
  }

  /// Whether this is another network than that of the process's main thread.
  var isApart: Bool { network != NamespaceFile.identity(of: "/proc/self/ns/net") }

  /// Starts a thread in these namespaces.
  ///
  /// From elsewhere the new thread returns to them, which takes `CAP_SYS_ADMIN`, and another thread that is still there.
  ///
  /// - Throws: ``ReachabilityMonitorError`` where that is not possible; nothing was run then.
  func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    guard ThreadHome.here != self else { return try ReachabilityKit.startThread(named: name, body) }
    let arrival = Arrival()
    try ReachabilityKit.startThread(named: name) {
      let error = self.enter()
      arrival.note(error)
      if error == nil { body() }
    }
    guard let error = arrival.wait() else { return }
    throw ReachabilityMonitorError(
      error.rawValue == EPERM ? .notPermitted : .systemUnavailable, errorNumber: error.rawValue,
      description:
        "could not start a thread in the namespaces of the thread that created the monitor: \(error)")
  }

  /// Moves the calling thread, which nothing else has used yet.
  private func enter() -> Errno? {
    let here = ThreadHome.here
    do throws(Errno) {
      if here.network != network {
        let file = try Self.open("net", \.network, network)
        guard setns(file.rawValue, CloneFlags.network.rawValue) == 0 else { throw .last }
      }
      if here.mounts != mounts {
        let file = try Self.open("mnt", \.mounts, mounts)
        // Threads share the folder that they are in, which must not be another namespace's.
        guard unshare(CloneFlags.directories.rawValue) == 0,
          setns(file.rawValue, CloneFlags.mounts.rawValue) == 0
        else { throw .last }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Opens the file of a namespace by a thread of this process that is in it.
  private static func open(
    _ kind: String, _ part: KeyPath<ThreadHome, NamespaceFile.Identity?>, _ wanted: NamespaceFile.Identity?
  ) throws(Errno) -> FileDescriptor {
    let tasks = SystemFile.entries(of: "/proc/self/task", upTo: 1 << 20).map { "self/task/\($0)" }
    for task in ["self"] + tasks where ThreadHome(of: task)[keyPath: part] == wanted {
      return try FileDescriptor(owning: openNamespace("/proc/\(task)/ns/\(kind)"))
    }
    throw Errno(rawValue: ENOENT)
  }

  /// Whether a thread has arrived, which another one waits for.
  private final class Arrival: Sendable {
    private let error = Mutex<Errno??>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func note(_ error: Errno?) {
      self.error.withLock { $0 = .some(error) }
      isThere.signal()
    }

    func wait() -> Errno? {
      isThere.wait()
      return error.withLock { $0 ?? nil }
    }
  }
}

/// Outside of the type, where `open` is its own.
private func openNamespace(_ path: String) -> CInt { unsafe open(path, O_RDONLY | O_CLOEXEC) }
#endif
