// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Real faults of the system.
public enum Faults {
  /// Makes a system call fail for good, in the calling thread and all that it starts.
  ///
  /// - Parameters:
  ///   - call: The name of the call, for example `socket`.
  ///   - argument: The position and value of the argument to match; `nil` for every call.
  ///   - error: The error number of the failing call.
  public static func refuse(
    _ call: String, where argument: (position: Int32, value: UInt32)? = nil, with error: Int32
  ) throws {
    let failure = unsafe live_refuse(call, argument?.position ?? -1, argument?.value ?? 0, error)
    try LiveError.check(failure, "refuse \(call)")
  }

  /// Prevents the calling thread, and programs that it starts, from starting threads, as at the limit of threads.
  public static func refuseThreads() throws {
    // The filter sees only a pointer of the newer call; after ENOSYS the C library uses the older one.
    try refuse("clone3", with: ENOSYS)
    // The flags of glibc and Musl for threads: CLONE_VM, CLONE_THREAD and others, with and without CLONE_DETACHED.
    for flags in [0x3d_0f00, 0x7d_0f00] as [UInt32] { try refuse("clone", where: (0, flags), with: EAGAIN) }
  }

  /// Sets the limit of descriptors of this process; `nil` for the maximum.
  public static func limitDescriptors(to limit: Int?) throws {
    try LiveError.check(live_limit_descriptors(limit ?? -1), "setrlimit(RLIMIT_NOFILE)")
  }

  /// The processor time that this process has used.
  public static var processorTime: Duration { .nanoseconds(live_processor_time()) }

  /// Disables per-thread memory pools of the allocator, since the number of threads served concurrently is random.
  public static func useOneArena() { live_use_one_arena() }

  /// Forks without starting another program, and returns immediately.
  ///
  /// - Parameters:
  ///   - seconds: The longest lifetime of the child.
  ///   - body: The actions of the child, which exits with the returned status.
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

  /// Runs a closure while a program holds the kernel's lock of all changes to networks (RTNL): no network changes meanwhile.
  ///
  /// - Returns: `nil` where the kernel or the user does not permit that.
  public static func holdingKernelLock<T>(_ body: () throws -> T) rethrows -> T? {
    guard let lock = unsafe live_hold_kernel_lock() else { return nil }
    defer { unsafe live_release_kernel_lock(lock) }
    return try body()
  }

  /// Whether ``holdingKernelLock(_:)`` works here.
  public static let canHoldKernelLock = holdingKernelLock {} != nil

  /// Runs a closure on the calling thread under constant signals that do not restart system calls.
  ///
  /// - Returns: The result of the closure, and the number of signals.
  public static func interrupting<T>(_ body: () throws -> T) throws -> (value: T, count: Int) {
    let before = live_interruptions()
    guard let interruption = unsafe live_interrupt() else { throw LiveError("interrupt", "no thread for it") }
    defer { unsafe live_interrupt_end(interruption) }
    let value = try body()
    return (value, live_interruptions() - before)
  }

  /// The number of signals that have interrupted threads so far.
  public static var interruptions: Int { live_interruptions() }

  /// Unblocks all signals in the calling thread and the threads that it starts.
  public static func unblockSignals() { live_unblock_signals() }

  private final class Box {
    let body: @Sendable () -> Int32

    init(_ body: @escaping @Sendable () -> Int32) { self.body = body }
  }
}

/// A child of this process that runs no other program.
public struct ForkedChild: Sendable {
  fileprivate let id: pid_t

  /// Waits for its end, and returns its exit status, or 128 plus the number of the signal that ended it.
  public func wait() throws -> Int32 {
    var status: Int32 = 0
    try LiveError.check(unsafe live_await(id, &status), "waitpid")
    return status
  }
}

/// An open descriptor of this process.
public struct OpenDescriptor: Hashable, Sendable {
  /// The descriptor number.
  public let number: Int32

  /// Wraps a descriptor number.
  public init(_ number: Int32) { self.number = number }

  /// All open descriptors.
  public static var all: Set<OpenDescriptor> {
    // Test processes stay below this number.
    Set((0..<4096).filter { fcntl($0, F_GETFD) >= 0 }.map { OpenDescriptor($0) })
  }

  /// The target of the descriptor, for example `socket:[123]` or `anon_inode:[timerfd]`.
  public var name: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let count = unsafe readlink("/proc/self/fd/\(number)", &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether started programs do not inherit the descriptor.
  public var closesOnExec: Bool { fcntl(number, F_GETFD) & FD_CLOEXEC != 0 }

  /// Whether the descriptor is a netlink socket.
  public var isNetlink: Bool { live_socket_family(number) == AF_NETLINK }

  /// Shrinks the receive buffer of a socket to the kernel's minimum.
  public func shrink() throws { try LiveError.check(live_shrink(number), "setsockopt(SO_RCVBUF)") }

  /// Makes a netlink socket leave its multicast groups.
  public func leaveGroups() {
    for group in 1...Int32(40) { live_leave_group(number, group) }
  }

  /// Makes a timer expire now.
  public func fire() throws { try LiveError.check(live_fire_timer(number), "timerfd_settime") }

  /// Replaces the descriptor by one that is neither a socket nor a timer, and returns the old one.
  public func replace() throws -> OpenDescriptor {
    let saved = fcntl(number, F_DUPFD_CLOEXEC, 512)
    let nothing = unsafe open("/proc/self/oom_score", O_RDONLY | O_CLOEXEC)
    guard saved >= 0, nothing >= 0 else { throw LiveError("replace a descriptor", errorNumber: errno) }
    defer { live_close(nothing) }
    try LiveError.check(live_replace(number, nothing), "dup3")
    return OpenDescriptor(saved)
  }

  /// Restores the descriptor that ``replace()`` returned.
  public func restore(_ saved: OpenDescriptor) throws {
    try LiveError.check(live_replace(number, saved.number), "dup3")
    saved.close()
  }

  /// Closes the descriptor.
  public func close() { live_close(number) }
}

/// The result of a closure that runs on a separate thread.
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
  /// Starts a closure in the namespace on a separate thread, so that changes to the thread stay local.
  public func startApart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> ApartResult<T> {
    try ApartResult(in: self, body)
  }

  /// Runs a closure in the namespace on a separate thread, so that changes to the thread stay local.
  public func runApart<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
    try startApart(body).wait()
  }
}
#endif
