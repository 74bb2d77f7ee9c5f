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

  /// - Parameter hasEnvironment: Whether it has the environment of this process, or none.
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
    var buffer = [UInt8](repeating: 0, count: Self.blockSize)
    while case let count = Pipe.read(reading, into: &buffer), count > 0 { receive(buffer[..<count]) }
    // It has closed its output, so it ends now. Under the lock, since its number may be another process's afterwards.
    return life.withLock { life in
      let status = ChildProcess.status(atEndOf: child)
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
      guard let (reading, writing) = try? Pipe.open() else { return nil }
      defer { _ = close(writing) }
      let child = life.withLock { life -> pid_t? in
        guard case .idle = life,
          let child = try? ChildProcess.start(
            [path] + words, at: path, streams: [writing: 1], hasEnvironment: hasEnvironment)
        else { return nil }
        life = .running(child)
        return child
      }
      if let child { return (child, reading) }
      _ = close(reading)
      return nil
    }
  }

  private static let blockSize = 4096
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
    for path in InstalledProgram.paths(of: program) {
      let error = execute(path, [Argument(program)] + arguments)
      if error != ENOENT, error != ENOTDIR { failures.append((path, error)) }
    }
    return (failures, InstalledProgram.ownFolder)
  }

  /// The path of a program in this program's folder, or in `libexec` beside it; `nil` if there is none.
  ///
  /// Not in `PATH`, for a program that keeps a privilege; and none in secure execution.
  static func trustedPath(of program: String) -> String? {
    guard !ProcessIdentity.isInSecureExecution, let folder = InstalledProgram.ownFolder, folder.hasPrefix("/")
    else { return nil }
    return ["\(folder)/\(program)", "\(folder)/../libexec/\(program)"]
      .first { unsafe access($0, X_OK) == 0 }
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
}
