// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CommandLineSupport
import Dispatch
import POSIX
import Synchronization

/// Another program that is run again and again, one run after the other.
final class ChildProgram: Sendable {
  private enum Life {
    case idle
    case running(pid_t)
    case stopped
  }

  /// Held from the creation of a pipe until its child has started, so that no other child inherits the pipe.
  private static let starting = Mutex(())

  private let path: String
  private let words: [String]
  private let hasEnvironment: Bool
  private let life = Mutex(Life.idle)

  /// - Parameters:
  ///   - path: The path of the program.
  ///   - words: Its arguments.
  ///   - hasEnvironment: Whether it has the environment of this process, or none.
  init(at path: String, _ words: [String], hasEnvironment: Bool = true) {
    self.path = path
    self.words = words
    self.hasEnvironment = hasEnvironment
  }

  /// Runs the program to its end.
  ///
  /// - Returns: Its exit status and the first four kilobytes of its output; `nil` if it could not run, or was stopped.
  func run() -> (status: Int32, output: String)? {
    var output: [UInt8] = []
    let status = run { if output.count < Self.blockSize { output += $0 } }
    return status.map { ($0, String(decoding: output, as: UTF8.self)) }
  }

  /// Runs the program to its end, and passes on the parts of its output as they arrive.
  ///
  /// The program receives `SIGPIPE`, or sees a closed pipe, if this process ends before it.
  ///
  /// - Returns: Its exit status; `nil` if it could not run, or was stopped.
  func run(receiving receive: (ArraySlice<UInt8>) -> Void) -> Int32? {
    guard let (child, reading) = startReading() else { return nil }
    defer { _ = close(reading) }
    read(reading, receive)
    // It has closed its output, so it ends now. Under the lock, since its number may be another process's afterwards.
    return life.withLock { life in
      var status: CInt = 0
      while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
      guard case .running = life else { return nil }
      life = .idle
      // Exited, rather than ended by a signal.
      return status & 0x7f == 0 ? status >> 8 & 0xff : nil
    }
  }

  /// Runs the program to its end, but no longer than a time limit, and reads no more output than a limit in bytes.
  ///
  /// - Returns: Its exit status and its output; `nil` if it could not run, or exceeded a limit.
  func run(within timeout: Duration, upTo limit: Int) -> (status: Int32, output: [UInt8])? {
    let alarm = DeadlineTimer.call(at: .now + timeout, on: DispatchQueue(label: "reachability.child")) {
      [self] in stop()
    }
    defer { alarm.cancel() }
    var output: [UInt8] = []
    let status = run { piece in
      if output.count + piece.count > limit { stop() } else { output += piece }
    }
    return status.map { ($0, output) }
  }

  /// Ends the present run, and prevents others.
  func stop() {
    life.withLock { life in
      if case .running(let child) = life { kill(child, SIGTERM) }
      life = .stopped
    }
  }

  /// Starts the program unless it was stopped, and returns the end of a pipe for reading its output.
  private func startReading() -> (child: pid_t, reading: CInt)? {
    Self.starting.withLock { _ in
      var (reading, writing): (CInt, CInt) = (-1, -1)
      guard openPipe(&reading, &writing) else { return nil }
      defer { _ = close(writing) }
      let child = life.withLock { life -> pid_t? in
        guard case .idle = life, let child = start(writing) else { return nil }
        life = .running(child)
        return child
      }
      if let child { return (child, reading) }
      _ = close(reading)
      return nil
    }
  }

  private func openPipe(_ reading: inout CInt, _ writing: inout CInt) -> Bool {
    var ends: [2 of CInt] = [-1, -1]
    var span = ends.mutableSpan
    guard unsafe span.withUnsafeMutableBufferPointer({ unsafe pipe($0.baseAddress) }) == 0 else {
      return false
    }
    (reading, writing) = (ends[0], ends[1])
    for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return true
  }

