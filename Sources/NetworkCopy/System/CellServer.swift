// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CNamespaces
import CPOSIX
import Netlink
import POSIX

/// The first process of a cell: changes settings, and runs commands one after the other.
enum CellServer {
  /// Answers a message of the other side.
  static func answer(_ message: DescriptorMessage, outside: NamespaceIdentities) throws(CellFailure) {
    let words = CellMessage.words(in: message.bytes)
    switch message.bytes.first.map({ Character(Unicode.Scalar($0)) }) {
    case "k": try CellProcess.send(.init(CellMessage.words("k", [request(message.bytes) ?? ""])))
    case "s": try CellProcess.send(.init(CellMessage.words("s", change(settings: words))))
    case "r" where words.count > 2 && message.descriptors.count == 3:
      let command = CellCommand(
        folder: words[0], hasTerminal: words[1] == "terminal", words: Array(words[2...]),
        streams: message.descriptors)
      try run(command, outside: outside)
    default: throw CellFailure("the copy of the network received an unknown message")
    }
  }

  /// Writes settings, of which each is a path and a value; returns the paths of those that were refused.
  private static func change(settings: [String]) -> [String] {
    stride(from: 0, to: settings.count - 1, by: 2).compactMap { place in
      do throws(Errno) {
        try SystemFile.write(settings[place + 1], to: settings[place])
        return nil
      } catch {
        return settings[place]
      }
    }
  }

  /// Sends a request of rtnetlink: its type, its flags, its payload; returns why it was refused.
  private static func request(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 5 else { return "the request is too short" }
    let span = RawSpan(_elements: bytes.span)
    do {
      let type = MessageType(rawValue: try span.integer(at: 1, before: bytes.count))
      let flags = MessageFlags(rawValue: try span.integer(at: 3, before: bytes.count))
      var conversation = Conversation(over: try KernelTransport())
      try conversation.acknowledged("add a rule", type: type, flags: flags) {
        $0.append(bytes: Array(bytes[5...]))
      }
      return nil
    } catch let error as NetlinkError {
      return error.cause
    } catch {
      return "\(error)"
    }
  }

  private static func run(_ command: CellCommand, outside: NamespaceIdentities) throws(CellFailure) {
    let (reading, writing) = try Cell.openPipe()
    let child = cns_fork()
    try CellProcess.check("start a process", child)
    if child == 0 { command.execute(reporting: writing, outside: outside) }
    _ = close(writing)
    defer { _ = close(reading) }
    // The end of the pipe means that the command runs.
    var failure = [UInt8](repeating: 0, count: 1024)
    let count = Pipe.read(reading, into: &failure)
    if count > 0 {
      let text = String(decoding: failure.prefix(count), as: UTF8.self)
      try CellProcess.send(.init(CellMessage.words("x", [text])))
      return
    }
    try CellProcess.send(.init(CellMessage.words("b", [])))
    let status = try end(of: child)
    try CellProcess.send(.init(CellMessage.words("e", [String(status), String(leftProcesses())])))
  }

  /// The number of processes that a command left behind, after a moment for those that are ending.
  private static func leftProcesses() -> Int {
    var count = 0
    for _ in 0..<20 {
      var status: CInt = 0
      while unsafe waitpid(-1, &status, WNOHANG) > 0 {}
      // This one is the only other.
      count = SystemFile.entries(of: "/proc", upTo: 100_000).count { Int($0) != nil } - 1
      if count == 0 { break }
      _ = poll(nil, 0, 10)
    }
    return count
  }

  /// Waits for a command, and for others that have lost their parents; returns its status as `waitpid(2)` has it.
  private static func end(of child: pid_t) throws(CellFailure) -> CInt {
    // pidfd_open, to wait for the end and for the other side at once.
    let process = CInt(cns_open_process(child))
    try CellProcess.check("wait for a process", process)
    defer { _ = close(process) }
    while true {
      var wanted: [2 of pollfd] = [
        pollfd(fd: process, events: Int16(POLLIN), revents: 0),
        pollfd(fd: CellProcess.socket, events: 0, revents: 0),
      ]
      var span = wanted.mutableSpan
      _ = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, 2, -1) }
      if wanted[1].revents != 0 { _exit(0) }
      var status: CInt = 0
      while true {
        let ended = unsafe waitpid(-1, &status, WNOHANG)
        if ended == child { return status }
        guard ended > 0 else { break }
      }
    }
  }
}

/// A command of the cell, and the process that becomes it.
struct CellCommand {
  var folder: String
  var hasTerminal: Bool
  var words: [String]
  /// Its standard streams.
  var streams: [CInt]

  /// Confines this process and executes the command; never returns.
  ///
  /// - Parameter report: A pipe for the reason why it does not run.
  func execute(reporting report: CInt, outside: NamespaceIdentities) -> Never {
    do throws(Errno) {
      setsid()
      for (place, stream) in streams.enumerated() {
        guard dup2(stream, CInt(place)) >= 0 else { throw .last }
      }
      // TIOCSCTTY: a new session has no terminal, and this one is its own.
      if hasTerminal { _ = cns_control(0, 0x540e) }
      _ = unsafe chdir(folder)
      try Confinement.limitResources()
      try Confinement.dropCapabilities()
      // Nothing runs unless each namespace is another one.
      guard NamespaceIdentities.current.differ(from: outside) else {
        fail("the namespaces of the copy are those of this machine", report)
      }
      try Confinement.filterCalls()
    } catch {
      fail("could not confine the command: \(error)", report)
    }
    let terminal = unsafe getenv("TERM").map { unsafe String(cString: $0) }
    clearenv()
    let environment = [
      ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), ("HOME", "/tmp"),
      ("USER", "root"),
      ("LANG", "C.UTF-8"), ("TERM", terminal ?? "dumb"), ("PS1", "copy# "),
    ]
    for (name, value) in environment { _ = unsafe setenv(name, value, 1) }
    // The socket of the cell above all. The execution closes the report.
    let last = dup2(report, CellProcess.socket)
    guard last >= 0, cposix_close_from(UInt32(last) + 1) == 0, fcntl(last, F_SETFD, FD_CLOEXEC) == 0 else {
      fail("could not close descriptors: \(Errno.last)", report)
    }
    for signal in 1..<CInt(32) { _ = CLibrary.signal(signal, SIG_DFL) }
    let vector = unsafe words.map { unsafe strdup($0) } + [nil]
    _ = unsafe execvp(words[0], vector)
    let error = Errno.last
    fail(
      error == .notFound ? "there is no command '\(words[0])'" : "could not run '\(words[0])': \(error)", last
    )
  }

  private func fail(_ text: String, _ report: CInt) -> Never {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(report, $0.baseAddress, $0.count) }
    _exit(127)
  }
}
