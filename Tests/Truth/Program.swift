// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import LiveSupport
import Synchronization

/// A running program, with the time at which each line of its output arrived.
final class Program: Sendable {
  struct Line: Sendable {
    var time: ContinuousClock.Instant
    var text: Substring
  }

  let process: pid_t
  private let input: Int32
  private let lines = Mutex<[Line]>([])
  private let isRead = DispatchSemaphore(value: 0)

  /// Starts a program; its standard input ends with ``stop()``.
  init(_ words: [String], in network: NetworkNamespace? = nil) throws {
    var pipes: [[Int32]] = [[-1, -1], [-1, -1]]
    for position in pipes.indices {
      guard unsafe pipe(&pipes[position]) == 0 else { throw CommandError("pipe: error \(errno)") }
      for descriptor in pipes[position] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }
    let spawn = Spawn(
      words: words, environment: ProcessInfo.processInfo.environment.map { "\($0)=\($1)" },
      input: pipes[0][0],
      output: pipes[1][1])
    defer { for descriptor in [pipes[0][0], pipes[1][1]] { close(descriptor) } }
    input = pipes[0][1]
    process = try network.map { try $0.run { try spawn() } } ?? spawn()
    let output = pipes[1][0]
    Thread.detachNewThread { [self] in read(output) }
  }

  private func read(_ output: Int32) {
    var rest = ""
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe Glibc.read(output, &buffer, buffer.count)
      let now = ContinuousClock.now
      guard count > 0 else { break }
      rest += String(decoding: buffer[..<count], as: UTF8.self)
      while let end = rest.firstIndex(of: "\n") {
        lines.withLock { $0.append(Line(time: now, text: rest[..<end])) }
        rest = String(rest[rest.index(after: end)...])
      }
    }
    close(output)
    isRead.signal()
  }

  /// The lines so far.
  var output: [Line] { lines.withLock { $0 } }

  /// Waits for the end; returns the exit status and the output.
  func finish(within seconds: Double) throws -> (status: Int32, text: String) {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, WNOHANG) == 0 {
      if ContinuousClock.now > deadline {
        kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
        throw CommandError("no end after \(seconds) s")
      }
      usleep(500)
    }
    close(input)
    _ = isRead.wait(timeout: .now() + 5)
    let text = output.map { String($0.text) }.joined(separator: "\n")
    return (Outcome.status(of: status), text)
  }

  /// Ends the program.
  func stop() {
    kill(process, SIGTERM)
    kill(process, SIGCONT)
    _ = try? finish(within: 10)
  }
}

/// A competitor that reports changes.
final class Watcher: Sendable {
  struct Report: Sendable {
    var time: ContinuousClock.Instant
    var isUsable: Bool
  }

  private let competitor: Competitor
  let program: Program

  init(_ competitor: Competitor, on machine: NetworkNamespace) throws {
    self.competitor = competitor
    program = try Program(competitor.watch, in: machine)
  }

  var reports: [Report] {
    program.output.compactMap { line in
      competitor.reading(of: line.text).map { Report(time: line.time, isUsable: $0) }
    }
  }

  /// Stops or continues all its processes.
  func signal(_ number: Int32) {
    for process in ProcessTree(of: program.process).processes { kill(process, number) }
  }

  /// Waits for the first report; returns whether there was one before the program ended.
  func begins(within seconds: Double) -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while reports.isEmpty {
      var information = unsafe siginfo_t()
      let result = unsafe waitid(P_PID, id_t(program.process), &information, WEXITED | WNOHANG | WNOWAIT)
      let hasEnded = result == 0 && (unsafe information._sifields._sigchld.si_pid) != 0
      if hasEnded || ContinuousClock.now > deadline { return !reports.isEmpty }
      usleep(500)
    }
    return true
  }

  func stop() { program.stop() }
}
