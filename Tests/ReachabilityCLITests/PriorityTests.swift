// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// Dispatch gives its manager thread, and threads of global queues, nice values for which most users have no right.
@Suite(.needsNamespaces, .onOwnThreads, .serialized, .deadline) struct `Priorities of threads` {
  /// Makes Dispatch write what it logs to standard error.
  private static let environment = ["LIBDISPATCH_LOG": "stderr"]

  /// A folder that any user may write to.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "priority-\(UUID())").path

    init() throws {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Commands that end at their time limits or at once, with their exit statuses.
  private static let commands: [(arguments: [String], status: Int32)] = [
    (["watch", "127.0.0.1", "--timeout", "1s"], 0),
    (["watch", "127.0.0.1", "--evidence", "--timeout", "1s"], 0),
    (["path", "--watch", "--evidence", "--timeout", "1s"], 0),
    (["wait", "203.0.113.1", "--timeout", "1s"], 1),
    (["wait", "tcp://127.0.0.1:1", "--connect", "--timeout", "2s"], 1),
    (["check", "tcp://127.0.0.1:1", "--connect"], 1),
    (["explain", "127.0.0.1", "--probe", "1"], 1),
  ]

  /// Starts a command with the usual nice value, and without the right to a higher priority.
  private func start(_ arguments: [String], in network: NetworkNamespace) throws -> RunningCommand {
    try RunningCommand(
      arguments, in: network, environment: Self.environment,
      through:
        "exec nice -n $((-$(nice))) setpriv --reuid 65534 --regid 65534 --clear-groups prlimit --nice=0 \"$@\""
    )
  }

  @Test(.needsOtherUser, arguments: commands)
  func `a command of a user without privilege requests no priority`(arguments: [String], status: Int32) throws
  {
    let network = try NetworkNamespace()
    try network.raiseLoopback()
    let outcome = try start(arguments, in: network).finish()
    #expect(outcome.status == status, "\(outcome)")
    #expect(!outcome.errors.contains("priority"), "\(outcome.errors)")
  }

  @Test(.needsOtherUser, arguments: ["record", "export"])
  func `a service of a user without privilege requests no priority`(name: String) throws {
    let folder = try Folder()
    let command = try start(Self.service(name, folder.path), in: .sample())
    try wait(for: folder, from: command)
    command.send(SIGTERM)
    #expect(try command.finish() == Outcome(status: 0))
  }

  @Test(arguments: ["watch", "record", "export"])
  func `no thread has a higher priority than the usual one`(name: String) throws {
    let folder = try Folder()
    let arguments =
      name == "watch"
      ? ["watch", "127.0.0.1", "--evidence", "--timeout", "60s"] : Self.service(name, folder.path)
    let command = try RunningCommand(arguments, in: .sample())
    if name == "watch" {
      for _ in 0..<2 { _ = try command.nextLine() }
    } else {
      try wait(for: folder, from: command)
    }
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(command.processID)/task")
    let values = try threads.map { try niceValue(of: "\(command.processID)/task/\($0)") }
    #expect(values.count > 1)
    #expect(values.allSatisfy { $0 >= 0 }, "\(values)")
    command.send(SIGTERM)
    _ = try command.finish()
  }

  private static func service(_ name: String, _ folder: String) -> [String] {
    name == "record"
      ? ["record", "127.0.0.1", "--evidence", "--to", "\(folder)/a.jsonl", "--heartbeat", "1s"]
      : ["export", "127.0.0.1", "--evidence", "--textfile", "\(folder)/a.prom", "--every", "1s"]
  }

  /// Waits until a service has written its file again by a timer.
  private func wait(for folder: Folder, from command: RunningCommand) throws {
    let deadline = ContinuousClock.now + RunningCommand.timeLimit
    var texts: Set<String> = []
    while !texts.contains(where: { $0.contains(#""event":"heartbeat""#) || texts.count > 2 }) {
      try #require(ContinuousClock.now < deadline)
      for name in ["a.jsonl", "a.prom"] {
        if let text = try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8) {
          texts.insert(text)
        }
      }
      usleep(10_000)
    }
  }

  /// The 19th field of a thread's `stat`.
  private func niceValue(of task: String) throws -> Int {
    let stat = try String(contentsOfFile: "/proc/\(task)/stat", encoding: .utf8)
    // The fields after the name, which may contain any character, begin with the third.
    let fields = try #require(stat.split(separator: ")").last).split(separator: " ")
    return try #require(Int(fields[16]))
  }
}
#endif
