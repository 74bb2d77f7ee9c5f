#if os(Linux)
import Foundation
import LiveSupport

/// The command under test while it runs.
///
/// It is killed when this object goes. Every wait has a deadline and then throws what was written until then.
package final class RunningCommand {
  /// A stream that the command writes.
  package enum Stream {
    case output
    case errors
  }

  /// How long anything may take that takes a moment.
  package static let patience = Duration.seconds(20)

  private let output: Channel
  private let errors: Channel
  private let processID: pid_t
  private var status: Int32?

  /// Starts the command.
  ///
  /// - Parameters:
  ///   - arguments: What stands after the command's name.
  ///   - program: The command's name.
  ///   - network: Where it runs; `nil` for the machine's own network, for what needs none.
  ///   - terminals: The streams that are terminals; the others are pipes.
  ///   - environment: Variables to set besides those of this process.
  ///   - shell: A shell command that starts the command as `"$@"`.
  ///   - isRead: Whether anyone reads what the command writes as data.
  ///   - isBlocking: Whether a write to a pipe that is full waits.
  package init(
    _ arguments: [String], of program: String = "reachability", in network: NetworkNamespace? = nil,
    terminals: Set<Stream> = [],
    environment: [String: String] = [:], through shell: String? = nil,
    isRead: Bool = true, isBlocking: Bool = true
  ) throws {
    let path = try Executable(program).path
    output = try Channel(isTerminal: terminals.contains(.output))
    errors = try Channel(isTerminal: terminals.contains(.errors))
    if !isRead { output.close() }
    if !isBlocking {
      for channel in [output, errors] { _ = fcntl(channel.writingEnd, F_SETFL, O_WRONLY | O_NONBLOCK) }
    }

    var variables = ProcessInfo.processInfo.environment
    for name in ["NO_COLOR", "POSIXLY_CORRECT"] { variables[name] = nil }
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

  /// Waits for the next whole line of a stream, and returns it without its end and with times made equal.
  package func nextLine(of stream: Stream = .output) throws -> String {
    let deadline = ContinuousClock.now + Self.patience
    let channel = stream == .output ? output : errors
    while true {
      if let line = channel.takeLine() { return line.withEqualTimes }
      guard channel.isOpen else { throw failure("no further line") }
      try pump(until: deadline)
    }
  }

  /// Stops reading what the command writes as data.
  package func closeOutput() {
    output.close()
  }

  /// Waits until the command has filled the pipe, which nobody reads meanwhile.
  package func waitUntilOutputIsFull() throws {
    let deadline = ContinuousClock.now + Self.patience
    while output.waiting < output.capacity * 9 / 10 {
      guard ContinuousClock.now < deadline else { throw failure("only \(output.waiting) bytes written") }
      usleep(1000)
    }
  }

  package func send(_ signal: Int32) {
    kill(processID, signal)
  }

  /// Reads the streams to their ends and returns them, with times made equal, and the exit status.
  package func finish(within limit: Duration = patience) throws -> Outcome {
    let deadline = ContinuousClock.now + limit
    while output.isOpen || errors.isOpen { try pump(until: deadline) }
    return Outcome(
      status: try exitStatus(until: deadline), output: output.text.withEqualTimes,
      errors: errors.text.withEqualTimes)
  }

  /// Waits for the command's end without reading its streams.
  package func exitStatus(within limit: Duration) throws -> Int32 {
    try exitStatus(until: .now + limit)
  }

  private func exitStatus(until deadline: ContinuousClock.Instant) throws -> Int32 {
    if let status { return status }
    var word: Int32 = 0
    while unsafe waitpid(processID, &word, WNOHANG) == 0 {
      guard ContinuousClock.now < deadline else { throw failure("no end") }
      usleep(1000)
    }
    // As a shell tells it: the exit status, or 128 and the signal.
    let ended = word & 0x7f == 0 ? word >> 8 & 0xff : 128 + word & 0x7f
    status = ended
    return ended
  }

  /// Waits until something comes or a stream ends.
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
#endif
