// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `SECURITY.md` names what each command opens and calls.
@Suite(.needsNameServer, Requirement(.withoutTracing), .deadline) struct `The tables of SECURITY.md` {
  /// The rows of a table: the words of commands, and the names or patterns that these permit.
  struct Table {
    private var rows: [(words: Set<String>, isGeneral: Bool, patterns: [String])] = []

    /// Reads the table whose second column has this title.
    init(titled title: String, in text: String) throws {
      let start = try #require(text.firstRange(of: "| by | \(title) |\n|---|---|\n"))
      for line in text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false) {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard line.hasPrefix("|"), cells.count == 2 else { break }
        rows.append((Set(Self.quoted(cells[0])), cells[0] == "every command", Self.quoted(cells[1])))
      }
      try #require(!rows.isEmpty)
    }

    private static func quoted(_ cell: String) -> [String] {
      cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }

    /// The names that no row of a command with these arguments has.
    func missing(_ names: Set<String>, _ arguments: [String]) -> [String] {
      let words = Set(arguments.map { $0.split(separator: "/").last.map(String.init) ?? $0 } + arguments)
      let patterns = rows.filter { $0.isGeneral || !$0.words.isDisjoint(with: words) }.flatMap(\.patterns)
      return names.filter { name in !patterns.contains { Self.matches(name, $0) } }.sorted()
    }

    /// A pattern without a slash fits the last component of a path.
    private static func matches(_ name: String, _ pattern: String) -> Bool {
      let last = pattern.contains("/") ? name : name.split(separator: "/").last.map(String.init) ?? name
      return unsafe fnmatch(pattern, last, FNM_PATHNAME) == 0
    }
  }

  private static let text = Result {
    try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../SECURITY.md"),
      encoding: .utf8)
  }
  private static let opened = Result {
    try Table(
      titled: "opened, watched, connected to, executed, replaced or removed", in: text.get())
  }
  private static let calls = Result { try Table(titled: "system calls", in: text.get()) }

  /// A network with name servers inside and for the namespace `blue`, which each command has to itself.
  private static let lab = Result {
    let lab = try NameLab()
    try lab.change("mkdir -p netns/blue && cp resolv.conf netns/blue")
    return lab
  }
  private static let blue = "mount -t tmpfs tmpfs /run && ip netns add blue && "

  /// A new folder for the files of a command.
  private let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())/FOLDER")

  private func trace(_ arguments: [String]) throws -> SystemCallTrace {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let parent = folder.deletingLastPathComponent()
    defer { try? FileManager.default.removeItem(at: parent) }
    if arguments[0] == "report" {
      try finish(start(["record", "--to", "FOLDER/FILE", "10.9.0.1"]), writing: "FILE")
      try NetworkNamespace.sample().sh("gzip -k '\(folder.path)/FILE'")
    }
    let output = parent.appending(path: "trace").path
    let tracer = SystemCallTrace.tracer(writing: output)
    try finish(
      start(arguments, after: Self.blue + #"set -- \#(tracer) "$@"; "#),
      writing: ["record", "export"].contains(arguments[0])
        ? arguments.last { $0.hasPrefix("FOLDER/") }?.replacing("FOLDER/", with: "") : nil)
    let text = try String(decoding: Data(contentsOf: URL(filePath: output)), as: UTF8.self)
    return SystemCallTrace(text, of: "reachability")
  }

  private func start(_ arguments: [String], after prefix: String = "") throws -> RunningCommand {
    try Self.lab.get().start(arguments.map { $0.replacing("FOLDER", with: folder.path) }, after: prefix)
  }

  /// Waits for the end of a command; one that writes a file is stopped then.
  private func finish(_ command: RunningCommand, writing name: String?) throws {
    let file = folder.appending(path: name ?? "")
    let deadline = ContinuousClock.now + RunningCommand.timeLimit
    while name != nil, (try? Data(contentsOf: file))?.isEmpty ?? true {
      guard ContinuousClock.now < deadline else { throw CommandError("no \(file): \(try command.finish())") }
      usleep(1000)
    }
    if name != nil { command.send(SIGTERM) }
    let outcome = try command.finish()
    #expect(outcome.status < 2, "\(outcome)")
  }

  // Slow: a traced command takes a multiple of its time.
  @Test(arguments: [
    ["check", "10.9.0.1"], ["check", "example.com"],
    ["check", "--connect", "--timeout", "1s", "tcp://10.1.0.1:9"],
    ["watch", "--connect", "--timeout", "1s", "tcp://10.1.0.1:9"],
    ["watch", "--count", "1", "10.9.0.1"],
    ["watch", "--evidence", "--count", "1", "10.9.0.1"], ["wait", "10.9.0.1"],
    ["wait", "--timeout", "300ms", "10.99.0.1"],
    ["wait", "--timeout", "300ms", "--verify", "http://10.1.0.1:9/", "10.9.0.1"], ["path"],
    ["path", "--watch", "--count", "1"], ["explain", "10.9.0.1"],
    ["explain", "10.1.0.1", "--probe", "9", "--timeout", "1s"],
    ["export", "--textfile", "FOLDER/FILE.prom", "10.9.0.1"],
    ["record", "--to", "FOLDER/FILE", "--textfile", "FOLDER/FILE.prom", "10.9.0.1"],
    ["record", "--to", "FOLDER/FILE", "10.9.0.1"],
    ["explain", "10.1.0.1", "--probe", "9", "--timeout", "1s", "--trace"],
    ["trace", "tcp://10.1.0.1:9", "--timeout", "1s"],
    ["verify", "--timeout", "1s", "http://10.1.0.1:9/"],
    ["verify", "--timeout", "1s", "https://10.1.0.1:9/"],
    ["rehearse", "10.9.0.1", "example.com", "--", "true"], ["rehearse", "--repair", "10.99.0.1"],
    ["explain", "10.99.0.1", "--prove"],
    ["report", "FOLDER/FILE"], ["report", "FOLDER/FILE.gz"],
    ["report", "--html", "FOLDER/PAGE", "FOLDER/FILE"],
    ["check", "--namespace", "blue", "10.9.0.1"], ["check", "--namespace", "blue", "example.com"],
  ])
  func `name everything that a command opens and calls`(_ arguments: [String]) throws {
    let trace = try trace(arguments)
    #expect(trace.opened.contains { $0.hasSuffix("/reachability") } && trace.calls.contains("execve"))
    let opened = try Self.opened.get().missing(trace.opened, arguments)
    let calls = try Self.calls.get().missing(trace.calls, arguments)
    #expect(opened == [], "no row has \(opened)")
    #expect(calls == [], "no row has \(calls)")
  }

  @Test func `miss what another file, socket or call would add`() throws {
    let trace = SystemCallTrace(
      #"""
      7 execve("/bin/timeout", ["timeout", "reachability"], 0x7ffc /* 3 vars */) = 0
      7 swapoff("/early") = 0
      7 execve("/bin/reachability", ["reachability", "check", "10.9.0.1"], 0x7ffc /* 3 vars */) = 0
      7 openat(AT_FDCWD</tmp>, "/etc/shadow", O_RDONLY) = 3</etc/shadow>
      8 openat(AT_FDCWD</tmp>, "/proc/7/maps", O_RDONLY <unfinished ...>
      8 unlinkat(4</var/lib>, "some\"thing", 0) = 0
      7 socket(AF_INET, SOCK_RAW|SOCK_CLOEXEC, IPPROTO_ICMP) = 4<socket:[1]>
      7 socket(AF_NETLINK, SOCK_RAW|SOCK_CLOEXEC, NETLINK_AUDIT) = 5<socket:[2]>
      7 socket(AF_NETLINK, SOCK_RAW|SOCK_CLOEXEC, NETLINK_ROUTE) = 5<socket:[2]>
      7 connect(5<socket:[3]>, {sa_family=AF_UNIX, sun_path="/run/docker.sock"}, 18) = -1 ENOENT
      7 rename("/etc/passwd.tmp", "/etc/passwd") = 0
      7 mount("none", "/mnt", "tmpfs", 0, NULL) = 0
      8 ptrace(PTRACE_ATTACH, 1) = -1 EPERM
      """#, of: "reachability")
    try #expect(
      Self.opened.get().missing(trace.opened, ["check", "10.9.0.1"]) == [
        "/etc/passwd", "/etc/passwd.tmp", "/etc/shadow", "/mnt", "/run/docker.sock",
        #"/var/lib/some\"thing"#, "AF_INET SOCK_RAW", "NETLINK_AUDIT",
      ])
    try #expect(
      Self.calls.get().missing(trace.calls, ["check", "10.9.0.1"]) == [
        "mount", "ptrace", "rename", "unlinkat",
      ])
    // A row holds for its commands alone.
    try #expect(Self.calls.get().missing(["setns"], ["check", "--namespace", "blue"]) == [])
    try #expect(Self.calls.get().missing(["setns"], ["check"]) == ["setns"])
  }

  @Test func `name tests that exist`() throws {
    let paths = try Self.text.get().matches(of: /`(Tests\/[^`]*)`/).map { String($0.output.1) }
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    #expect(paths.count > 10)
    #expect(
      paths.filter { !FileManager.default.fileExists(atPath: package.appending(path: $0).path) } == [])
  }
}
#endif