  /// Starts the program with a descriptor as its standard output.
  private func start(_ output: CInt) -> pid_t? {
    let vector = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
    defer { unsafe vector.forEach { unsafe free($0) } }
    // Both hold pointers with musl, the first with glibc.
    var (actions, attributes) = unsafe (posix_spawn_file_actions_t(), posix_spawnattr_t())
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    // An ignored signal would stay ignored, which programs do not expect.
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var (defaults, mask) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&mask)
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var child: pid_t = 0
    var nothing: UnsafeMutablePointer<CChar>? = nil
    let result = unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
      let variables = unsafe hasEnvironment ? environ : nothing
      return unsafe posix_spawn(&child, path, &actions, &attributes, vector, variables)
    }
    return result == 0 ? child : nil
  }

  private static let blockSize = 4096

  private func read(_ descriptor: CInt, _ receive: (ArraySlice<UInt8>) -> Void) {
    var buffer = [UInt8](repeating: 0, count: Self.blockSize)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe readBytes(descriptor, $0) }
      if count > 0 {
        receive(buffer[..<count])
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}

// Outside of the type, where `read` is its own.
private func readBytes(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(descriptor, buffer.baseAddress, buffer.count)
}

/// The replacement of this process by another program.
enum Execution {
  /// Replaces this process by another program, found in this program's folder or else in `PATH`.
  ///
  /// - Returns: Only on failure: each path at which something exists, with its error number, and the folder of this program.
  static func become(_ program: String, _ arguments: [Argument]) -> (
    failures: [(path: String, error: CInt)], home: String?
  ) {
    var failures: [(path: String, error: CInt)] = []
    for path in paths(of: program) {
      let error = execute(path, [Argument(program)] + arguments)
      if error != ENOENT, error != ENOTDIR { failures.append((path, error)) }
    }
    return (failures, folder)
  }

  /// The path of a program in this program's folder, or in `libexec` beside it; `nil` if there is none.
  ///
  /// Not in `PATH`, for a program that keeps a privilege; and none in secure execution.
  static func trustedPath(of program: String) -> String? {
    guard !ProcessIdentity.isInSecureExecution, let folder, folder.hasPrefix("/") else { return nil }
    return ["\(folder)/\(program)", "\(folder)/../libexec/\(program)"]
      .first { unsafe access($0, X_OK) == 0 }
  }

  /// The first path at which a program can be executed; `nil` if there is none.
  static func path(of program: String) -> String? {
    paths(of: program).first { unsafe access($0, X_OK) == 0 }
  }

  /// The paths at which a program may be; none in secure execution, where the caller chose both folder and `PATH`.
  private static func paths(of program: String) -> [String] {
    if ProcessIdentity.isInSecureExecution { return [] }
    let search =
      unsafe getenv("PATH").map { text in unsafe String(cString: text) } ?? "/usr/local/bin:/usr/bin:/bin"
    // An empty part of PATH means the working directory, which may hold anybody's programs.
    let folders = [folder].compactMap(\.self) + search.split(separator: ":").map(String.init)
    return folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }

  /// Returns the error number, and only on failure.
  private static func execute(_ path: String, _ words: [Argument]) -> CInt {
    let vector = unsafe words.map { unsafe $0.allocated() } + [nil]
    defer { unsafe vector.forEach { unsafe free($0) } }
    // An ignored signal stays ignored in the new program, which does not expect that.
    signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, SIG_IGN) }
    _ = unsafe execv(path, vector)
    return errno
  }

  /// The folder of this program; `nil` where the system does not report it.
  static var folder: String? {
    let size = Int(PATH_MAX)
    var bytes = [CChar](repeating: 0, count: size + 1)
    #if canImport(Darwin)
    var count = UInt32(size)
    guard unsafe _NSGetExecutablePath(&bytes, &count) == 0 else { return nil }
    #else
    guard unsafe readlink("/proc/self/exe", &bytes, size) > 0 else { return nil }
    #endif
    let path = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}
