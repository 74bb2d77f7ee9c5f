// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A network namespace of a test, kept open by a dedicated thread.
///
/// ``run(within:_:)`` executes on that thread. The closure, and what it starts, sees this network only: sockets, child
/// processes, `/proc/sys/net`. The namespace ends with the thread, unless a socket or a child still uses it. The thread
/// ends with the last reference to this object, so keep one (``close()`` at the end does).
///
/// A new namespace has a loopback interface, which is down, and the kernel's default settings. Tests that add IPv6
/// addresses use `nodad`; otherwise the addresses are unusable for a second or more.
public final class NetworkNamespace: Sendable {
  private let worker = Worker()
  private let thread: Mutex<UInt?>
  /// The kernel's number of the thread that holds the namespace; `ip link set … netns` accepts it as well as ``path``.
  public let threadID: Int32

  /// Creates an empty network namespace.
  ///
  /// - Throws: ``LiveError`` if the kernel refuses; see ``unavailable``.
  public init() throws {
    let started = try worker.start()
    do {
      threadID = try worker.run(within: .seconds(60)) {
        try LiveError.check(live_unshare_network(), "unshare(CLONE_NEWNET)")
        return live_thread_id()
      }
    } catch {
      worker.stop()
      live_thread_end(started, 10)
      throw error
    }
    thread = Mutex(started)
  }

  deinit { close() }

  /// Ends the thread and the namespace; waits ten seconds at most for running closures.
  ///
  /// Closing again has no effect. The kernel removes the interfaces shortly afterwards.
  public func close() {
    guard let thread = thread.withLock({ $0.take() }) else { return }
    worker.stop()
    live_thread_end(thread, 10)
  }

  /// A path that names the open namespace for other processes, as in `ip link set v0 netns PATH`.
  public var path: String { "/proc/\(getpid())/task/\(threadID)/ns/net" }

  /// Runs a closure in the namespace and returns its result, blocking the caller.
  ///
  /// Closures run one after the other. Threads that a closure starts are in the namespace too, but tasks and
  /// Dispatch queues run on other threads.
  ///
  /// - Throws: The closure's error, or ``LiveError`` if the namespace is closed or the time is over, which does not
  ///   stop the closure.
  public func run<T: Sendable>(
    within limit: Duration = .seconds(60), _ body: @escaping @Sendable () throws -> T
  ) throws -> T {
    if live_thread_id() == threadID { return try body() }
    return try worker.run(within: limit, body)
  }

  /// Runs `ip` with space-separated arguments, and returns its output.
  ///
  /// - Throws: ``LiveError`` with the standard error of `ip` if it fails.
  @discardableResult
  public func ip(_ line: String) throws -> String {
    try ip(line.split(separator: " ").map(String.init))
  }

  /// Runs `ip` with the given arguments, and returns its output.
  ///
  /// - Throws: ``LiveError`` with the standard error of `ip` if it fails.
  @discardableResult
  public func ip(_ arguments: [String]) throws -> String {
    let name = "ip \(arguments.joined(separator: " "))"
    return try execute("exec ip \"$@\"", arguments, named: name, within: .seconds(60))
      .standardOutput(orThrowFor: name)
  }

  /// Runs a shell command in the namespace, and returns its output.
  ///
  /// Background processes of the command are killed when it ends.
  ///
  /// - Throws: ``LiveError`` with the standard error if it fails or exceeds the limit.
  @discardableResult
  public func sh(_ command: String, within limit: Duration = .seconds(60)) throws -> String {
    try shell(command, within: limit).standardOutput(orThrowFor: command)
  }

  /// Runs a shell command with arguments (`"$@"`), and returns its exit status and output.
  ///
  /// The directories of `ip` and `sysctl` are appended to `PATH`.
  ///
  /// - Throws: ``LiveError`` if it cannot be started or exceeds the limit, but not if it fails.
  public func shell(
    _ command: String, _ arguments: [String] = [], within limit: Duration = .seconds(60)
  ) throws -> ProcessResult {
    try execute(command, arguments, named: command, within: limit)
  }

  private func execute(
    _ command: String, _ arguments: [String], named name: String, within limit: Duration
  ) throws -> ProcessResult {
    let script = "PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin; \(command)"
    return try run(within: limit + .seconds(10)) {
      let words = ["sh", "-c", script, "sh"] + arguments
      return try ProcessResult(running: "/bin/sh", words, named: name, within: limit)
    }
  }

  /// Sets a kernel parameter of the namespace, for example `net/ipv4/ip_forward`.
  ///
  /// - Parameters:
  ///   - path: The parameter's path below `/proc/sys`.
  ///   - value: The new value.
  /// - Throws: ``LiveError`` if the kernel does not know the parameter or refuses the value.
  public func writeSysctl(_ path: String, _ value: String) throws {
    try run {
      let error = unsafe live_write("/proc/sys/\(path)", value)
      try LiveError.check(error, "write \(value) to /proc/sys/\(path)")
    }
  }

  /// Sets a kernel parameter of all present and future links, for example `net/ipv6/conf/*/accept_dad`.
  ///
  /// - Throws: ``LiveError`` if the kernel does not know the parameter or refuses the value.
  public func writeLinkSysctl(_ pattern: String, _ value: String) throws {
    for links in ["all", "default"] { try writeSysctl(pattern.replacing("*", with: links), value) }
  }

  /// Gives the namespace's thread private mounts; `ip netns add` then leaves nothing behind.
  ///
  /// - Parameter folders: The folders to cover with empty ones.
  public func hideFolders(_ folders: String...) throws {
    try run { try LiveError.check(live_unshare_mounts(), "unshare(CLONE_NEWNS)") }
    for folder in folders { try sh("mount -t tmpfs tmpfs \(folder)") }
  }

  /// Drops all privileges of the namespace's thread, and of everything that it starts from now on.
  public func dropRights() throws {
    try run { try LiveError.check(live_drop_capabilities(), "capset") }
  }

  /// Waits until the kernel uses the IPv6 addresses of links that carry packets.
  ///
  /// Also with `nodad`, the kernel adds an address's local route, and listens to requests for its neighbours, in the
  /// background, and seconds later on a busy machine. Addresses that are still checked for duplicates are left out.
  ///
  /// - Throws: ``LiveError`` if that takes longer than a minute.
  public func awaitAddresses() throws {
    try sh(
      #"""
      links=$(ip -o link show up | grep -E 'state (UP|UNKNOWN)' | sed 's/^[0-9]*: \([^:@]*\).*/ \1 /')
      ip -6 -o address show -tentative | while read -r _ link _ address _; do
        case $links in *" $link "*) ;; *) continue ;; esac
        until ip -6 route show table local "${address%/*}" dev "$link" | grep -q ^local; do sleep 0.01; done
      done
      """#)
  }

  /// Brings the loopback interface up.
  public func raiseLoopback() throws {
    try ip("link set lo up")
  }

  /// Why this process cannot create network namespaces, or `nil` if it can.
  ///
  /// The first access tries to create one. Tests use the trait `.needsNamespaces`.
  public static let unavailable: String? = {
    let user = unsafe live_user_namespace_outcome()
    if let step = unsafe user.step {
      let error = unsafe LiveError(unsafe String(cString: step), errorNumber: user.error)
      return "not root, and cannot create a user namespace: \(error)"
    }
    do {
      try NetworkNamespace().ip("link show lo")
      return nil
    } catch {
      return "cannot create a network namespace: \(error)"
    }
  }()
}
#endif
