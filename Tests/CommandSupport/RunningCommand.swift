// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport

/// The command under test while it runs.
///
/// It is killed with this object. Every wait has a deadline, after which it throws an error with the output so far.
package final class RunningCommand {
  /// A stream of the command.
  package enum Stream {
    case output
    case errors
  }

  /// The time limit of operations that take a moment alone, and longer beside a build.
  package static let timeLimit = Duration.seconds(90)

  private let output: Channel
  private let errors: Channel
  private let isReport: Bool
  /// The process of the command, or of the shell that starts it.
  package let processID: pid_t
  private var status: Int32?

  /// Starts the command.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the command's name.
  ///   - program: The command's name.
  ///   - network: The network of the command; `nil` for the machine's own, for commands that need none.
  ///   - terminals: The streams that are terminals; the others are pipes.
  ///   - size: The columns and rows of the terminal of standard output; `nil` for one without a size.
  ///   - environment: Variables to set in addition to those of this process, and to a locale with UTF-8.
  ///   - shell: A shell command that starts the command as `"$@"`.
  ///   - isRead: Whether standard output has a reader.
  ///   - isBlocking: Whether a write to a full pipe waits.
  package init(
    _ arguments: [String], of program: String = "reachability", in network: NetworkNamespace? = nil,
    terminals: Set<Stream> = [], size: (columns: Int, rows: Int)? = nil,
    environment: [String: String] = [:], through shell: String? = nil,
    isRead: Bool = true, isBlocking: Bool = true
  ) throws {
    let path = try Executable(program).path
    isReport = program == "reachability-report"
    output = try Channel(isTerminal: terminals.contains(.output))
    errors = try Channel(isTerminal: terminals.contains(.errors))
    if let size { output.resize(columns: size.columns, rows: size.rows) }
    if !isRead { output.close() }
    if !isBlocking {
      for channel in [output, errors] { _ = fcntl(channel.writingEnd, F_SETFL, O_WRONLY | O_NONBLOCK) }
    }

    var variables = ProcessInfo.processInfo.environment
    for name in ["NO_COLOR", "POSIXLY_CORRECT"] { variables[name] = nil }
    variables["LC_ALL"] = "C.UTF-8"
    variables.merge(environment) { $1 }
    let spawn = Spawn(
      words: (shell.map { ["/bin/sh", "-c", $0, "sh"] } ?? []) + [path] + arguments,
      environment: variables.map { "\($0)=\($1)" }, output: output.writingEnd, errors: errors.writingEnd)
    processID = try network.map { try $0.run { try spawn() } } ?? spawn()
    output.closeWritingEnd()
    errors.closeWritingEnd()
  }

  deinit {
    guard status == nil else { return }
    kill(processID, SIGKILL)
    waitpid(processID, nil, 0)
  }

  /// The text with equal times; those of a report are from its records, and stay.
  private func equalised(_ text: String) -> String {
    let text = text.withEqualTimesAndIndexes
    return isReport ? text : text.withEqualLocalTimes
  }

  /// Waits for the next complete line of a stream; returns it without its line feed and with equal times.
  package func nextLine(of stream: Stream = .output) throws -> String {
    let deadline = ContinuousClock.now + Self.timeLimit
    let channel = stream == .output ? output : errors
    while true {
      if let line = channel.takeLine() { return equalised(line) }
      guard channel.isOpen else { throw failure("no further line") }
      try pump(until: deadline)
    }
  }

  /// Waits until the output so far meets a condition, and returns it with equal times.
  package func output(until isMet: (String) -> Bool) throws -> String {
    let deadline = ContinuousClock.now + Self.timeLimit
    while true {
      let text = equalised(output.text)
      if isMet(text) { return text }
      guard output.isOpen else { throw failure("no further output") }
      try pump(until: deadline)
    }
  }

  /// The output so far, with its times.
  package var outputWithTimes: String { output.text }

  /// Changes the size of the terminal of standard output.
  package func resize(columns: Int, rows: Int) { output.resize(columns: columns, rows: rows) }

  /// Types a text on the terminal of standard output.
  package func type(_ text: String) { output.type(text) }

  /// Closes the reading end of standard output.
  package func closeOutput() {
    output.close()
  }

  /// Waits until the command has filled the pipe, without reading it.
  package func waitUntilOutputIsFull() throws {
    let deadline = ContinuousClock.now + Self.timeLimit
    while output.waiting < output.capacity * 9 / 10 {
      guard ContinuousClock.now < deadline else { throw failure("only \(output.waiting) bytes written") }
      usleep(1000)
    }
  }

  package func send(_ signal: Int32) {
    kill(processID, signal)
  }

  /// Reads the streams to their ends; returns them with equal times, and the exit status.
  package func finish(within limit: Duration = timeLimit) throws -> Outcome {
    let deadline = ContinuousClock.now + limit
    while output.isOpen || errors.isOpen { try pump(until: deadline) }
    return Outcome(
      status: try exitStatus(until: deadline), output: equalised(output.text),
      errors: equalised(errors.text))
  }

  /// Waits for the command's end without reading its streams.
  package func exitStatus(within limit: Duration = timeLimit) throws -> Int32 {
    try exitStatus(until: .now + limit)
  }

  private func exitStatus(until deadline: ContinuousClock.Instant) throws -> Int32 {
    if let status { return status }
    var word: Int32 = 0
    while unsafe waitpid(processID, &word, WNOHANG) == 0 {
      guard ContinuousClock.now < deadline else { throw failure("no end") }
      usleep(1000)
    }
    let ended = Outcome.status(of: word)
    status = ended
    return ended
  }

  /// Waits until data arrives or a stream ends.
  private func pump(until deadline: ContinuousClock.Instant) throws {
    let open = [output, errors].filter(\.isOpen)
    var polled = open.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
    guard left > 0 else { throw failure("no end") }
    guard unsafe poll(&polled, nfds_t(polled.count), Int32(left.rounded(.up))) > 0 else { return }
    for (channel, result) in zip(open, polled) where result.revents != 0 { channel.take() }
  }

  private func failure(_ problem: String) -> CommandError {
    CommandError("\(problem); output: '\(output.text)', errors: '\(errors.text)'")
  }
}

/// Runs the command to its end.
package func reachability(
  _ arguments: String..., in network: NetworkNamespace? = nil, environment: [String: String] = [:]
) throws -> Outcome {
  try RunningCommand(arguments, in: network, environment: environment).finish()
}
#endif
