// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `reachability verify` runs a separate program, found in the same folder or in `PATH`.
@Suite(.needsNamespaces, .deadline) struct `The command verify` {
  private func run(
    _ arguments: [String], in folder: CommandFolder, path: String = "/usr/bin:/bin",
    on network: NetworkNamespace? = nil
  ) throws -> Outcome { try folder.start(arguments, path: path, in: network).finish() }

  private static let echo = """
    #!/bin/sh
    for word; do printf '<%s>' "$word"; done
    exit 7
    """

  @Test func `reachability-verify receives all words but 'verify' and sets the exit status`() throws {
    let folder = try CommandFolder(Self.echo)
    let outcome = try run(
      ["--json", "verify", "http://a.test/", "--expect-body", "a b", "", "verify"], in: folder)
    #expect(outcome == Outcome(status: 7, output: "<--json><http://a.test/><--expect-body><a b><><verify>"))
    #expect(try run(["--timeout", "2s", "verify"], in: folder).output == "<--timeout><2s>")
    #expect(try run(["verify", "--help"], in: folder).output == "<--help>")
  }

  @Test func `reachability-verify is found in PATH`() throws {
    let (folder, other) = (try CommandFolder(), try CommandFolder(Self.echo))
    #expect(try run(["verify", "x"], in: folder, path: "/nowhere:\(other.path)").output == "<x>")
    // The working directory is never searched.
    #expect(try run(["verify", "x"], in: folder, path: ":.").status == 2)
  }

  @Test func `a missing reachability-verify is an error with a hint`() throws {
    let folder = try CommandFolder()
    let errors = """
      error: 'verify' runs reachability-verify, which is neither in \(folder.path) nor in PATH
      hint: install the package reachability-verify; from source: 'swift build -c release --product reachability-verify', \
      and copy it to \(folder.path)

      """
    #expect(try run(["verify", "http://a.test/"], in: folder) == Outcome(status: 2, errors: errors))
  }

  @Test func `a reachability-verify that cannot run is named in the error`() throws {
    let folder = try CommandFolder("\u{7f}ELF nonsense")
    let errors = """
      error: could not run \(folder.path)/reachability-verify: Exec format error
      hint: install a build of reachability-verify for this machine, which 'verify' runs

      """
    #expect(try run(["verify", "http://a.test/"], in: folder) == Outcome(status: 2, errors: errors))
    let other = try CommandFolder(Self.echo, isExecutable: false)
    let refusal = try run(["verify", "http://a.test/"], in: other)
    #expect(refusal.status == 2 && refusal.errors.contains("Permission denied"))
  }

  @Test(
    .needsOtherUser,
    arguments: [
      ["verify", "http://a.test/"], ["wait", "--verify", "http://a.test/", "127.0.0.1"],
    ])
  func `a command with rights that its caller lacks runs no other program`(_ arguments: [String]) throws {
    // The same difference between the users of a process that a set-user-ID program has.
    let marker = FileManager.default.temporaryDirectory.appending(path: "ran-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: marker) }
    let folder = try CommandFolder("#!/bin/sh\ntouch '\(marker)'\n")
    let network = try NetworkNamespace.sample()
    func run(as launcher: String) throws -> Outcome {
      try folder.start(
        arguments, path: folder.path + ":/usr/bin:/bin", in: network, through: launcher
      ).finish()
    }
    let errors = """
      error: 'verify' runs reachability-verify, which a set-user-ID command or one with file capabilities does not do
      hint: run reachability-verify by itself, or a 'reachability' without these rights

      """
    try #expect(run(as: "setpriv --euid 65534") == Outcome(status: 2, errors: errors))
    #expect(!FileManager.default.fileExists(atPath: marker))
    _ = try run(as: "")
    #expect(FileManager.default.fileExists(atPath: marker))
  }

  @Test func `a wait whose reachability-verify is missing or ends by a signal is an error`() throws {
    let network = try NetworkNamespace()
    try network.raiseLoopback()
    let arguments = ["wait", "127.0.0.1", "--verify", "tcp://127.0.0.1:1"]
    let missing = try run(arguments, in: CommandFolder(), on: network)
    #expect(missing.status == 2 && missing.errors.contains("neither in"), "\(missing)")
    let killed = try run(arguments, in: CommandFolder("#!/bin/sh\nkill -9 $$\n"), on: network)
    #expect(killed.status == 2 && killed.errors.contains("did not run to its end"), "\(killed)")
  }

  @Test func `'verify' after another command or two dashes is a host`() throws {
    let folder = try CommandFolder(Self.echo)
    let option = try run(["explain", "verify", "--frob"], in: folder).errors
    #expect(option.contains("unknown option --frob"), "\(option)")
    let host = try run(["--", "verify", "10..1"], in: folder).errors
    #expect(host.contains("'10..1'"), "\(host)")
  }

  @Test func `'report' runs reachability-report`() throws {
    let outcome = try run(["report", "--json", "a", "verify"], in: CommandFolder())
    #expect(outcome.errors.hasPrefix("error: 'report' runs reachability-report, which is neither in "))
    #expect(try reachability("report", "--version").output == "reachability-report \(packageVersion)\n")
  }

  @Test func `the reachability-verify of the same build runs`() throws {
    let network = try NetworkNamespace()
    try network.raiseLoopback()
    let outcome = try reachability("verify", "tcp://127.0.0.1:1", in: network)
    #expect(
      outcome
        == Outcome(
          status: 1,
          output:
            "not verified\n  path unsatisfied: no route\n  tcp://127.0.0.1:1  not connected: Connection refused\n"
        ))
  }
}
#endif
