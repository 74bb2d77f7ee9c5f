#if os(Linux)
import CLibrary
import CPOSIX
import Netlink
import POSIX

/// The network and mount namespaces of a thread.
///
/// A thread inherits those of the thread that starts it. A caller may have moved (`setns`, `unshare`), so a monitor's
/// threads return to the namespaces of the thread that created the monitor.
struct ThreadHome: Hashable, Sendable {
  private var network: NamespaceFile.Identity?
  private var mounts: NamespaceFile.Identity?

  /// The namespaces of the calling thread.
  static var here: ThreadHome { ThreadHome(of: "thread-self") }

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
    guard ThreadHome.here != self else { return try ReachabilityKit.startThread(named: name, body) }
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
    let here = ThreadHome.here
    do throws(Errno) {
      if here.network != network {
        let file = try Self.open("net", \.network, network)
        guard setns(file.rawValue, CloneFlags.network.rawValue) == 0 else { throw .last }
      }
      if here.mounts != mounts {
        let file = try Self.open("mnt", \.mounts, mounts)
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
    _ kind: String, _ part: KeyPath<ThreadHome, NamespaceFile.Identity?>, _ wanted: NamespaceFile.Identity?
  ) throws(Errno) -> FileDescriptor {
    let tasks = SystemFile.entries(of: "/proc/self/task", upTo: 1 << 20).map { "self/task/\($0)" }
    for task in ["self"] + tasks where ThreadHome(of: task)[keyPath: part] == wanted {
      return try FileDescriptor(owning: openNamespace("/proc/\(task)/ns/\(kind)"))
    }
    throw Errno(rawValue: ENOENT)
  }
}

/// At file level, where `open` is the system call.
private func openNamespace(_ path: String) -> CInt { unsafe open(path, O_RDONLY | O_CLOEXEC) }
#endif
