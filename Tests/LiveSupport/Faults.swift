#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Faults of the system, made for real.
public enum Faults {
  /// Lets a system call of the calling thread fail from now on, and of all that it starts; for good.
  ///
  /// - Parameters:
  ///   - call: The call's name, such as `socket`.
  ///   - argument: Which of its arguments must have which value; `nil` for every call.
  ///   - error: The error number that it fails with.
  public static func refuse(
    _ call: String, where argument: (position: Int32, value: UInt32)? = nil, with error: Int32
  ) throws {
    let failure = unsafe live_refuse(call, argument?.position ?? -1, argument?.value ?? 0, error)
    try LiveError.check(failure, "refuse \(call)")
  }

  /// Lets the calling thread, and the programs that it starts, start no threads from now on, as at the limit of threads.
  public static func refuseThreads() throws {
    // Of the newer call only a pointer shows; the C library then takes the older one.
    try refuse("clone3", with: ENOSYS)
    // What glibc and Musl start a thread with: CLONE_VM, CLONE_THREAD and others, with and without CLONE_DETACHED.
    for flags in [0x3d_0f00, 0x7d_0f00] as [UInt32] { try refuse("clone", where: (0, flags), with: EAGAIN) }
  }

  /// Sets how many descriptors this process may open; `nil` for as many as it ever may.
  public static func limitDescriptors(to limit: Int?) throws {
    try LiveError.check(live_limit_descriptors(limit ?? -1), "setrlimit(RLIMIT_NOFILE)")
  }

  /// How much processor time this process has used.
  public static var processorTime: Duration { .nanoseconds(live_processor_time()) }

  /// Has the allocator keep nothing for single threads, since how many it serves at once is chance.
  public static func useOneArena() { live_use_one_arena() }

  /// Forks without starting another program, and returns at once.
  ///
  /// - Parameters:
  ///   - seconds: How long the child may live.
  ///   - body: What the child does; it ends with the status that this returns.
  public static func fork(within seconds: UInt32, _ body: @escaping @Sendable () -> Int32) throws
    -> ForkedChild
  {
    let box = Box(body)
    var child: pid_t = 0
    let error = unsafe live_fork(
      { context in
        guard let context = unsafe context else { return -1 }
        return unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().body()
      }, Unmanaged.passUnretained(box).toOpaque(), seconds, &child)
    try LiveError.check(error, "fork")
    withExtendedLifetime(box) {}
    return ForkedChild(id: child)
  }

  /// Runs a closure on the calling thread, which signals interrupt without end meanwhile; no system call is restarted.
  ///
  /// - Returns: What the closure returns, and how many signals came.
  public static func interrupting<T>(_ body: () throws -> T) throws -> (value: T, count: Int) {
    let before = live_interruptions()
    guard let interruption = unsafe live_interrupt() else { throw LiveError("interrupt", "no thread for it") }
    defer { unsafe live_interrupt_end(interruption) }
    let value = try body()
    return (value, live_interruptions() - before)
  }

  /// How many signals interrupted threads so far.
  public static var interruptions: Int { live_interruptions() }

  /// Lets the calling thread take all signals, and those that it starts.
  public static func unblockSignals() { live_unblock_signals() }

  private final class Box {
    let body: @Sendable () -> Int32

    init(_ body: @escaping @Sendable () -> Int32) { self.body = body }
  }
}

/// A child of this process that runs no other program.
public struct ForkedChild: Sendable {
  fileprivate let id: pid_t

  /// Waits for its end, and returns its exit status, or 128 and the number of the signal that ended it.
  public func wait() throws -> Int32 {
    var status: Int32 = 0
    try LiveError.check(unsafe live_await(id, &status), "waitpid")
    return status
  }
}

/// A descriptor that this process has open.
public struct OpenDescriptor: Hashable, Sendable {
  /// Its number.
  public let number: Int32

  /// Stands for a descriptor.
  public init(_ number: Int32) { self.number = number }

  /// All that are open.
  public static var all: Set<OpenDescriptor> {
    // No process of tests has as many.
    Set((0..<4096).filter { fcntl($0, F_GETFD) >= 0 }.map { OpenDescriptor($0) })
  }

  /// What it stands for, such as `socket:[123]` or `anon_inode:[timerfd]`.
  public var name: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let count = unsafe readlink("/proc/self/fd/\(number)", &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether programs that this process starts do not get it.
  public var closesOnExec: Bool { fcntl(number, F_GETFD) & FD_CLOEXEC != 0 }

  /// Whether it is a netlink socket.
  public var isNetlink: Bool { live_socket_family(number) == AF_NETLINK }

  /// Makes a socket's receive buffer as small as the kernel allows.
  public func shrink() throws { try LiveError.check(live_shrink(number), "setsockopt(SO_RCVBUF)") }

  /// Has a netlink socket hear no announcements any more.
  public func leaveGroups() {
    for group in 1...Int32(40) { live_leave_group(number, group) }
  }

  /// Lets a timer have expired now.
  public func fire() throws { try LiveError.check(live_fire_timer(number), "timerfd_settime") }

  /// Puts something else in its place, which is neither a socket nor a timer, and returns what it was.
  public func replace() throws -> OpenDescriptor {
    let saved = fcntl(number, F_DUPFD_CLOEXEC, 512)
    let nothing = unsafe open("/proc/self/oom_score", O_RDONLY | O_CLOEXEC)
    guard saved >= 0, nothing >= 0 else { throw LiveError("replace a descriptor", errorNumber: errno) }
    defer { live_close(nothing) }
    try LiveError.check(live_replace(number, nothing), "dup3")
    return OpenDescriptor(saved)
  }

  /// Puts back what ``replace()`` returned.
  public func restore(_ saved: OpenDescriptor) throws {
    try LiveError.check(live_replace(number, saved.number), "dup3")
    saved.close()
  }

  /// Closes it.
  public func close() { live_close(number) }
}

/// What a closure comes to that runs on a thread of its own.
public final class ApartResult<T: Sendable>: Sendable {
  private let worker = Worker()
  private let thread: UInt
  private let outcome: Outcome<T>

  fileprivate init(in network: NetworkNamespace, _ body: @escaping @Sendable () throws -> T) throws {
    thread = try network.run { [worker] in try worker.start() }
    outcome = try worker.begin(body)
  }

  deinit {
    worker.stop()
    live_thread_end(thread, 10)
  }

  /// Waits for the result.
  public func wait(within limit: Duration = .seconds(60)) throws -> T { try outcome.wait(limit) }
}

extension NetworkNamespace {
  /// Begins to run a closure in the namespace on a thread of its own, so that what is done to the thread stays there.
  public func startApart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> ApartResult<T> {
    try ApartResult(in: self, body)
  }

  /// Runs a closure in the namespace on a thread of its own, so that what is done to the thread stays there.
  public func runApart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
    try startApart(body).wait()
  }
}
#endif
